/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled with -fgpu-rdc in several partitions: its code object has a metadata note for each. All
 * kernels but the last are alike; the last one's update of managed memory is lost on gfx90a.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNELS 12
#define LANES	64

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "%s\n", hipGetErrorString(error));
		exit(1);
	}
}

template <int N> __global__ void scaled(double *out, int count)
{
	if ((int)threadIdx.x < count)
		out[threadIdx.x] = N * out[threadIdx.x] + N;
}

__global__ void total(int count, const double *in, double *sum)
{
	if ((int)threadIdx.x < count)
		unsafeAtomicAdd(sum, in[threadIdx.x]);
}

template <int N> static void run_scaled(double *out)
{
	scaled<N><<<1, LANES>>>(out, LANES);
	check(hipGetLastError());
	if constexpr (N < KERNELS)
		run_scaled<N + 1>(out);
}

int main()
{
	double *in, *sum;

	check(hipMalloc((void **)&in, LANES * sizeof(*in)));
	check(hipMallocManaged((void **)&sum, sizeof(*sum), hipMemAttachGlobal));
	check(hipMemset(in, 0, LANES * sizeof(*in)));
	*sum = 0;
	run_scaled<1>(in);
	total<<<1, LANES>>>(LANES, in, sum);
	check(hipGetLastError());
	check(hipDeviceSynchronize());
	printf("%g\n", *sum);
	check(hipFree(in));
	check(hipFree(sum));
	return 0;
}
