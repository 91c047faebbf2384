// SPDX-License-Identifier: Apache-2.0
// hipgrain-build: -std=c++17
// A program that says what it expects not to happen in its steps (hipgrain.h).
//
// Each step waits for its kernel.
// hipgrain-run: waits
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: HG710 call=hipDeviceSynchronize confidence=proven
//
// hipgrain-run: waits_after
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: none
//
// Each step allocates what it needs.
// hipgrain-run: allocates
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: HG710 call=hipMalloc api=hipMalloc at=@in_step confidence=proven
//
// hipgrain-run: allocates_before
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: none
//
// The GPU's first use of managed memory makes its pages migrate.
// hipgrain-run: migrates
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: HG710 call=hipgrain_expect_begin api=hipMallocManaged at=@managed confidence=proven
//
// hipgrain-run: prefetched
// hipgrain-env: HSA_XNACK=1
// hipgrain-env: SOFTGPU_MIGRATION=1
// hipgrain-stdout: expectations: 64 of 64 right
// hipgrain-expect: none

#include "../../include/hipgrain.h"
#include "sample.h"

#define ELEMENTS 64
#define STEPS    2

__global__ void increment(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

/* What the host has to see after the last step. */
static void compare(const int *numbers)
{
	int host[ELEMENTS], right = 0;

	CHECK(hipMemcpy(host, numbers, sizeof(host), hipMemcpyDefault));
	for (int number : host) {
		right += number == STEPS;
	}
	printf("expectations: %d of %d right\n", right, ELEMENTS);
}

static void wait(bool inside)
{
	int *numbers;

	CHECK(hipMalloc(&numbers, ELEMENTS * sizeof(*numbers)));
	CHECK(hipMemset(numbers, 0, ELEMENTS * sizeof(*numbers)));
	for (int step = 0; step < STEPS; step++) {
		hipgrain_expect_begin(HIPGRAIN_NO_WAIT, "step");
		increment<<<1, ELEMENTS>>>(numbers);
		if (inside) {
			CHECK(hipDeviceSynchronize());
		}
		hipgrain_expect_end();
	}
	CHECK(hipDeviceSynchronize());
	compare(numbers);
}

static void run_waits()
{
	wait(true);
}

static void run_waits_after()
{
	wait(false);
}

static int *allocated()
{
	int *numbers;

	CHECK(hipMalloc(&numbers, ELEMENTS * sizeof(*numbers))); // @in_step
	CHECK(hipMemset(numbers, 0, ELEMENTS * sizeof(*numbers)));
	return numbers;
}

static void allocate(bool inside)
{
	int *numbers = inside ? nullptr : allocated();

	for (int step = 0; step < STEPS; step++) {
		hipgrain_expect_begin(HIPGRAIN_NO_ALLOCATION, "step");
		if (!numbers) {
			numbers = allocated();
		}
		increment<<<1, ELEMENTS>>>(numbers);
		hipgrain_expect_end();
	}
	compare(numbers);
}

static void run_allocates()
{
	allocate(true);
}

static void run_allocates_before()
{
	allocate(false);
}

static void migrate(bool prefetch)
{
	int *numbers, device;

	CHECK(hipGetDevice(&device));
	CHECK(hipMallocManaged(&numbers, 2 << 20)); // @managed
	memset(numbers, 0, 2 << 20);
	if (prefetch) {
		CHECK(hipMemPrefetchAsync(numbers, 2 << 20, device));
		CHECK(hipDeviceSynchronize());
	}
	hipgrain_expect_begin(HIPGRAIN_NO_MIGRATION, "steps");
	for (int step = 0; step < STEPS; step++) {
		increment<<<1, ELEMENTS>>>(numbers);
	}
	CHECK(hipDeviceSynchronize());
	hipgrain_expect_end();
	compare(numbers);
}

static void run_migrates()
{
	migrate(false);
}

static void run_prefetched()
{
	migrate(true);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "waits", run_waits },
		{ "waits_after", run_waits_after },
		{ "allocates", run_allocates },
		{ "allocates_before", run_allocates_before },
		{ "migrates", run_migrates },
		{ "prefetched", run_prefetched },
	};

	return run_variant(variants, argc, argv);
}
