// SPDX-License-Identifier: Apache-2.0
// Instructions under mathematics, where a wave of tame values takes another way through the software
// GPU than one with a single denormal, infinity or NaN: both ways must give the same bits.
#include "program.h"

#define N (1 << 16)

// The first half of the waves has ordinary values only, the rest whatever bits the hash gives.
static __host__ __device__ float pattern(uint32_t i)
{
	uint32_t u = hash32(i);
	float f;

	if (i < N / 2)
		u = (u & 0x807fffffu) | ((117 + hash32(u) % 20) << 23);
	memcpy(&f, &u, 4);
	return f;
}

static __host__ __device__ double wide_pattern(uint32_t i)
{
	uint64_t u = (uint64_t)hash32(i) << 32 | hash32(i + 77);
	double d;

	if (i < N / 2)
		u = (u & 0x800fffffffffffffu) | (uint64_t)(1000 + hash32(i + 5) % 50) << 52;
	memcpy(&d, &u, 8);
	return d;
}

// NaNs differ in sign and payload between machines.
template <class T, class U> static bool same_bits(const char *what, uint32_t i, T got, T want)
{
	U g, w;

	memcpy(&g, &got, sizeof(g));
	memcpy(&w, &want, sizeof(w));
	if (g == w || (got != got && want != want))
		return true;
	printf("# %s, item %u: %a, expected %a\n", what, i, (double)got, (double)want);
	return false;
}

template <class T> struct results {
	T quotient, scaled, mantissa;
	int exponent;
};

template <class T> static __host__ __device__ results<T> compute(T a, T b, int n)
{
	results<T> r;

	r.quotient = a / b;
	r.scaled = ldexp(a, n);
	r.exponent = 0;
	r.mantissa = frexp(a, &r.exponent);
	return r;
}

__global__ void single_kernel(results<float> *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = compute(pattern(i), pattern(hash32(i) % (i < N / 2 ? N / 2 : N)), (int)(hash32(i) % 400) - 200);
}

__global__ void double_kernel(results<double> *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = compute(wide_pattern(i), wide_pattern(hash32(i) % (i < N / 2 ? N / 2 : N)),
			 (int)(hash32(i) % 4000) - 2000);
}

template <class T, class U>
static bool check(const std::vector<results<T>> &got, results<T> (*want)(uint32_t))
{
	for (uint32_t i = 0; i < N; i++) {
		results<T> w = want(i);
		bool finite = w.mantissa - w.mantissa == 0;

		if (!same_bits<T, U>("quotient", i, got[i].quotient, w.quotient) ||
		    !same_bits<T, U>("ldexp", i, got[i].scaled, w.scaled) ||
		    !same_bits<T, U>("mantissa", i, got[i].mantissa, w.mantissa))
			return false;
		if (finite && got[i].exponent != w.exponent) {
			printf("# item %u: exponent %d, expected %d\n", i, got[i].exponent, w.exponent);
			return false;
		}
	}
	return true;
}

static results<float> single_want(uint32_t i)
{
	return compute(pattern(i), pattern(hash32(i) % (i < N / 2 ? N / 2 : N)), (int)(hash32(i) % 400) - 200);
}

static results<double> double_want(uint32_t i)
{
	return compute(wide_pattern(i), wide_pattern(hash32(i) % (i < N / 2 ? N / 2 : N)),
		       (int)(hash32(i) % 4000) - 2000);
}

static bool singles(void)
{
	device<results<float>> out(N);

	single_kernel<<<N / 256, 256>>>(out);
	return check<float, uint32_t>(out.get(), single_want);
}

static bool doubles(void)
{
	device<results<double>> out(N);

	double_kernel<<<N / 256, 256>>>(out);
	return check<double, uint64_t>(out.get(), double_want);
}

// ---- one instruction each ----

__global__ void functions_kernel(float *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = pattern(i);

	asm volatile("v_exp_f32 %0, %1" : "=v"(out[i]) : "v"(x));
	asm volatile("v_log_f32 %0, %1" : "=v"(out[i + N]) : "v"(x));
	asm volatile("v_sin_f32 %0, %1" : "=v"(out[i + 2 * N]) : "v"(x));
	asm volatile("v_cos_f32 %0, %1" : "=v"(out[i + 3 * N]) : "v"(x));
}

static bool functions(void)
{
	device<float> out(4 * N);

	functions_kernel<<<N / 256, 256>>>(out);
	std::vector<float> got = out.get();
	for (uint32_t i = 0; i < 4 * N; i++) {
		double x = pattern(i % N), turn = fmod(x, 1.0) * 2 * M_PI, want;
		bool far = !(fabs(x) <= 256);

		switch (i / N) {
		case 0:
			want = exp2(x);
			break;
		case 1:
			want = log2(x);
			break;
		case 2:
			want = far ? x - x : sin(turn);
			break;
		default:
			want = far ? x - x + 1 : cos(turn);
		}
		if (got[i] == (float)want || (got[i] != got[i] && want != want))
			continue;
		// One unit in the last place, or next to a zero of the function.
		if (fabs(got[i] - want) > 1.2e-7 * fabs(want) + 1e-15) {
			printf("# function %u of %a: %a, expected %a\n", i / N, x, got[i], want);
			return false;
		}
	}
	return true;
}

static const program programs[] = {
	{ "singles", singles },
	{ "doubles", doubles },
	{ "functions", functions },
	{},
};
MAIN(programs)
