// SPDX-License-Identifier: Apache-2.0
// Library functions against the host's, in their stated accuracy; conversions to the bit.
#include "program.h"

#include <hip/hip_fp16.h>

#define N 256

// [expression of x (positive), tolerance relative to max(1, |result|)]
#define FUNCTIONS(F)                                                                        \
	F(sin(x)) F(cos(x)) F(tan(x / 8)) F(asin(x / 16)) F(acos(x / 16)) F(atan(x))        \
	F(sinh(x / 4)) F(cosh(x / 4)) F(tanh(x)) F(asinh(x)) F(acosh(x + 1)) F(atanh(x / 16)) \
	F(exp(x / 2)) F(exp2(x / 2)) F(exp10(x / 8)) F(expm1(x / 4)) F(log(x + 1)) F(log2(x + 1))  \
	F(log10(x + 1)) F(log1p(x)) F(pow(x + 1, x / 4)) F(sqrt(x)) F(cbrt(x)) F(1 / sqrt(x + 1))  \
	F(erf(x / 4)) F(erfc(x / 4)) F(tgamma(x / 2 + 1)) F(lgamma(x + 1)) F(hypot(x, x + 2)) \
	F(fmod(x, 1.75)) F(remainder(x, 1.75)) F(floor(x)) F(ceil(x)) F(rint(x)) F(round(x)) \
	F(trunc(x)) F(atan2(x, 3 - x)) F(j0(x)) F(j1(x)) F(y0(x + 1)) F(ldexp(x, 3))  \
	F((double)ilogb(x + 1)) F(logb(x + 1)) F(copysign(x, 2 - x)) F(fdim(x, 4.0)) F(fma(x, x, -x)) \
	F(nextafter(x, 9.0)) F(sin(x * 1e5)) F(cos(x * 1e22)) F(fabs(3 - x)) F(x / 3 + 3 / (x + 1))

enum {
#define F(expression) +1
	COUNT = 0 FUNCTIONS(F)
#undef F
};

__global__ void double_kernel(double *out)
{
	double x = threadIdx.x / 16.0;
	int k = 0;

#define F(expression) out[k++ * N + threadIdx.x] = (expression);
	FUNCTIONS(F)
#undef F
}

static bool doubles(void)
{
	std::vector<double> want(COUNT * N);
	device<double> out(COUNT * N);

	double_kernel<<<1, N>>>(out);
	for (int i = 0; i < N; i++) {
		double x = i / 16.0;
		int k = 0;

#define F(expression) want[k++ * N + i] = (expression);
		FUNCTIONS(F)
#undef F
	}
	return near(out.get(), want, 2e-14);
}

#define FLOATS(F)                                                                           \
	F(sinf(x)) F(cosf(x)) F(tanf(x / 8)) F(asinf(x / 16)) F(acosf(x / 16)) F(atanf(x))   \
	F(sinhf(x / 4)) F(coshf(x / 4)) F(tanhf(x)) F(expf(x / 2)) F(exp2f(x / 2)) F(expm1f(x / 4)) \
	F(logf(x + 1)) F(log2f(x + 1)) F(log10f(x + 1)) F(log1pf(x)) F(powf(x + 1, x / 4))   \
	F(cbrtf(x)) F(erff(x / 4)) F(erfcf(x / 4)) F(tgammaf(x / 2 + 1)) F(lgammaf(x + 1))   \
	F(hypotf(x, x + 2)) F(atan2f(x, 3 - x)) F(fmodf(x, 1.75f)) F(sinf(x * 1e5f))         \
	F(cosf(x * 1e20f)) F(floorf(x)) F(rintf(x)) F(roundf(x)) F(ldexpf(x, -3))

enum {
#define F(expression) +1
	FLOAT_COUNT = 0 FLOATS(F)
#undef F
};

__global__ void float_kernel(float *out, float *exact)
{
	float x = threadIdx.x / 16.0f;
	int k = 0;

#define F(expression) out[k++ * N + threadIdx.x] = (expression);
	FLOATS(F)
#undef F
	exact[threadIdx.x] = sqrtf(x);
	exact[N + threadIdx.x] = x / 3.0f;
	exact[2 * N + threadIdx.x] = __fdiv_rn(1.0f, x + 1);
	exact[3 * N + threadIdx.x] = __fsqrt_rn(x * 1e-39f);
}

static bool floats(void)
{
	std::vector<float> want(FLOAT_COUNT * N), exact_want(4 * N);
	device<float> out(FLOAT_COUNT * N), exact(4 * N);

	float_kernel<<<1, N>>>(out, exact);
	for (int i = 0; i < N; i++) {
		float x = (float)i / 16.0f;
		int k = 0;

#define F(expression) want[k++ * N + i] = (expression);
		FLOATS(F)
#undef F
		exact_want[i] = sqrtf(x);
		exact_want[N + i] = x / 3.0f;
		exact_want[2 * N + i] = 1.0f / (x + 1);
		exact_want[3 * N + i] = sqrtf(x * 1e-39f);
	}
	return near(out.get(), want, 1.5e-6) && same(exact.get(), exact_want);
}

// ---- half ----

__global__ void half_kernel(const float *in, unsigned short *bits, float *out)
{
	int i = threadIdx.x;
	__half h = __float2half(in[i]), two = __float2half(2);

	bits[i] = __half_as_ushort(h);
	out[i] = __half2float(__hadd(__hmul(h, h), two));
	out[N + i] = __half2float(hsqrt(__habs(h)));
	out[2 * N + i] = __half2float(__hdiv(h, two));
	out[3 * N + i] = (float)(int)__half2int_rz(h) + (__hgt(h, two) ? 0.5f : 0);
}

static float rounded(float f)
{
	return (float)(_Float16)f;
}

static bool halves(void)
{
	std::vector<float> in(N), want(4 * N);
	std::vector<unsigned short> bits(N);

	for (int i = 0; i < N; i++) {
		in[i] = (unit(i) - 0.5f) * powf(2, (float)(i % 24 - 14));
		_Float16 h = (_Float16)in[i];
		float f = (float)h;

		memcpy(&bits[i], &h, 2);
		want[i] = rounded(rounded(f * f) + 2);
		want[N + i] = rounded(sqrtf(fabsf(f)));
		want[2 * N + i] = rounded(f / 2);
		want[3 * N + i] = (float)(int)f + (f > 2 ? 0.5f : 0);
	}
	device<float> din(in), out(4 * N);
	device<unsigned short> dbits(N);

	half_kernel<<<1, N>>>(din, dbits, out);
	return same(dbits.get(), bits) && near(out.get(), want, 1e-3);
}

// ---- conversions ----

__global__ void convert_kernel(const double *in, long long *out)
{
	double d = in[threadIdx.x];
	float f = (float)d;
	long long *o = out + threadIdx.x * 12;

	o[0] = (int)d;
	o[1] = (long long)d;
	o[2] = (unsigned)fabs(d);
	o[3] = (long long)(unsigned long long)fabs(d);
	o[4] = (int)f;
	o[5] = (long long)f;
	o[6] = __double_as_longlong((double)o[1]);
	o[7] = __float_as_int((float)o[1]);
	o[8] = __float_as_int((float)(unsigned long long)o[3]);
	o[9] = (signed char)(int)d;
	o[10] = __float_as_int(f);
	o[11] = __double_as_longlong((double)(unsigned long long)(o[3] * 0x9e3779b9ll));
}

static bool conversions(void)
{
	std::vector<double> in(N);
	std::vector<long long> want(12 * N);

	for (int i = 0; i < N; i++) {
		in[i] = (unit(i) - 0.5) * pow(2, i % 32);
		double d = in[i];
		float f = (float)d, g;
		long long *o = &want[12 * i];
		auto low = [](float v) {
			int x;

			memcpy(&x, &v, 4);
			return (long long)x;
		};

		o[0] = (int)d;
		o[1] = (long long)d;
		o[2] = (unsigned)fabs(d);
		o[3] = (long long)(unsigned long long)fabs(d);
		o[4] = (int)f;
		o[5] = (long long)f;
		d = (double)o[1];
		memcpy(&o[6], &d, 8);
		g = (float)o[1];
		o[7] = low(g);
		o[8] = low((float)(unsigned long long)o[3]);
		o[9] = (signed char)(int)in[i];
		o[10] = low(f);
		d = (double)(unsigned long long)(o[3] * 0x9e3779b9ll);
		memcpy(&o[11], &d, 8);
	}
	device<double> din(in);
	device<long long> out(12 * N);

	convert_kernel<<<1, N>>>(din, out);
	return same(out.get(), want);
}

static const program programs[] = {
	{ "doubles", doubles },
	{ "floats", floats },
	{ "halves", halves },
	{ "conversions", conversions },
	{},
};
MAIN(programs)
