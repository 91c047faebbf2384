// SPDX-License-Identifier: Apache-2.0
// c = a + b in 8 chunks: copy, copy, kernel, copy for each. Only copies of pinned memory overlap with
// anything; with pageable memory the "asynchronous" copies are not.
//
// hipgrain-run: pinned_one
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: none
//
// hipgrain-run: pinned_depth
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: none
//
// hipgrain-run: pinned_breadth
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: none
//
// hipgrain-run: registered
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: none
//
// hipgrain-run: pageable
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: HG501 api=malloc at=@pageable_a
// hipgrain-expect: HG501 api=malloc at=@pageable_b
// hipgrain-expect: HG501 api=malloc at=@pageable_c
//
// Only the result is pageable.
// hipgrain-run: pageable_result
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: HG501 api=malloc at=@pageable_c
//
// Copies that wait anyway lose nothing.
// hipgrain-run: pageable_synchronous
// hipgrain-stdout: streams: 0 of 131072 wrong
// hipgrain-expect: none
//
// Small copies are staged at little cost.
// hipgrain-run: pageable_small
// hipgrain-stdout: streams: 0 of 8192 wrong
// hipgrain-expect: none

#include "sample.h"

#define CHUNKS         8
#define CHUNK_ELEMENTS 16384 /* 64 KiB */
#define SMALL_ELEMENTS 1024
#define GROUP_SIZE     256

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		c[i] = a[i] + b[i];
	}
}

/* Host arrays of the whole problem. */
struct arrays {
	float *a, *b, *c;
	size_t bytes;
};

/* A stream with the device's share of one chunk. */
struct lane {
	hipStream_t stream;
	float *a, *b, *c;
};

static arrays pinned(int n)
{
	arrays h = { nullptr, nullptr, nullptr, n * sizeof(float) };

	CHECK(hipHostMalloc(&h.a, h.bytes, hipHostMallocDefault));
	CHECK(hipHostMalloc(&h.b, h.bytes, hipHostMallocDefault));
	CHECK(hipHostMalloc(&h.c, h.bytes, hipHostMallocDefault));
	return h;
}

static arrays pageable(int n)
{
	arrays h = { nullptr, nullptr, nullptr, n * sizeof(float) };

	h.a = (float *)malloc(h.bytes); // @pageable_a
	h.b = (float *)malloc(h.bytes); // @pageable_b
	h.c = (float *)malloc(h.bytes); // @pageable_c
	return h;
}

static lane make_lane(int n)
{
	lane l;

	CHECK(hipStreamCreate(&l.stream));
	CHECK(hipMalloc(&l.a, n * sizeof(float)));
	CHECK(hipMalloc(&l.b, n * sizeof(float)));
	CHECK(hipMalloc(&l.c, n * sizeof(float)));
	return l;
}

static void to_device(const lane &l, const arrays &h, int chunk, int n)
{
	size_t bytes = n * sizeof(float);

	CHECK(hipMemcpyAsync(l.a, h.a + chunk * n, bytes, hipMemcpyHostToDevice, l.stream));
	CHECK(hipMemcpyAsync(l.b, h.b + chunk * n, bytes, hipMemcpyHostToDevice, l.stream));
}

static void compute(const lane &l, int n)
{
	add<<<n / GROUP_SIZE, GROUP_SIZE, 0, l.stream>>>(l.a, l.b, l.c, n);
	CHECK(hipGetLastError());
}

static void to_host(const lane &l, const arrays &h, int chunk, int n)
{
	CHECK(hipMemcpyAsync(h.c + chunk * n, l.c, n * sizeof(float), hipMemcpyDeviceToHost,
			     l.stream));
}

static void depth_first(const lane *lanes, int count, const arrays &h, int n)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		const lane &l = lanes[chunk % count];

		to_device(l, h, chunk, n);
		compute(l, n);
		to_host(l, h, chunk, n);
	}
}

static void breadth_first(const lane *lanes, int count, const arrays &h, int n)
{
	for (int chunk = 0; chunk < CHUNKS; chunk += count) {
		for (int i = 0; i < count; i++) {
			to_device(lanes[i], h, chunk + i, n);
		}
		for (int i = 0; i < count; i++) {
			compute(lanes[i], n);
		}
		for (int i = 0; i < count; i++) {
			to_host(lanes[i], h, chunk + i, n);
		}
	}
}

static void synchronous(const lane *lanes, int, const arrays &h, int n)
{
	const lane &l = lanes[0];
	size_t bytes = n * sizeof(float);

	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		CHECK(hipMemcpy(l.a, h.a + chunk * n, bytes, hipMemcpyHostToDevice));
		CHECK(hipMemcpy(l.b, h.b + chunk * n, bytes, hipMemcpyHostToDevice));
		compute(l, n);
		CHECK(hipStreamSynchronize(l.stream));
		CHECK(hipMemcpy(h.c + chunk * n, l.c, bytes, hipMemcpyDeviceToHost));
	}
}

typedef void (*order)(const lane *lanes, int count, const arrays &h, int n);

static void pipeline(const arrays &h, int lane_count, order issue)
{
	int total = (int)(h.bytes / sizeof(float)), n = total / CHUNKS, wrong = 0;
	lane lanes[2];

	for (int i = 0; i < total; i++) {
		h.a[i] = (float)i;
		h.b[i] = (float)(total - i);
	}
	for (int i = 0; i < lane_count; i++) {
		lanes[i] = make_lane(n);
	}
	issue(lanes, lane_count, h, n);
	for (int i = 0; i < lane_count; i++) {
		CHECK(hipStreamSynchronize(lanes[i].stream));
		CHECK(hipFree(lanes[i].a));
		CHECK(hipFree(lanes[i].b));
		CHECK(hipFree(lanes[i].c));
		CHECK(hipStreamDestroy(lanes[i].stream));
	}
	for (int i = 0; i < total; i++) {
		wrong += h.c[i] != (float)total;
	}
	printf("streams: %d of %d wrong\n", wrong, total);
}

static const int whole = CHUNKS * CHUNK_ELEMENTS;

static void run_pinned(int lanes, order issue)
{
	arrays h = pinned(whole);

	pipeline(h, lanes, issue);
	CHECK(hipHostFree(h.a));
	CHECK(hipHostFree(h.b));
	CHECK(hipHostFree(h.c));
}

static void run_pageable(int n, order issue)
{
	arrays h = pageable(n);

	pipeline(h, 2, issue);
	free(h.a);
	free(h.b);
	free(h.c);
}

static void run_registered()
{
	arrays h = pageable(whole);

	CHECK(hipHostRegister(h.a, h.bytes, hipHostRegisterDefault));
	CHECK(hipHostRegister(h.b, h.bytes, hipHostRegisterDefault));
	CHECK(hipHostRegister(h.c, h.bytes, hipHostRegisterDefault));
	pipeline(h, 2, depth_first);
	CHECK(hipHostUnregister(h.a));
	CHECK(hipHostUnregister(h.b));
	CHECK(hipHostUnregister(h.c));
	free(h.a);
	free(h.b);
	free(h.c);
}

static void run_pageable_result()
{
	arrays h = pinned(whole), result = pageable(whole);

	std::swap(h.c, result.c);
	pipeline(h, 2, depth_first);
	free(h.c);
	CHECK(hipHostFree(h.a));
	CHECK(hipHostFree(h.b));
	CHECK(hipHostFree(result.c));
	free(result.a);
	free(result.b);
}

static const variant variants[] = {
	{ "pinned_one", [] { run_pinned(1, depth_first); } },
	{ "pinned_depth", [] { run_pinned(2, depth_first); } },
	{ "pinned_breadth", [] { run_pinned(2, breadth_first); } },
	{ "registered", run_registered },
	{ "pageable", [] { run_pageable(whole, depth_first); } },
	{ "pageable_result", run_pageable_result },
	{ "pageable_synchronous", [] { run_pageable(whole, synchronous); } },
	{ "pageable_small", [] { run_pageable(CHUNKS * SMALL_ELEMENTS, depth_first); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
