// SPDX-License-Identifier: Apache-2.0
// Grids whose cells look at their neighbours.
#include "program.h"

// ---- heat: Jacobi relaxation in double ----

__global__ void heat_step(const double *from, double *to, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= w || y >= h)
		return;
	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		to[y * w + x] = from[y * w + x];
	else
		to[y * w + x] = 0.25 * ((from[y * w + x - 1] + from[y * w + x + 1]) +
					(from[(y - 1) * w + x] + from[(y + 1) * w + x]));
}

static bool heat(void)
{
	const int w = 67, h = 45, steps = 20;
	std::vector<double> a(w * h), b(w * h);

	for (int i = 0; i < w * h; i++)
		a[i] = unit(i) * 100;
	device<double> da(a), db(b);

	for (int s = 0; s < steps; s++) {
		heat_step<<<dim3(groups(w, 16), groups(h, 8)), dim3(16, 8)>>>(s & 1 ? db : da,
									    s & 1 ? da : db, w, h);
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				b[y * w + x] =
				    x == 0 || y == 0 || x == w - 1 || y == h - 1
					? a[y * w + x]
					: 0.25 * ((a[y * w + x - 1] + a[y * w + x + 1]) +
						  (a[(y - 1) * w + x] + a[(y + 1) * w + x]));
		a.swap(b);
	}
	return same(da.get(), a);
}

// ---- seven points in three dimensions, groups that don't divide the grid ----

struct box {
	int x, y, z;
	float centre, side;
};

__global__ void seven_points(box b, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
	    z = blockIdx.z * blockDim.z + threadIdx.z;

	if (x >= b.x || y >= b.y || z >= b.z)
		return;
	auto at = [&](int i, int j, int k) {
		i = min(max(i, 0), b.x - 1);
		j = min(max(j, 0), b.y - 1);
		k = min(max(k, 0), b.z - 1);
		return in[(k * b.y + j) * b.x + i];
	};
	float sum = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
		    at(x, y, z - 1) + at(x, y, z + 1);

	out[(z * b.y + y) * b.x + x] = fmaf(b.side, sum, b.centre * at(x, y, z));
}

static bool stencil3d(void)
{
	box b = { 21, 18, 11, 0.4f, 0.1f };
	std::vector<float> in(b.x * b.y * b.z), want(in.size());

	for (size_t i = 0; i < in.size(); i++)
		in[i] = unit(7 * i);
	for (int z = 0; z < b.z; z++)
		for (int y = 0; y < b.y; y++)
			for (int x = 0; x < b.x; x++) {
				auto at = [&](int i, int j, int k) {
					i = std::min(std::max(i, 0), b.x - 1);
					j = std::min(std::max(j, 0), b.y - 1);
					k = std::min(std::max(k, 0), b.z - 1);
					return in[(k * b.y + j) * b.x + i];
				};
				float sum = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
					    at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);

				want[(z * b.y + y) * b.x + x] =
				    fmaf(b.side, sum, b.centre * at(x, y, z));
			}
	device<float> din(in), dout(in.size());

	seven_points<<<dim3(groups(b.x, 8), groups(b.y, 4), groups(b.z, 3)), dim3(8, 4, 3)>>>(b, din,
											dout);
	return same(dout.get(), want);
}

// ---- game of life on a torus ----

__global__ void life_step(const uint8_t *from, uint8_t *to, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	int alive = 0;

	if (x >= n)
		return;
	for (int j = -1; j <= 1; j++)
		for (int i = -1; i <= 1; i++)
			if (i || j)
				alive += from[(y + j + n) % n * n + (x + i + n) % n];
	to[y * n + x] = alive == 3 || (alive == 2 && from[y * n + x]);
}

static bool life(void)
{
	const int n = 50;
	std::vector<uint8_t> a(n * n), b(n * n);

	for (int i = 0; i < n * n; i++)
		a[i] = hash32(i) & 1;
	device<uint8_t> da(a), db(b);

	for (int s = 0; s < 12; s++) {
		life_step<<<dim3(groups(n, 32), n), 32>>>(s & 1 ? db : da, s & 1 ? da : db, n);
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				int alive = -a[y * n + x];

				for (int j = -1; j <= 1; j++)
					for (int i = -1; i <= 1; i++)
						alive += a[(y + j + n) % n * n + (x + i + n) % n];
				b[y * n + x] = alive == 3 || (alive == 2 && a[y * n + x]);
			}
		a.swap(b);
	}
	return same(da.get(), a);
}

// ---- convolution: weights in constant memory, a tile with its halo in LDS ----

#define RADIUS 3
#define TILE   16

__constant__ float weights[2 * RADIUS + 1][2 * RADIUS + 1];

__global__ void convolve(const float *in, float *out, int w, int h)
{
	__shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
	int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

	for (int j = threadIdx.y; j < TILE + 2 * RADIUS; j += TILE)
		for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += TILE) {
			int x = x0 + i - RADIUS, y = y0 + j - RADIUS;

			tile[j][i] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0;
		}
	__syncthreads();
	int x = x0 + threadIdx.x, y = y0 + threadIdx.y;

	if (x < w && y < h) {
		float sum = 0;

		for (int j = 0; j <= 2 * RADIUS; j++)
			for (int i = 0; i <= 2 * RADIUS; i++)
				sum = fmaf(weights[j][i], tile[threadIdx.y + j][threadIdx.x + i], sum);
		out[y * w + x] = sum;
	}
}

static bool convolution(void)
{
	const int w = 61, h = 37;
	float weight[2 * RADIUS + 1][2 * RADIUS + 1];
	std::vector<float> in(w * h), want(w * h);

	for (int i = 0; i < (2 * RADIUS + 1) * (2 * RADIUS + 1); i++)
		weight[i / (2 * RADIUS + 1)][i % (2 * RADIUS + 1)] = unit(i + 1000) - 0.5f;
	for (int i = 0; i < w * h; i++)
		in[i] = unit(i);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			float sum = 0;

			for (int j = 0; j <= 2 * RADIUS; j++)
				for (int i = 0; i <= 2 * RADIUS; i++) {
					int u = x + i - RADIUS, v = y + j - RADIUS;
					bool inside = u >= 0 && v >= 0 && u < w && v < h;

					sum = fmaf(weight[j][i], inside ? in[v * w + u] : 0, sum);
				}
			want[y * w + x] = sum;
		}
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(weights), weight, sizeof(weight)));
	device<float> din(in), dout(w * h);

	convolve<<<dim3(groups(w, TILE), groups(h, TILE)), dim3(TILE, TILE)>>>(din, dout, w, h);
	return same(dout.get(), want);
}

static const program programs[] = {
	{ "heat", heat },
	{ "stencil3d", stencil3d },
	{ "life", life },
	{ "convolution", convolution },
	{},
};
MAIN(programs)
