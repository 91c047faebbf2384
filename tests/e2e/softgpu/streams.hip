// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels in streams: arithmetic, memset, copies between device buffers, order between streams,
 * callbacks between kernels, and hipStreamWaitValue, which is a kernel that spins until the host
 * or another queue writes. TAP on stdout.
 */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <vector>
#include "tap.h"

__global__ void vector_add(const float *a, const float *b, float *c, size_t n)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void scale_add(int *p, int n, int factor, int summand)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		p[i] = p[i] * factor + summand;
}

__global__ void spin(volatile int *flag, int *done)
{
	while (!*flag)
		;
	*done = 1;
}

/* n isn't a multiple of the work-group size: partial waves too. */
static void test_vector_add()
{
	const size_t n = 100003;
	std::vector<float> a(n), b(n), c(n);
	float *da, *db, *dc;
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		a[i] = (float)i * 0.5f;
		b[i] = (float)(n - i);
	}
	good = !hipMalloc((void **)&da, n * 4) && !hipMalloc((void **)&db, n * 4) &&
	       !hipMalloc((void **)&dc, n * 4) &&
	       !hipMemcpy(da, a.data(), n * 4, hipMemcpyHostToDevice) &&
	       !hipMemcpy(db, b.data(), n * 4, hipMemcpyHostToDevice);
	vector_add<<<(unsigned)((n + 255) / 256), 256>>>(da, db, dc, n);
	good = good && !hipMemcpy(c.data(), dc, n * 4, hipMemcpyDeviceToHost);
	for (size_t i = 0; i < n; i++)
		good = good && c[i] == a[i] + b[i];
	check(good, "vector addition of %zu elements", n);
	(void)hipFree(da);
	(void)hipFree(db);
	(void)hipFree(dc);
}

static void test_fill_and_copy()
{
	const size_t n = 1 << 18;
	std::vector<int> host(n);
	int *a, *b;
	bool good = !hipMalloc((void **)&a, n * 4) && !hipMalloc((void **)&b, n * 4);
	size_t wrong = 0;

	/* Unaligned starts, as libamdhip64 splits such fills into several. */
	good = good && !hipMemset(a, 0x5a, n * 4) && !hipMemsetD32(a + 17, 1234567, 1000) &&
	       !hipMemset((char *)a + 9, 1, 30);
	good = good && !hipMemcpy(b, a, n * 4, hipMemcpyDeviceToDevice) &&
	       !hipMemcpy(host.data(), b, n * 4, hipMemcpyDeviceToHost);
	for (size_t i = 0; i < n; i++) {
		int expected = i == 2		      ? 0x0101015a
			       : i > 2 && i < 9	      ? 0x01010101
			       : i == 9		      ? 0x5a010101
			       : i >= 17 && i < 1017 ? 1234567
						      : 0x5a5a5a5a;
		wrong += host[i] != expected;
	}
	check(good && !wrong, "memset, memsetD32 and device to device copy: %zu wrong", wrong);
	(void)hipFree(a);
	(void)hipFree(b);
}

static void test_order()
{
	const int streams = 6, n = 1000;
	hipStream_t stream[streams];
	hipEvent_t event;
	int *p, expected = 1;
	std::vector<int> host(n, 1);
	bool good = !hipMalloc((void **)&p, n * sizeof(int)) && !hipEventCreate(&event) &&
		    !hipMemcpy(p, host.data(), n * sizeof(int), hipMemcpyHostToDevice);

	for (int i = 0; i < streams; i++)
		good = good && !hipStreamCreate(&stream[i]);
	for (int i = 0; i < 30; i++) {
		hipStream_t s = stream[i % streams];
		if (i)
			good = good && !hipStreamWaitEvent(s, event, 0);
		scale_add<<<(n + 63) / 64, 64, 0, s>>>(p, n, 1 + i % 2, i);
		expected = expected * (1 + i % 2) + i;
		good = good && !hipEventRecord(event, s);
	}
	good = good && !hipDeviceSynchronize() &&
	       !hipMemcpy(host.data(), p, n * sizeof(int), hipMemcpyDeviceToHost);
	check(good && host[0] == expected && host[n - 1] == expected,
	      "30 kernels chained by events over %d streams: %d, expected %d", streams, host[0],
	      expected);
	for (int i = 0; i < streams; i++)
		(void)hipStreamDestroy(stream[i]);
	(void)hipFree(p);
}

static void callback(hipStream_t, hipError_t, void *data)
{
	int *p = (int *)data;
	p[0] = p[0] * 10 + 7; /* between the two kernels, or the result differs */
}

static void test_callback()
{
	hipStream_t stream;
	int *p;
	bool good = !hipStreamCreate(&stream) && !hipHostMalloc((void **)&p, 4, 0);

	*p = 1;
	scale_add<<<1, 64, 0, stream>>>(p, 1, 3, 0);
	good = good && !hipStreamAddCallback(stream, callback, p, 0);
	scale_add<<<1, 64, 0, stream>>>(p, 1, 2, 1);
	good = good && !hipStreamSynchronize(stream);
	check(good && *p == 75, "callback between two kernels: %d, expected 75", *p);
}

/* Spinning work must not keep anything else from running. */
static void test_spinning()
{
	hipStream_t waiting, other;
	uint32_t *signal;
	int *flag, *done;
	bool good = !hipStreamCreate(&waiting) && !hipStreamCreate(&other) &&
		    !hipExtMallocWithFlags((void **)&signal, 8, hipMallocSignalMemory) &&
		    !hipHostMalloc((void **)&flag, 8, 0);

	*(volatile uint64_t *)signal = 0;
	flag[0] = flag[1] = 0;
	done = flag + 1;
	good = good && !hipStreamWaitValue32(waiting, signal, 1, hipStreamWaitValueEq, 0xffffffff);
	scale_add<<<1, 64, 0, waiting>>>(done, 1, 1, 5);
	good = good && hipStreamQuery(waiting) == hipErrorNotReady && *(volatile int *)done == 0;
	good = good && !hipStreamWriteValue32(other, signal, 1, 0) && !hipDeviceSynchronize();
	check(good && *done == 5, "hipStreamWaitValue32 until another stream writes");

	*done = 0;
	spin<<<1, 1, 0, waiting>>>(flag, done);
	scale_add<<<1, 64, 0, other>>>(flag, 1, 1, 1);
	good = good && !hipDeviceSynchronize();
	check(good && *done == 1, "kernel that spins until another stream's kernel writes");

	*flag = *done = 0;
	spin<<<1, 1, 0, waiting>>>(flag, done);
	*(volatile int *)flag = 1;
	good = good && !hipDeviceSynchronize();
	check(good && *done == 1, "kernel that spins until the host writes");
}

int main()
{
	test_vector_add();
	test_fill_and_copy();
	test_order();
	test_callback();
	test_spinning();
	return tap_end();
}
