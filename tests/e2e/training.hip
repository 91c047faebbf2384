// SPDX-License-Identifier: Apache-2.0
// Kernels and memory of a training loop that is written in another language: training.py, training-extension.c, training.f90.
#include <hip/hip_runtime.h>

#include "include/hipgrain.h"

__global__ void accumulate(const float *numbers, double *sum, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		unsafeAtomicAdd(sum, (double)numbers[i]); // @atomic
}

__global__ void scale(float *numbers, float factor, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		numbers[i] *= factor;
}

extern "C" void *make_block(size_t bytes, int managed)
{
	void *block = NULL;

	if (managed ? hipMallocManaged(&block, bytes) : hipMalloc(&block, bytes)) // @block
		return NULL;
	if (!managed && hipMemset(block, 0, bytes))
		return NULL;
	return block;
}

extern "C" int forward(const float *numbers, double *sum, int count)
{
	accumulate<<<1, 64>>>(numbers, sum, count);
	return hipDeviceSynchronize();
}

extern "C" int backward(float *numbers, float factor, int count)
{
	scale<<<1, 64>>>(numbers, factor, count);
	return hipDeviceSynchronize();
}

extern "C" void begin_phase(const char *name) { hipgrain_range_push(name); }
extern "C" void end_phase(void) { hipgrain_range_pop(); }
extern "C" void name_memory(const void *memory, const char *text) { hipgrain_name(memory, text); }
