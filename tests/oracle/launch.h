// SPDX-License-Identifier: Apache-2.0
/* Buffers and launches of the oracle's programs. */
#ifndef HIPGRAIN_TESTS_ORACLE_LAUNCH_H
#define HIPGRAIN_TESTS_ORACLE_LAUNCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 65536
#define BUFFERS      8

#define CHECK(call)                                                                    \
	do {                                                                           \
		hipError_t error_ = (call);                                            \
		if (error_ != hipSuccess) {                                            \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

struct buffers {
	char *address[4 * BUFFERS]; /* the first BUFFERS are used */
};

/*
 * New memory, the used of which is at addresses with the same upper half: kernels take it from
 * another's pointer. Where AMD's libraries put memory is up to the gaps of the address space.
 */
static struct buffers allocate()
{
	struct buffers all = {};
	uintptr_t upper = 0;
	int found = 0, kept = 0;

	for (char *&address : all.address) {
		CHECK(hipMalloc((void **)&address, BUFFER_BYTES));
		CHECK(hipMemset(address, 0, BUFFER_BYTES));
	}
	for (int i = 0; found < BUFFERS && i < 4 * BUFFERS; i++) {
		upper = (uintptr_t)all.address[i] >> 32;
		found = 0;
		for (char *address : all.address)
			found += (uintptr_t)address >> 32 == upper;
	}
	for (char *&address : all.address)
		if ((uintptr_t)address >> 32 == upper) {
			char *other = all.address[kept];
			all.address[kept++] = address;
			address = other;
		}
	return all;
}

/* On the middle of a buffer, so that offsets to both sides stay inside. */
template <class T> static T *buffer(int i)
{
	static struct buffers all = allocate();

	return (T *)(all.address[i] + BUFFER_BYTES / 2);
}

#define LAUNCH(threads, kernel, ...)                                                   \
	do {                                                                           \
		hipLaunchKernelGGL(kernel, dim3(2), dim3(threads), 0, 0, __VA_ARGS__); \
		CHECK(hipGetLastError());                                              \
		CHECK(hipDeviceSynchronize());                                         \
	} while (0)

static void put(void *to, const void *from, size_t size)
{
	CHECK(hipMemcpy(to, from, size, hipMemcpyHostToDevice));
}

#endif
