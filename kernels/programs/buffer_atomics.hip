// SPDX-License-Identifier: Apache-2.0
// Atomics through a buffer resource, as Triton's and Composable Kernel's kernels do them: the descriptor is
// made of a pointer among the kernel's arguments. Memory treats them like global ones.
//
// hipgrain-run: fp_managed
// hipgrain-stdout: buffer_atomics: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: fp_device
// hipgrain-stdout: buffer_atomics: sum 64 expected 64
// hipgrain-expect: none
//
// hipgrain-run: int_pinned
// hipgrain-stdout: buffer_atomics: sum 0 expected 63
// hipgrain-expect: HG104 kernel=max_i32 argument=0 api=hipHostMalloc at=@pinned launches=1 confidence=proven
// hipgrain-gpu: gfx942: what PCIe does not carry it performs within the device
// hipgrain-stdout: buffer_atomics: sum 63 expected 63
// hipgrain-expect: none
//
// hipgrain-run: int_device
// hipgrain-stdout: buffer_atomics: sum 63 expected 63
// hipgrain-expect: none

#include "sample.h"

#define BYTES 4096
#define ITEMS 64

typedef unsigned int descriptor __attribute__((ext_vector_type(4)));

/* Raw, without a stride: [LUG, buffer resource descriptors]; words 2 and 3 are size and format. */
__device__ descriptor buffer_of(const void *p)
{
	unsigned long long address = (unsigned long long)p;

	return descriptor{ (unsigned)address, (unsigned)(address >> 32) & 0xffff, BYTES, 0x00027000 };
}

__global__ void add_f32(float *sum)
{
	asm volatile("buffer_atomic_add_f32 %0, off, %1, 0" : : "v"(1.0f), "s"(buffer_of(sum)) : "memory");
}

__global__ void max_i32(int *largest)
{
	asm volatile("buffer_atomic_smax %0, off, %1, 0"
		     :
		     : "v"((int)threadIdx.x), "s"(buffer_of(largest))
		     : "memory");
}

static void add_up(float *sum)
{
	float result;

	CHECK(hipMemset(sum, 0, sizeof(*sum)));
	add_f32<<<1, ITEMS>>>(sum);
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDefault));
	printf("buffer_atomics: sum %g expected %d\n", result, ITEMS);
	CHECK(hipFree(sum));
}

static void find_largest(int *largest)
{
	int result;

	max_i32<<<1, ITEMS>>>(largest);
	CHECK(hipMemcpy(&result, largest, sizeof(result), hipMemcpyDefault));
	printf("buffer_atomics: sum %d expected %d\n", result, ITEMS - 1);
}

static void run_fp_managed()
{
	float *sum;

	CHECK(hipMallocManaged(&sum, BYTES)); // @managed
	add_up(sum);
}

static void run_fp_device()
{
	float *sum;

	CHECK(hipMalloc(&sum, BYTES));
	add_up(sum);
}

static void run_int_pinned()
{
	int *largest;

	CHECK(hipHostMalloc(&largest, BYTES, hipHostMallocDefault)); // @pinned
	*largest = 0;
	find_largest(largest);
	CHECK(hipHostFree(largest));
}

static void run_int_device()
{
	int *largest;

	CHECK(hipMalloc(&largest, BYTES));
	CHECK(hipMemset(largest, 0, BYTES));
	find_largest(largest);
	CHECK(hipFree(largest));
}

static const variant variants[] = {
	{ "fp_managed", run_fp_managed },
	{ "fp_device", run_fp_device },
	{ "int_pinned", run_int_pinned },
	{ "int_device", run_int_device },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
