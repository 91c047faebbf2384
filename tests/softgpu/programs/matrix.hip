// SPDX-License-Identifier: Apache-2.0
// Dense matrices: products in several precisions, transposition, factorizations.
#include "program.h"

#include <complex>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>

#define T 16

// ---- tiles in dynamic LDS; the type decides ----

template <class F> __global__ void product_kernel(const F *a, const F *b, F *c, int m, int n, int k)
{
	extern __shared__ unsigned char memory[];
	F *left = (F *)memory, *right = left + T * T;
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	int me = threadIdx.y * T + threadIdx.x;
	F sum = 0;

	for (int t = 0; t < k; t += T) {
		left[me] = row < m && t + (int)threadIdx.x < k ? a[row * k + t + threadIdx.x] : F(0);
		right[me] = col < n && t + (int)threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : F(0);
		__syncthreads();
		for (int i = 0; i < T; i++)
			sum += left[threadIdx.y * T + i] * right[i * T + threadIdx.x];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = sum;
}

template <class F> static bool product(double tolerance)
{
	const int m = 37, n = 50, k = 29;
	std::vector<F> a(m * k), b(k * n), want(m * n);

	for (int i = 0; i < m * k; i++)
		a[i] = (F)(unit(i) - 0.5f);
	for (int i = 0; i < k * n; i++)
		b[i] = (F)(unit(i + 5000) - 0.5f);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int l = 0; l < k; l++)
				sum += (double)a[i * k + l] * (double)b[l * n + j];
			want[i * n + j] = (F)sum;
		}
	device<F> da(a), db(b), dc(m * n);

	product_kernel<F><<<dim3(groups(n, T), groups(m, T)), dim3(T, T), 2 * T * T * sizeof(F)>>>(
	    da, db, dc, m, n, k);
	return near(dc.get(), want, tolerance);
}

static bool product_float(void)
{
	return product<float>(1e-6);
}

static bool product_double(void)
{
	return product<double>(1e-14);
}

// ---- half: pairs, exact because all values are small integers ----

__global__ void half_kernel(const __half2 *a, const __half2 *b, __half *c, int n, int pairs)
{
	int i = blockIdx.x, j = threadIdx.x;
	__half2 sum = __float2half2_rn(0);

	if (j >= n)
		return;
	for (int k = 0; k < pairs; k++)
		sum = __hfma2(a[i * pairs + k], b[j * pairs + k], sum);
	c[i * n + j] = __hadd(__low2half(sum), __high2half(sum));
}

static bool product_half(void)
{
	const int n = 20, pairs = 12;
	std::vector<__half2> a(n * pairs), b(n * pairs);
	std::vector<float> want(n * n), got;

	for (int i = 0; i < n * pairs; i++) {
		a[i] = __floats2half2_rn((float)(i % 5), (float)(i % 7) - 3);
		b[i] = __floats2half2_rn((float)(i % 3) - 1, (float)(i % 4));
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < pairs; k++) {
				float2 x = __half22float2(a[i * pairs + k]),
				       y = __half22float2(b[j * pairs + k]);

				want[i * n + j] += x.x * y.x + x.y * y.y;
			}
	device<__half2> da(a), db(b);
	device<__half> dc(n * n);

	half_kernel<<<n, 32>>>(da, db, dc, n, pairs);
	for (__half h : dc.get())
		got.push_back(__half2float(h));
	return same(got, want);
}

// ---- bfloat16: rounded to nearest even from float ----

__global__ void bfloat_kernel(const float *in, hip_bfloat16 *out, float *back, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		hip_bfloat16 x = hip_bfloat16(in[i]), y = hip_bfloat16(in[n - 1 - i]);

		out[i] = x;
		back[i] = (float)(x * y + x);
	}
}

static bool bfloat(void)
{
	const int n = 500;
	std::vector<float> in(n), want_back(n);
	std::vector<uint16_t> want(n), got;

	for (int i = 0; i < n; i++)
		in[i] = (unit(i) - 0.5f) * powf(2, (float)(i % 40 - 20));
	auto round = [](float f) {
		uint32_t u;

		memcpy(&u, &f, 4);
		return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
	};
	auto widen = [](uint16_t h) {
		uint32_t u = (uint32_t)h << 16;
		float f;

		memcpy(&f, &u, 4);
		return f;
	};
	for (int i = 0; i < n; i++) {
		float x = widen(round(in[i])), y = widen(round(in[n - 1 - i]));

		want[i] = round(in[i]);
		want_back[i] = widen(round(widen(round(x * y)) + x));
	}
	device<float> din(in), back(n);
	device<hip_bfloat16> out(n);

	bfloat_kernel<<<groups(n, 64), 64>>>(din, out, back, n);
	for (hip_bfloat16 h : out.get())
		got.push_back(h.data);
	return same(got, want) && same(back.get(), want_back);
}

// ---- complex numbers ----

__global__ void complex_kernel(const hipFloatComplex *a, hipFloatComplex *out, float *size, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	hipFloatComplex x = a[i], y = a[(i + 1) % n];

	out[i] = hipCaddf(hipCmulf(x, y), hipCdivf(x, hipConjf(y)));
	size[i] = hipCabsf(x);
}

static bool complex_numbers(void)
{
	const int n = 300;
	std::vector<hipFloatComplex> a(n);
	std::vector<float> want(2 * n), size(n), got;

	for (int i = 0; i < n; i++)
		a[i] = make_hipFloatComplex(unit(i) + 0.1f, unit(i + n) - 0.5f);
	for (int i = 0; i < n; i++) {
		std::complex<double> x(a[i].x, a[i].y), y(a[(i + 1) % n].x, a[(i + 1) % n].y),
		    r = x * y + x / std::conj(y);

		want[2 * i] = (float)r.real();
		want[2 * i + 1] = (float)r.imag();
		size[i] = (float)std::abs(x);
	}
	device<hipFloatComplex> da(a), out(n);
	device<float> dsize(n);

	complex_kernel<<<groups(n, 128), 128>>>(da, out, dsize, n);
	for (hipFloatComplex z : out.get()) {
		got.push_back(z.x);
		got.push_back(z.y);
	}
	return near(got, want, 2e-6) && near(dsize.get(), size, 1e-6);
}

// ---- transposition through a padded tile; also of pairs of 16 bytes ----

template <class V> __global__ void transpose_kernel(const V *in, V *out, int w, int h)
{
	__shared__ V tile[T][T + 1];
	int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T;

	for (int j = threadIdx.y; j < T; j += blockDim.y)
		if (x < w && y + j < h)
			tile[j][threadIdx.x] = in[(y + j) * w + x];
	__syncthreads();
	x = blockIdx.y * T + threadIdx.x;
	y = blockIdx.x * T;
	for (int j = threadIdx.y; j < T; j += blockDim.y)
		if (x < h && y + j < w)
			out[(y + j) * h + x] = tile[threadIdx.x][j];
}

template <class V> static bool transpose_of(V (*make)(int))
{
	const int w = 70, h = 45;
	std::vector<V> in(w * h), want(w * h), got;

	for (int i = 0; i < w * h; i++) {
		in[i] = make(i);
		want[i % w * h + i / w] = in[i];
	}
	device<V> din(in), dout(w * h);

	transpose_kernel<V><<<dim3(groups(w, T), groups(h, T)), dim3(T, 4)>>>(din, dout, w, h);
	got = dout.get();
	return !memcmp(got.data(), want.data(), w * h * sizeof(V));
}

static bool transpose(void)
{
	return transpose_of<uint8_t>([](int i) { return (uint8_t)i; }) &&
	       transpose_of<short>([](int i) { return (short)(i * 3); }) &&
	       transpose_of<float>([](int i) { return (float)i; }) &&
	       transpose_of<double4>([](int i) { return make_double4(i, -i, 0.5 * i, 1); });
}

// ---- LU with partial pivoting, and Cholesky; one group ----

#define N 24

__global__ void lu_kernel(double *a, int *pivot)
{
	__shared__ int chosen;
	int t = threadIdx.x;

	for (int k = 0; k < N; k++) {
		if (!t) {
			chosen = k;
			for (int i = k + 1; i < N; i++)
				if (fabs(a[i * N + k]) > fabs(a[chosen * N + k]))
					chosen = i;
			pivot[k] = chosen;
		}
		__syncthreads();
		if (t < N && chosen != k) {
			double x = a[k * N + t];

			a[k * N + t] = a[chosen * N + t];
			a[chosen * N + t] = x;
		}
		__syncthreads();
		if (t > k && t < N) {
			double f = a[t * N + k] /= a[k * N + k];

			for (int j = k + 1; j < N; j++)
				a[t * N + j] = fma(-f, a[k * N + j], a[t * N + j]);
		}
		__syncthreads();
	}
}

static bool lu(void)
{
	std::vector<double> a(N * N);
	std::vector<int> pivot(N);

	for (int i = 0; i < N * N; i++)
		a[i] = unit(i) - 0.5;
	device<double> da(a);
	device<int> dp(N);

	lu_kernel<<<1, 64>>>(da, dp);
	for (int k = 0; k < N; k++) {
		pivot[k] = k;
		for (int i = k + 1; i < N; i++)
			if (fabs(a[i * N + k]) > fabs(a[pivot[k] * N + k]))
				pivot[k] = i;
		for (int j = 0; j < N; j++)
			std::swap(a[k * N + j], a[pivot[k] * N + j]);
		for (int i = k + 1; i < N; i++) {
			double f = a[i * N + k] /= a[k * N + k];

			for (int j = k + 1; j < N; j++)
				a[i * N + j] = fma(-f, a[k * N + j], a[i * N + j]);
		}
	}
	return same(dp.get(), pivot) && same(da.get(), a);
}

__global__ void cholesky_kernel(float *a)
{
	int t = threadIdx.x;

	for (int k = 0; k < N; k++) {
		if (t == k)
			a[k * N + k] = sqrtf(a[k * N + k]);
		__syncthreads();
		if (t > k && t < N)
			a[t * N + k] = a[t * N + k] / a[k * N + k];
		__syncthreads();
		for (int j = k + 1; j <= t && t < N; j++)
			a[t * N + j] = fmaf(-a[t * N + k], a[j * N + k], a[t * N + j]);
		__syncthreads();
	}
}

static bool cholesky(void)
{
	std::vector<float> a(N * N);

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i * N + j] = i == j ? N : unit(i * j + i + j);
	device<float> da(a);

	cholesky_kernel<<<1, 32>>>(da);
	for (int k = 0; k < N; k++) {
		a[k * N + k] = sqrtf(a[k * N + k]);
		for (int i = k + 1; i < N; i++)
			a[i * N + k] = a[i * N + k] / a[k * N + k];
		for (int i = k + 1; i < N; i++)
			for (int j = k + 1; j <= i; j++)
				a[i * N + j] = fmaf(-a[i * N + k], a[j * N + k], a[i * N + j]);
	}
	return same(da.get(), a);
}

static const program programs[] = {
	{ "product_float", product_float },
	{ "product_double", product_double },
	{ "product_half", product_half },
	{ "bfloat", bfloat },
	{ "complex", complex_numbers },
	{ "transpose", transpose },
	{ "lu", lu },
	{ "cholesky", cholesky },
	{},
};
MAIN(programs)
