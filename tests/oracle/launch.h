// SPDX-License-Identifier: Apache-2.0
/* Buffers and launches of the oracle's programs. */
#ifndef HIPGRAIN_TESTS_ORACLE_LAUNCH_H
#define HIPGRAIN_TESTS_ORACLE_LAUNCH_H

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

/* On the middle of a buffer, so that offsets to both sides stay inside. */
template <class T> static T *buffer(int i)
{
	static char *buffers[BUFFERS];

	if (!buffers[i]) {
		CHECK(hipMalloc((void **)&buffers[i], BUFFER_BYTES));
		CHECK(hipMemset(buffers[i], 0, BUFFER_BYTES));
	}
	return (T *)(buffers[i] + BUFFER_BYTES / 2);
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
