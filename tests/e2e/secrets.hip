// SPDX-License-Identifier: Apache-2.0
// Values that nobody else is to see, wherever a program may put them: scalar arguments of kernels, structs
// passed by value, host and device memory, fills, what kernels print. Its sum in managed memory is lost.

#include <hip/hip_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                    \
	do {                                                                           \
		hipError_t error_ = (call);                                            \
		if (error_ != hipSuccess) {                                            \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

struct bag {
	uint32_t small;
	float *sum;
	char text[12];
};

__global__ void add(float *sum, uint64_t scalar, struct bag bag, uint64_t *seen)
{
	unsafeAtomicAdd(sum, 1.0f);
	unsafeAtomicAdd(bag.sum, 1.0f);
	if (threadIdx.x == 0) {
		*seen = scalar + bag.small + bag.text[3];
	}
}

/* Text of 8 bytes that is nowhere in the program's file: "1SECRET" as it comes, turned around. */
static uint64_t word(char first)
{
	char text[8] = { first, 'T', 'E', 'R', 'C', 'E', 'S', '1' }, turned[8];
	uint64_t value;

	for (int i = 0; i < 8; i++) {
		turned[i] = text[7 - i];
	}
	memcpy(&value, turned, sizeof(value));
	return value;
}

int main()
{
	float *managed, *bagged;
	uint64_t *seen, *host = (uint64_t *)malloc(65536);
	struct bag bag;
	uint64_t text = word('B');

	for (int i = 0; i < 8192; i++) {
		host[i] = word('M');
	}
	CHECK(hipMallocManaged((void **)&managed, 4096));
	CHECK(hipMallocManaged((void **)&bagged, 8192));
	CHECK(hipMalloc((void **)&seen, 65536));
	memset(managed, 0, 4096);
	memset(bagged, 0, 8192);
	CHECK(hipMemcpy(seen, host, 65536, hipMemcpyHostToDevice));
	text = word('F');
	CHECK(hipMemsetD32(seen, (int)text, 4)); /* "1SEC" */
	memset(&bag, 0, sizeof(bag));
	text = word('S') >> 32; /* "RETS" */
	memcpy(&bag.small, &text, 4);
	text = word('B');
	memcpy(bag.text, &text, 8);
	memcpy(bag.text + 8, &text, 4);
	bag.sum = bagged;
	for (int i = 0; i < 3; i++) {
		add<<<1, 64>>>(managed, word('A'), bag, seen);
	}
	CHECK(hipDeviceSynchronize());
	puts("done");
	free(host);
	return 0;
}
