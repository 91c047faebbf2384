// SPDX-License-Identifier: Apache-2.0
// An array is scaled again and again on the GPU. With XNACK off managed memory stays where it is, with the
// host, and each launch reads and writes it over the interconnect.
//
// hipgrain-run: managed
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: HG218 kernel=scale argument=0 api=hipMallocManaged at=@managed launches=6 confidence=likely
//
// Pages move when they are used.
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: none
// hipgrain-silent: HG218
//
// hipgrain-run: prefetched
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: none
// hipgrain-silent: HG218
//
// hipgrain-run: device
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: none
//
// hipgrain-run: device_often
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: HG911 confidence=likely
//
// hipgrain-run: device_often
// hipgrain-env: HSA_XNACK=0
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: none
//
// hipgrain-run: managed_often
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: 262144 of 262144 right
// hipgrain-expect: none

#include "sample.h"

#include <vector>

#define COUNT (256 * 1024) /* floats: a megabyte */
#define ROUNDS 6
#define OFTEN 16

static int rounds = ROUNDS;

__global__ void scale(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		x[i] = 2 * x[i];
	}
}

static void scale_all(float *x)
{
	for (int round = 0; round < rounds; round++) {
		scale<<<COUNT / 256, 256>>>(x, COUNT);
	}
	CHECK(hipDeviceSynchronize());
}

static void print(const float *x)
{
	int right = 0;

	for (int i = 0; i < COUNT; i++) {
		right += x[i] == (1 << rounds) * (i % 7);
	}
	printf("%d of %d right\n", right, COUNT);
}

static void run_managed(bool prefetch)
{
	float *x;
	int device;

	CHECK(hipGetDevice(&device));
	CHECK(hipMallocManaged(&x, COUNT * sizeof(*x))); // @managed
	for (int i = 0; i < COUNT; i++) {
		x[i] = i % 7;
	}
	if (prefetch) {
		CHECK(hipMemPrefetchAsync(x, COUNT * sizeof(*x), device));
	}
	scale_all(x);
	print(x);
	CHECK(hipFree(x));
}

static void managed()
{
	run_managed(false);
}

static void prefetched()
{
	run_managed(true);
}

static void on_device()
{
	std::vector<float> host(COUNT);
	float *x;

	for (int i = 0; i < COUNT; i++) {
		host[i] = i % 7;
	}
	CHECK(hipMalloc(&x, COUNT * sizeof(*x)));
	CHECK(hipMemcpy(x, host.data(), COUNT * sizeof(*x), hipMemcpyHostToDevice));
	scale_all(x);
	CHECK(hipMemcpy(host.data(), x, COUNT * sizeof(*x), hipMemcpyDeviceToHost));
	print(host.data());
	CHECK(hipFree(x));
}

static void often(void (*run)())
{
	rounds = OFTEN;
	run();
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "managed", managed },
		{ "prefetched", prefetched },
		{ "device", on_device },
		{ "device_often", [] { often(on_device); } },
		{ "managed_often", [] { often(managed); } },
	};

	return run_variant(variants, argc, argv);
}
