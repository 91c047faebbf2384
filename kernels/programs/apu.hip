// SPDX-License-Identifier: Apache-2.0
// The host and the GPU take turns on one array: copied to and fro, or in one buffer that both use, as an
// APU lets them. As an MI300A the software GPU runs it in tests/samples/apu; here nothing is wrong.
//
// hipgrain-run: copies
// hipgrain-stdout: 65536 of 65536 right
// hipgrain-expect: none
//
// hipgrain-run: pinned
// hipgrain-stdout: 65536 of 65536 right
// hipgrain-expect: none
//
// hipgrain-run: one_buffer
// hipgrain-stdout: 65536 of 65536 right
// hipgrain-expect: none
//
// hipgrain-run: host_pointer
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=0
// hipgrain-stdout: 65536 of 65536 right
// hipgrain-expect: none

#include "sample.h"

#define COUNT (64 * 1024) /* ints */
#define BYTES (COUNT * sizeof(int))
#define ROUNDS 4

__global__ void twice(int *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	x[i] *= 2;
}

static void on_gpu(int *x)
{
	twice<<<COUNT / 256, 256>>>(x);
	CHECK(hipGetLastError());
}

static void on_host(int *x)
{
	for (int i = 0; i < COUNT; i++) {
		x[i] += i % 5;
	}
}

static void print(const int *x)
{
	int right = 0;

	for (int i = 0; i < COUNT; i++) {
		right += x[i] == ((1 << (ROUNDS + 1)) - 2) * (i % 5);
	}
	printf("%d of %d right\n", right, COUNT);
}

// Whatever the host's memory is.
static void run_copies(int *host)
{
	int *device;

	memset(host, 0, BYTES);
	CHECK(hipMalloc(&device, BYTES));
#pragma nounroll // one call site
	for (int round = 0; round < ROUNDS; round++) {
		on_host(host);
		CHECK(hipMemcpy(device, host, BYTES, hipMemcpyHostToDevice));
		on_gpu(device);
		CHECK(hipMemcpy(host, device, BYTES, hipMemcpyDeviceToHost));
	}
	print(host);
	CHECK(hipFree(device));
}

// Has both sides use the memory.
static void run_shared(int *x)
{
	memset(x, 0, BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		on_host(x);
		on_gpu(x);
		CHECK(hipDeviceSynchronize());
	}
	print(x);
}

static void copies()
{
	int *host = static_cast<int *>(malloc(BYTES));

	run_copies(host);
	free(host);
}

static void pinned()
{
	int *host;

	CHECK(hipHostMalloc(&host, BYTES));
	run_copies(host);
	CHECK(hipHostFree(host));
}

static void one_buffer()
{
	int *x;

	CHECK(hipMalloc(&x, BYTES));
	run_shared(x);
	CHECK(hipFree(x));
}

static void host_pointer()
{
	int *x = static_cast<int *>(malloc(BYTES));

	run_shared(x);
	free(x);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "copies", copies },
		{ "pinned", pinned },
		{ "one_buffer", one_buffer },
		{ "host_pointer", host_pointer },
	};

	return run_variant(variants, argc, argv);
}
