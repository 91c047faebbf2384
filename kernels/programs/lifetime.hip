// SPDX-License-Identifier: Apache-2.0
// Memory that is no longer there, or not that large.
//
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: freed
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG601 kernel=increment argument=0 api=hipMalloc at=@freed launches=1 confidence=proven
//
// hipgrain-run: freed_managed
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG601 kernel=increment argument=0 api=hipMallocManaged at=@freed_managed launches=1 confidence=proven
//
// A stale pointer that the kernel never follows does no harm.
// hipgrain-run: freed_unused
// hipgrain-stdout: lifetime: 64 of 64 right
// hipgrain-expect: none
//
// Freed, and the address is in use again: the pointer is to live memory.
// hipgrain-run: freed_reused
// hipgrain-stdout: lifetime: same address
// hipgrain-stdout: lifetime: 64 of 64 right
// hipgrain-expect: none
//
// What lies behind the end decides whether this faults or damages something else.
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: past_end
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: any
// hipgrain-expect: HG607 kernel=increment argument=0 api=hipMalloc at=@past_end launches=1 confidence=proven
//
// The runtime knows the size of its own memory and refuses what exceeds it.
// hipgrain-run: copy_too_long
// hipgrain-stdout: hipMemcpy: hipErrorInvalidValue
// hipgrain-expect: HG606 api=hipMalloc call=hipMemcpy at=@short_copy
//
// HIP 5.7 refuses hipMallocPitch on the software GPU as gfx942, which has no images there.
// hipgrain-run: row_too_many
// hipgrain-only: gfx90a
// hipgrain-stdout: hipMemcpy2D: hipErrorInvalidValue
// hipgrain-expect: HG606 api=hipMallocPitch call=hipMemcpy2D at=@short_rows
//
// hipgrain-run: read_too_long
// hipgrain-stdout: hipMemcpy: hipErrorInvalidValue
// hipgrain-expect: HG606 api=hipMalloc call=hipMemcpy at=@short_source
//
// hipgrain-run: fill_too_long
// hipgrain-stdout: hipMemset: hipErrorInvalidValue
// hipgrain-expect: HG606 api=hipMalloc call=hipMemset at=@short_fill
//
// It does not know the size of what malloc returned.
// hipgrain-run: copy_past_host
// hipgrain-stdout: hipMemcpy: hipSuccess
// hipgrain-expect: HG606 api=malloc call=hipMemcpy at=@short_host
// hipgrain-harmless: what lies behind is copied, but not used
//
// What was allocated before a fork is there after it; the child's GPU cannot reach it.
// hipgrain-run: forked
// hipgrain-stdout: lifetime: 0 of 1 right
// hipgrain-expect: HG209 kernel=increment argument=0 api=calloc at=@before_fork
//
// Everything in order.
// hipgrain-run: live
// hipgrain-stdout: lifetime: 64 of 64 right
// hipgrain-expect: none

#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

#define ELEMENTS 64
#define BYTES    4096

__global__ void increment(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

/* The first pointer is only there for a caller that still passes it. */
__global__ void increment_second(int *, int *numbers)
{
	numbers[threadIdx.x] += 1;
}

static void compare(const int *numbers, int expected)
{
	int host[ELEMENTS], right = 0;

	CHECK(hipMemcpy(host, numbers, sizeof(host), hipMemcpyDeviceToHost));
	for (int i = 0; i < ELEMENTS; i++) {
		right += host[i] == expected;
	}
	printf("lifetime: %d of %d right\n", right, ELEMENTS);
}

static int *zeroed()
{
	int *p;

	CHECK(hipMalloc(&p, BYTES));
	CHECK(hipMemset(p, 0, BYTES));
	return p;
}

/* Has the runtime allocate its memory for launches, which must not land in memory just freed. */
static void warm_up()
{
	int *p = zeroed();

	increment<<<1, ELEMENTS>>>(p);
	CHECK(hipDeviceSynchronize());
	CHECK(hipFree(p));
}

static void run_freed()
{
	int *p;

	warm_up();
	CHECK(hipMalloc(&p, BYTES)); // @freed
	CHECK(hipFree(p));
	increment<<<1, ELEMENTS>>>(p);
	CHECK(hipDeviceSynchronize());
	printf("lifetime: not noticed\n");
}

static void run_freed_managed()
{
	int *p;

	warm_up();
	CHECK(hipMallocManaged(&p, BYTES)); // @freed_managed
	CHECK(hipFree(p));
	increment<<<1, ELEMENTS>>>(p);
	CHECK(hipDeviceSynchronize());
	printf("lifetime: not noticed\n");
}

static void run_freed_unused()
{
	int *stale = zeroed(), *p = zeroed();

	CHECK(hipFree(stale));
	increment_second<<<1, ELEMENTS>>>(stale, p);
	CHECK(hipDeviceSynchronize());
	compare(p, 1);
	CHECK(hipFree(p));
}

static void run_freed_reused()
{
	int *p = zeroed(), *stale = p;

	CHECK(hipFree(p));
	p = zeroed();
	printf("lifetime: %s address\n", p == stale ? "same" : "another");
	increment<<<1, ELEMENTS>>>(p == stale ? stale : p);
	CHECK(hipDeviceSynchronize());
	compare(p, 1);
	CHECK(hipFree(p));
}

static void run_past_end()
{
	int *p;

	warm_up();
	CHECK(hipMalloc(&p, BYTES)); // @past_end
	increment<<<1, ELEMENTS>>>(p + BYTES / sizeof(*p) + ELEMENTS);
	CHECK(hipDeviceSynchronize());
	printf("lifetime: not noticed\n");
}

static void run_copy_too_long()
{
	static char host[2 * BYTES];
	char *p;

	CHECK(hipMalloc(&p, BYTES)); // @short_copy
	SHOW("hipMemcpy", hipMemcpy(p, host, sizeof(host), hipMemcpyHostToDevice));
}

static void run_row_too_many()
{
	static char host[101 * 1000];
	size_t pitch;
	char *p;

	CHECK(hipMallocPitch((void **)&p, &pitch, 1000, 100)); // @short_rows
	SHOW("hipMemcpy2D", hipMemcpy2D(p, pitch, host, 1000, 1000, 101, hipMemcpyHostToDevice));
}

static void run_read_too_long()
{
	static char host[2 * BYTES];
	char *p;

	CHECK(hipMalloc(&p, BYTES)); // @short_source
	SHOW("hipMemcpy", hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost));
}

static void run_fill_too_long()
{
	char *p;

	CHECK(hipMalloc(&p, BYTES)); // @short_fill
	SHOW("hipMemset", hipMemset(p, 0, 2 * BYTES));
}

static void run_copy_past_host()
{
	char *host = (char *)malloc(BYTES); // @short_host
	char *behind = (char *)malloc(2 * BYTES);
	char *p;

	memset(behind, 0, 2 * BYTES); /* so that there is something to read behind the end */
	CHECK(hipMalloc(&p, 2 * BYTES));
	SHOW("hipMemcpy", hipMemcpy(p, host, BYTES + 256, hipMemcpyHostToDevice));
	CHECK(hipFree(p));
	free(behind);
	free(host);
}

static void run_forked()
{
	int *p = (int *)calloc(16, BYTES); // @before_fork
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		increment<<<1, ELEMENTS>>>(p);
		_exit(hipDeviceSynchronize() != hipSuccess);
	}
	waitpid(child, &status, 0);
	printf("lifetime: %d of 1 right\n", status == 0);
	free(p);
}

static void run_live()
{
	int *p = zeroed();

	increment<<<1, ELEMENTS>>>(p);
	CHECK(hipDeviceSynchronize());
	compare(p, 1);
	CHECK(hipFree(p));
}

static const variant variants[] = {
	{ "freed", run_freed },
	{ "freed_managed", run_freed_managed },
	{ "freed_unused", run_freed_unused },
	{ "freed_reused", run_freed_reused },
	{ "past_end", run_past_end },
	{ "copy_too_long", run_copy_too_long },
	{ "fill_too_long", run_fill_too_long },
	{ "row_too_many", run_row_too_many },
	{ "read_too_long", run_read_too_long },
	{ "copy_past_host", run_copy_past_host },
	{ "forked", run_forked },
	{ "live", run_live },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
