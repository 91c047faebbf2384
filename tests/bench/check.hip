// SPDX-License-Identifier: Apache-2.0
// What `hipgrain check` adds to kernels on the software GPU; check-run compares. Prints a name and the seconds of processor time of
// each kernel's launches.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#define COUNT (1 << 18)
#define SIDE  128
#define TILE  16

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void multiply(const float *a, const float *b, float *c)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	for (int k = 0; k < SIDE; k += TILE) {
		left[threadIdx.y][threadIdx.x] = a[y * SIDE + k + threadIdx.x];
		right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * SIDE + x];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += left[threadIdx.y][i] * right[i][threadIdx.x];
		__syncthreads();
	}
	c[y * SIDE + x] = sum;
}

/* A sparse row's sum takes its elements by index. */
__global__ void gather(const int *indices, const float *values, float *sums, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < 16; k++)
		sum += values[indices[(k * n + i) % COUNT] & (COUNT - 1)];
	sums[i] = sum;
}

static float *filled(void)
{
	float *memory = NULL;

	if (hipMalloc((void **)&memory, COUNT * sizeof(float)) || hipMemset(memory, 1, COUNT * sizeof(float)))
		exit(1);
	return memory;
}

#define MEASURE(name, launch)                                                                     \
	do {                                                                                      \
		clock_t begin;                                                                    \
                                                                                                  \
		(launch);                                                                         \
		(void)hipDeviceSynchronize();                                                     \
		begin = clock();                                                                  \
		for (int i = 0; i < 8; i++)                                                       \
			(launch);                                                                 \
		if (hipDeviceSynchronize())                                                       \
			return 1;                                                                 \
		printf("%s %.6f\n", name, (double)(clock() - begin) / CLOCKS_PER_SEC);            \
	} while (0)

int main(void)
{
	float *a = filled(), *b = filled(), *c = filled();
	dim3 tiles(SIDE / TILE, SIDE / TILE), tile(TILE, TILE);

	MEASURE("add", (add<<<COUNT / 256, 256>>>(a, b, c, COUNT)));
	MEASURE("multiply", (multiply<<<tiles, tile>>>(a, b, c)));
	MEASURE("gather", (gather<<<COUNT / 4 / 256, 256>>>((int *)a, b, c, COUNT / 4)));
	return 0;
}
