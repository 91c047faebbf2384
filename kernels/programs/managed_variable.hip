// SPDX-License-Identifier: Apache-2.0
// A __managed__ variable is managed memory that nobody allocated by a call: fine-grained all the same.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: plain
// hipgrain-stdout: managed variable: 0 expected 64
// hipgrain-expect: HG101 kernel=count argument=0 api=__hipRegisterManagedVar launches=1 confidence=proven
//
// hipgrain-run: advised
// hipgrain-stdout: managed variable: 64 expected 64
// hipgrain-expect: none
//
// The kernel names the variable: its symbol holds a pointer that the runtime put there.
// hipgrain-run: named
// hipgrain-stdout: managed variable: 0 expected 64
// hipgrain-expect: HG101 kernel=count_named api=__hipRegisterManagedVar launches=1 confidence=proven
//
// hipgrain-run: named_mended
// hipgrain-stdout: managed variable: 64 expected 64
// hipgrain-expect: none
//
// A struct with pointers, and a pointer to one.
// hipgrain-run: member
// hipgrain-stdout: managed variable: 0 expected 64
// hipgrain-expect: HG101 kernel=count_member api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: member_mended
// hipgrain-stdout: managed variable: 64 expected 64
// hipgrain-expect: none
//
// hipgrain-run: pointer
// hipgrain-stdout: managed variable: 0 expected 64
// hipgrain-expect: HG101 kernel=count_pointer api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: pointer_mended
// hipgrain-stdout: managed variable: 64 expected 64
// hipgrain-expect: none

#include "sample.h"

#define ITEMS 64

struct cell {
	float *unused, *sum;
};

__managed__ float total;
__managed__ cell filled;
__managed__ cell *first;

__global__ void count(float *sum)
{
	atomicAdd(sum, 1.0f);
}

__global__ void count_named()
{
	atomicAdd(&total, 1.0f);
}

__global__ void count_member()
{
	atomicAdd(filled.sum, 1.0f);
}

__global__ void count_pointer()
{
	atomicAdd(first->sum, 1.0f);
}

static void run()
{
	total = 0;
	count<<<1, ITEMS>>>(&total);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("managed variable: %g expected %d\n", total, ITEMS);
}

static void run_advised()
{
	CHECK(hipMemAdvise(&total, sizeof(total), hipMemAdviseSetCoarseGrain, 0));
	run();
}

static void run_kernel(void (*kernel)(), const float *sum)
{
	float result;

	kernel<<<1, ITEMS>>>();
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDefault));
	printf("managed variable: %g expected %d\n", result, ITEMS);
}

static void run_named(bool mended)
{
	if (mended) {
		CHECK(hipMemAdvise(&total, sizeof(total), hipMemAdviseSetCoarseGrain, 0));
	}
	total = 0;
	run_kernel(count_named, &total);
}

static float *sums(bool mended)
{
	float *sum;

	if (mended) {
		CHECK(hipMalloc(&sum, sizeof(*sum)));
		CHECK(hipMemset(sum, 0, sizeof(*sum)));
	} else {
		CHECK(hipMallocManaged(&sum, sizeof(*sum))); // @fine
		*sum = 0;
	}
	return sum;
}

static void run_member(bool mended)
{
	filled = { nullptr, sums(mended) };
	run_kernel(count_member, filled.sum);
}

static void run_pointer(bool mended)
{
	CHECK(hipMallocManaged(&first, sizeof(*first)));
	*first = { nullptr, sums(mended) };
	run_kernel(count_pointer, first->sum);
}

static const variant variants[] = {
	{ "plain", run },
	{ "advised", run_advised },
	{ "named", [] { run_named(false); } },
	{ "named_mended", [] { run_named(true); } },
	{ "member", [] { run_member(false); } },
	{ "member_mended", [] { run_member(true); } },
	{ "pointer", [] { run_pointer(false); } },
	{ "pointer_mended", [] { run_pointer(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
