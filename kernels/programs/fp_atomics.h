/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 200 work-items add 1 to one number, in memory from the allocator that argv[1] names.
 *
 * The program that includes this defines the kernels add_f32 and add_f64: how it spells the
 * floating-point atomic is the point of it. Integer atomics are there for comparison.
 */
#ifndef FP_ATOMICS_H
#define FP_ATOMICS_H

#include "sample_buffers.h"

#define GROUPS     4
#define GROUP_SIZE 50

/* Each number has a page of its own. */
#define F32_OFFSET 0
#define F64_OFFSET 4096
#define U32_OFFSET 8192
#define BYTES      (3 * 4096)

__global__ void add_u32(unsigned *sum, unsigned value)
{
	atomicAdd(sum, value);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s ALLOCATOR, one of:", argv[0]);
		for (const allocator &a : allocators)
			fprintf(stderr, " %s", a.name);
		fprintf(stderr, "\n");
		return 2;
	}
	const int expected = GROUPS * GROUP_SIZE;
	buffer b = make_buffer(argv[1], BYTES);
	char *base = (char *)b.device;

	/* Kernels run one at a time, so that a fault ends the program in its own kernel. */
	add_f32<<<GROUPS, GROUP_SIZE>>>((float *)(base + F32_OFFSET), 1.0f);
	CHECK(hipDeviceSynchronize());
	add_f64<<<GROUPS, GROUP_SIZE>>>((double *)(base + F64_OFFSET), 1.0);
	CHECK(hipDeviceSynchronize());
	add_u32<<<GROUPS, GROUP_SIZE>>>((unsigned *)(base + U32_OFFSET), 1u);
	CHECK(hipDeviceSynchronize());

	printf("float: sum %g expected %d\n", read_back<float>(b, F32_OFFSET), expected);
	printf("double: sum %g expected %d\n", read_back<double>(b, F64_OFFSET), expected);
	printf("unsigned: sum %u expected %d\n", read_back<unsigned>(b, U32_OFFSET), expected);
	free_buffer(b);
	return 0;
}

#endif
