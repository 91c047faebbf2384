/* SPDX-License-Identifier: Apache-2.0 */
/* HG613: memory that was discarded. trace.h has the events: work() reads its first argument and
 * writes the second. */
#include "trace.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"

enum { SIZE = 0x10000, PTR = 0x100000, RESULT = 0x400000, STREAM = 0x77 };

static void begin(void)
{
	process("a", "");
	runtime(71400000, 1);
	device_of(0, "gfx942", 1);
	code();
	alloc(HG_API_hipMallocManaged, PTR, SIZE, 5);
	alloc(HG_API_hipMalloc, RESULT, SIZE, 6);
}

static void discard(uint64_t size)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_call,
			       .call = &(struct hg_ev_call){ .api = HG_API_hipMemDiscardBatchAsync,
							     .ptr = PTR,
							     .size = size,
							     .stream = STREAM,
							     .stack_id = 7,
							     .text = "" } });
}

static void fill(uint64_t dst)
{
	apply((struct hg_event){ .type = HG_EVENT_fill,
				 .fill = &(struct hg_ev_fill){ .api = HG_API_hipMemsetAsync,
							       .dst = dst,
							       .size = SIZE,
							       .rows = 1,
							       .depth = 1,
							       .stream = STREAM } });
}

static void prefetch(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = &(struct hg_ev_prefetch){
		.api = HG_API_hipMemPrefetchAsync, .ptr = PTR, .size = SIZE, .stream = STREAM } });
}

static bool is_found(void)
{
	const char *text = found();

	return strstr(text, "HG613") != NULL;
}

static void read_by_a_kernel(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	launch_on(0, STREAM, PTR, RESULT);
	assert_true(is_found());
	assert_int_equal(claim_confidence("HG613"), CONFIDENCE_LIKELY);
}

static void read_by_a_copy(void **state)
{
	(void)state;
	begin();
	discard(SIZE / 2);
	copy_on(STREAM, HG_API_hipMemcpyAsync, 3, RESULT, PTR + 0x1000, 0x1000);
	assert_true(is_found());
}

static void defined_again(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	fill(PTR);
	launch_on(0, STREAM, PTR, RESULT);
	discard(SIZE);
	prefetch();
	launch_on(0, STREAM, PTR, RESULT);
	discard(SIZE);
	launch_on(0, STREAM, RESULT, PTR); /* which writes it */
	launch_on(0, STREAM, PTR, RESULT);
	discard(SIZE);
	copy_on(STREAM, HG_API_hipMemcpyAsync, 3, PTR, RESULT, SIZE);
	launch_on(0, STREAM, PTR, RESULT);
	assert_false(is_found());
}

static void read_elsewhere(void **state)
{
	(void)state;
	begin();
	discard(SIZE / 2);
	launch_on(0, STREAM, PTR, RESULT); /* perhaps of the other half */
	copy_on(STREAM, HG_API_hipMemcpyAsync, 3, RESULT, PTR + SIZE / 2, 0x1000);
	assert_false(is_found());
}

/* The host may have written it; another stream may have read it before; a kernel nobody knows. */
static void what_happened_is_unknown(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	wait();
	launch_on(0, STREAM, PTR, RESULT);
	discard(SIZE);
	launch_on(0, STREAM + 1, PTR, RESULT);
	uses[0].access = 0;
	discard(SIZE);
	launch_on(0, STREAM, PTR, RESULT);
	assert_false(is_found());
}

/* The function of the driver interface. */
static void discarded_by_the_driver_interface(void **state)
{
	(void)state;
	begin();
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call =
				     &(struct hg_ev_call){ .api = HG_API_hipDrvMemDiscardBatchAsync,
							   .ptr = PTR,
							   .size = SIZE,
							   .stream = STREAM,
							   .stack_id = 7,
							   .text = "" } });
	launch_on(0, STREAM, PTR, RESULT);
	assert_true(is_found());
}

/* Other calls with such fields discard nothing. */
static void another_call(void **state)
{
	(void)state;
	begin();
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_madvise,
							       .ptr = PTR,
							       .size = SIZE,
							       .stream = STREAM,
							       .stack_id = 7,
							       .text = "" } });
	launch_on(0, STREAM, PTR, RESULT);
	assert_false(is_found());
}

/* The host waits in it, and may have written since. */
static void after_a_copy_that_waits(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	copy_on(STREAM, HG_API_hipMemcpy, 2, 0x900000, RESULT, 16);
	launch_on(0, STREAM, PTR, RESULT);
	assert_false(is_found());
}

/* ... but not in this one. */
static void after_a_copy_that_does_not_wait(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	copy_on(STREAM, HG_API_hipMemcpyAsync, 3, 0x900000, RESULT, 16);
	launch_on(0, STREAM, PTR, RESULT);
	assert_true(is_found());
}

/* Its arguments were not recorded. */
static void after_an_unknown_launch(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 1,
								   .args_id = 999,
								   .grid_x = 1,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .stream = STREAM } });
	launch_on(0, STREAM, PTR, RESULT);
	assert_false(is_found());
}

/* Right before and right behind it. */
static void other_memory_is_defined(void **state)
{
	(void)state;
	begin();
	discard(SIZE);
	fill(PTR - SIZE);
	fill(PTR + SIZE);
	launch_on(0, STREAM, PTR, RESULT);
	assert_true(is_found());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG613, read_by_a_kernel),
		FINDS(HG613, read_by_a_copy),
		SILENT(HG613, defined_again),
		SILENT(HG613, read_elsewhere),
		DOUBTS(HG613, what_happened_is_unknown),
		FINDS(HG613, discarded_by_the_driver_interface),
		SILENT(HG613, another_call),
		FINDS(HG613, other_memory_is_defined),
		SILENT(HG613, after_a_copy_that_waits),
		FINDS(HG613, after_a_copy_that_does_not_wait),
		DOUBTS(HG613, after_an_unknown_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
