// SPDX-License-Identifier: Apache-2.0
/*
 * Copies of every size class and kind of memory, streams, events and callbacks: what needs no
 * kernel. TAP on stdout.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

enum kind { PAGEABLE, PINNED, REGISTERED, MANAGED, KINDS };
static const char *const kinds[] = { "pageable", "pinned", "registered", "managed" };

static void *allocate(enum kind kind, size_t size)
{
	void *pointer = NULL;

	switch (kind) {
	case PINNED:
		return hipHostMalloc(&pointer, size, 0) ? NULL : pointer;
	case MANAGED:
		return hipMallocManaged(&pointer, size, hipMemAttachGlobal) ? NULL : pointer;
	case REGISTERED:
		pointer = malloc(size);
		return hipHostRegister(pointer, size, 0) ? NULL : pointer;
	default:
		return malloc(size);
	}
}

static bool release(enum kind kind, void *pointer)
{
	switch (kind) {
	case PINNED:
		return !hipHostFree(pointer);
	case MANAGED:
		return !hipFree(pointer);
	case REGISTERED:
		if (hipHostUnregister(pointer))
			return false;
		free(pointer);
		return true;
	default:
		free(pointer);
		return true;
	}
}

static void pattern(unsigned char *bytes, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)((i * 2654435761u >> 13) + seed);
}

static void test_there_and_back(enum kind kind, size_t size, hipStream_t stream)
{
	unsigned char *from = allocate(kind, size), *to = allocate(kind, size);
	unsigned char *device;
	bool good = from && to && !hipMalloc((void **)&device, size);

	if (!good) {
		check(false, "%s %zu: allocation", kinds[kind], size);
		return;
	}
	pattern(from, size, (unsigned)kind);
	memset(to, 0, size);
	if (stream)
		good = !hipMemcpyAsync(device, from, size, hipMemcpyHostToDevice, stream) &&
		       !hipMemcpyAsync(to, device, size, hipMemcpyDeviceToHost, stream) &&
		       !hipStreamSynchronize(stream);
	else
		good = !hipMemcpy(device, from, size, hipMemcpyHostToDevice) &&
		       !hipMemcpy(to, device, size, hipMemcpyDeviceToHost);
	check(good && !memcmp(from, to, size), "%s, %zu bytes%s", kinds[kind], size,
	      stream ? ", asynchronous" : "");
	check(!hipFree(device) && release(kind, from) && release(kind, to), "%s, %zu bytes: free",
	      kinds[kind], size);
}

static void test_rectangle(void)
{
	enum { WIDTH = 400, HEIGHT = 37 };
	static unsigned char from[HEIGHT][512], to[HEIGHT][640];
	unsigned char *device;
	size_t pitch;
	bool good = true;

	pattern(from[0], sizeof from, 9);
	if (hipMallocPitch((void **)&device, &pitch, WIDTH, HEIGHT) ||
	    hipMemcpy2D(device, pitch, from, sizeof *from, WIDTH, HEIGHT, hipMemcpyHostToDevice) ||
	    hipMemcpy2D(to, sizeof *to, device, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost)) {
		check(false, "hipMemcpy2D");
		return;
	}
	for (size_t row = 0; row < HEIGHT; row++)
		good = good && !memcmp(from[row], to[row], WIDTH) && !to[row][WIDTH];
	check(good, "hipMemcpy2D, pitch %zu", pitch);
	hipFree(device);
}

static int callbacks;

static void callback(hipStream_t stream, hipError_t status, void *data)
{
	(void)stream;
	if (!status)
		__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static void test_streams(void)
{
	enum { STREAMS = 6, ROUNDS = 20 };
	hipStream_t streams[STREAMS];
	hipEvent_t first, last;
	float milliseconds = -1;
	bool good = !hipEventCreate(&first) && !hipEventCreate(&last);

	for (unsigned i = 0; i < STREAMS; i++)
		good = good && !hipStreamCreate(&streams[i]);
	good = good && !hipEventRecord(first, streams[0]);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < STREAMS; i++) {
			hipStream_t next = streams[(i + 1) % STREAMS];
			good = good && !hipStreamAddCallback(streams[i], callback, &callbacks, 0) &&
			       !hipEventRecord(last, streams[i]) &&
			       !hipStreamWaitEvent(next, last, 0);
		}
	good = good && !hipDeviceSynchronize();
	check(good && callbacks == STREAMS * ROUNDS, "%d callbacks in %d streams", callbacks,
	      STREAMS);
	check(!hipEventElapsedTime(&milliseconds, first, last) && milliseconds > 0 &&
		  milliseconds < 60000,
	      "time between events %g ms", (double)milliseconds);
	for (unsigned i = 0; i < STREAMS; i++)
		good = good && !hipStreamDestroy(streams[i]);
	check(good, "hipStreamDestroy");
}

int main(void)
{
	static const size_t sizes[] = { 1, 64, 4096, 65536, 1 << 20, (8 << 20) + 3 };
	hipStream_t stream;

	check(!hipStreamCreate(&stream), "hipStreamCreate");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int kind = 0; kind < KINDS; kind++) {
			test_there_and_back((enum kind)kind, sizes[i], NULL);
			test_there_and_back((enum kind)kind, sizes[i], stream);
		}
	test_rectangle();
	test_streams();
	return tap_end();
}
