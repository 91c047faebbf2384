// SPDX-License-Identifier: Apache-2.0
// Bodies, chances and fractals.
#include "program.h"

// ---- n bodies, a tile of them in LDS at a time ----

#define TILE 64

__global__ void force_kernel(const float4 *body, float4 *force, int n)
{
	__shared__ float4 tile[TILE];
	int i = blockIdx.x * TILE + threadIdx.x;
	float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
	float x = 0, y = 0, z = 0;

	for (int first = 0; first < n; first += TILE) {
		int j = first + threadIdx.x;

		tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
		__syncthreads();
		for (int k = 0; k < TILE; k++) {
			float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
			float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			float s = tile[k].w * inverse * inverse * inverse;

			x += s * dx;
			y += s * dy;
			z += s * dz;
		}
		__syncthreads();
	}
	if (i < n)
		force[i] = make_float4(x, y, z, 0);
}

static bool nbody(void)
{
	const int n = 200;
	std::vector<float4> body(n);
	std::vector<float> want, got;

	for (int i = 0; i < n; i++)
		body[i] = make_float4(unit(4 * i), unit(4 * i + 1), unit(4 * i + 2), unit(4 * i + 3));
	for (int i = 0; i < n; i++) {
		double x = 0, y = 0, z = 0;

		for (int j = 0; j < n; j++) {
			double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y,
			       dz = body[j].z - body[i].z,
			       s = body[j].w / pow(dx * dx + dy * dy + dz * dz + 0.01f, 1.5);

			x += s * dx;
			y += s * dy;
			z += s * dz;
		}
		want.insert(want.end(), { (float)x, (float)y, (float)z });
	}
	device<float4> db(body), force(n);

	force_kernel<<<groups(n, TILE), TILE>>>(db, force, n);
	for (float4 f : force.get())
		got.insert(got.end(), { f.x, f.y, f.z });
	return near(got, want, 2e-5);
}

// ---- Monte Carlo: the same hash draws the same points ----

__global__ void pi_kernel(unsigned long long *inside, int samples)
{
	unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * samples;
	int hits = 0;

	for (int s = 0; s < samples; s++) {
		unsigned long long x = hash32(2 * (first + s)), y = hash32(2 * (first + s) + 1);

		hits += __umul64hi(x * x + y * y, 1) == 0 && x * x <= ~0ull - y * y;
	}
	atomicAdd(inside, (unsigned long long)hits);
}

static bool monte_carlo(void)
{
	const int threads = 500, samples = 40;
	std::vector<unsigned long long> want(1);

	for (int s = 0; s < 512 * samples; s++) {
		unsigned long long x = hash32(2 * s), y = hash32(2 * s + 1);

		want[0] += x * x <= ~0ull - y * y;
	}
	device<unsigned long long> inside(1);

	pi_kernel<<<groups(threads, 128), 128>>>(inside, samples);
	double pi = 4.0 * (double)want[0] / (512 * samples);

	return same(inside.get(), want) && fabs(pi - M_PI) < 0.05;
}

// ---- Mandelbrot, in double without fused operations: every count is fixed ----

#pragma clang fp contract(off)
static __host__ __device__ int escape(double cx, double cy)
{
	double x = 0, y = 0;
	int n = 0;

	while (n < 100 && x * x + y * y <= 4) {
		double t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	return n;
}

__global__ void mandelbrot_kernel(int *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < w && y < h)
		out[y * w + x] = escape(-2.0 + 3.0 * x / w, -1.2 + 2.4 * y / h);
}

static bool mandelbrot(void)
{
	const int w = 75, h = 50;
	std::vector<int> want(w * h);
	device<int> out(w * h);

	mandelbrot_kernel<<<dim3(groups(w, 32), groups(h, 2)), dim3(32, 2)>>>(out, w, h);
	for (int i = 0; i < w * h; i++)
		want[i] = escape(-2.0 + 3.0 * (i % w) / w, -1.2 + 2.4 * (i / w) / h);
	return same(out.get(), want);
}

// ---- option prices ----

template <class F> static __host__ __device__ F price(F s, F k, F t, F r, F v)
{
	F d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
	F n1 = erfc(-d1 / (F)1.41421356237309505) / 2, n2 = erfc(-d2 / (F)1.41421356237309505) / 2;

	return s * n1 - k * exp(-r * t) * n2;
}

__global__ void price_kernel(float *f, double *d, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		double s = 20 + i % 37, k = 15 + i % 23, t = 0.5 + i % 11;

		f[i] = price<float>((float)s, (float)k, (float)t, 0.03f, 0.3f);
		d[i] = price<double>(s, k, t, 0.03, 0.3);
	}
}

static bool options(void)
{
	const int n = 400;
	std::vector<double> want(n);
	std::vector<float> wantf(n);

	for (int i = 0; i < n; i++) {
		want[i] = price<double>(20 + i % 37, 15 + i % 23, 0.5 + i % 11, 0.03, 0.3);
		wantf[i] = (float)want[i];
	}
	device<float> f(n);
	device<double> d(n);

	price_kernel<<<groups(n, 64), 64>>>(f, d, n);
	return near(d.get(), want, 1e-13) && near(f.get(), wantf, 1e-5);
}

static const program programs[] = {
	{ "nbody", nbody },
	{ "monte_carlo", monte_carlo },
	{ "mandelbrot", mandelbrot },
	{ "options", options },
	{},
};
MAIN(programs)
