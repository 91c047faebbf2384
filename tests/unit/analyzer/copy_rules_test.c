/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about copies: past the end (HG606), and of pageable memory (HG501). rules_world.h has the
 * trace and the kernel. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_stack.h"
#include "tracer/events/ev_sync.h"

static void copy(uint16_t api, uint64_t dst, uint64_t src, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = (uint16_t)api,
							       .dst = dst,
							       .src = src,
							       .size = size,
							       .rows = 1,
							       .kind = 4,
							       .stack_id = 9 } });
}

static void copies_past_the_end(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	alloc(HG_API_malloc, 0x40000, 0x2000, 0, 6);
	copy(HG_API_hipMemcpy, 0x10000, 0x40000, 0x1000);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpy, 0x10001, 0x40000, 0x1000);
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "1 bytes past its end"));
}

static void a_copy_that_was_refused(void **state)
{
	struct hg_ev_error fields = {
		.api = HG_API_hipMemcpy, .code = 1, .ptr = 0x10000, .size = 0x1000
	};
	struct hg_event refused = { .type = HG_EVENT_error, .error = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	apply(refused);
	assert_string_equal(found(), "");
	fields.size = 0x2000;
	apply(refused);
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "hipErrorInvalidValue"));
}

static void a_refused_copy_from_too_little(void **state)
{
	struct hg_ev_error fields = { .api = HG_API_hipMemcpy,
				      .code = 1,
				      .ptr = 0x40000,
				      .src = 0x10000,
				      .size = 0x1000,
				      .src_size = 0x1000 };
	struct hg_event refused = { .type = HG_EVENT_error, .error = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	apply(refused);
	assert_string_equal(found(), "");
	fields.src_size = 0x2000;
	apply(refused);
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "reads"));
}

/* One wrong size is one finding. */
static void a_refused_copy_too_long_for_both(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	alloc(HG_API_hipMalloc, 0x40000, 0x2000, 0, 5);
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){ .api = HG_API_hipMemcpy2D,
								 .code = 1,
								 .ptr = 0x40000,
								 .src = 0x10000,
								 .size = 0x3000,
								 .src_size = 0x3000 } });
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "writes 12288 bytes"));
	assert_non_null(strstr(finding(0)->message, "the memory that it reads is too small"));
	assert_non_null(strstr(finding(0)->fix, "at most 4096 bytes"));
}

static void rows_count_in_copies(void **state)
{
	struct hg_ev_copy fields = { .api = HG_API_hipMemcpy2D,
				     .dst = 0x10000,
				     .src = 0x40000,
				     .size = 64,
				     .rows = 16,
				     .kind = 4,
				     .dst_pitch = 256,
				     .src_pitch = 64 };
	struct hg_event event = { .type = HG_EVENT_copy, .copy = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 15 * 256 + 64, 0, 5);
	alloc(HG_API_malloc, 0x40000, 0x2000, 0, 6);
	apply(event);
	assert_string_equal(found(), "");
	fields.rows = 17;
	apply(event);
	assert_string_equal(found(), "HG606");
}

static void slices_count_in_copies_and_fills(void **state)
{
	struct hg_ev_copy fields = { .api = HG_API_hipMemcpy3D,
				     .dst = 0x10000,
				     .src = 0x40000,
				     .size = 64,
				     .rows = 4,
				     .dst_pitch = 64,
				     .src_pitch = 64,
				     .depth = 4,
				     .dst_slice = 0x400,
				     .src_slice = 0x100 };
	struct hg_event copy_event = { .type = HG_EVENT_copy, .copy = &fields };
	struct hg_event fill_event = { .type = HG_EVENT_fill,
				       .fill = &(struct hg_ev_fill){ .api = HG_API_hipMemset3D,
								     .dst = 0x10000,
								     .size = 64,
								     .rows = 4,
								     .pitch = 64,
								     .depth = 5,
								     .slice = 0x400,
								     .stack_id = 3 } };

	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 3 * 0x400 + 4 * 64, 0, 5);
	alloc(HG_API_malloc, 0x40000, 4 * 0x100, 0, 6);
	apply(copy_event);
	fields.rows = 0;
	fields.depth = 9;
	apply(copy_event);
	assert_string_equal(found(), "");
	apply(fill_event);
	fields.rows = 4;
	fields.depth = 5;
	apply(copy_event);
	assert_string_equal(found(), "HG606 HG606");
	assert_non_null(strstr(finding(1)->message, "writes"));
	assert_non_null(strstr(finding(1)->message, "the memory that it reads is too small"));
}

static void pageable_copies(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x1000000, 0x100000, 0, 5);
	alloc(HG_API_malloc, 0x4000000, 0x100000, 0, 6);
	alloc(HG_API_hipHostMalloc, 0x8000000, 0x100000, 0, 7);
	copy(HG_API_hipMemcpy, 0x1000000, 0x4000000, 0x100000);
	copy(HG_API_hipMemcpyAsync, 0x1000000, 0x4000000, 0xffff);
	copy(HG_API_hipMemcpyAsync, 0x1000000, 0x8000000, 0x100000);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpyAsync, 0x4000000, 0x1000000, 0x10000);
	assert_string_equal(found(), "HG501");
	assert_non_null(strstr(finding(0)->message, "copies 65536 bytes to pageable memory"));
	copy(HG_API_hipMemcpyAsync, 0x4000000, 0x1000000, 0x20000);
	copy(HG_API_hipMemcpyAsync, 0x4000000, 0x1000000, 0x18000);
	assert_string_equal(found(), "HG501");
	assert_int_equal(finding(0)->count, 3);
	assert_non_null(strstr(finding(0)->message, "copies up to 131072 bytes to pageable"));
	copy(HG_API_hipMemcpyPeerAsync, 0x4000000, 0x1000000, 0x10000);
	assert_string_equal(found(), "HG501 HG501");
	/* Of a graph: when it is copied is not known. */
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_null(strstr(finding(0)->message, "took"));
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpyAsync,
							       .dst = 0x1000000,
							       .src = 0x4000000,
							       .size = 0x10000,
							       .rows = 1,
							       .kind = 4,
							       .stack_id = 44,
							       .duration = 7000 } });
	assert_string_equal(found(), "HG501 HG501 HG501");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "this one took 7 us"));
	/* Registered now: pinned. */
	alloc(HG_API_hipHostRegister, 0x4000000, 0x100000, 0, 8);
	copy(HG_API_hipMemcpyAsync, 0x4000000, 0x1000000, 0x10000);
	assert_string_equal(found(), "HG407 HG501 HG501 HG501"); /* HG407: nobody waits for it */
	assert_int_equal(finding(1)->count, 1);
}

static void copy_in_stream(uint64_t duration)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpyAsync,
							       .dst = 0x4000000,
							       .src = 0x1000000,
							       .size = 0x10000,
							       .rows = 1,
							       .kind = 4,
							       .stream = 0x77,
							       .duration = duration,
							       .stack_id = 44 } });
}

static void wait_for(uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = &(struct hg_ev_sync){ .api = HG_API_hipStreamSynchronize,
							       .stream = stream,
							       .stack_id = 45 } });
}

static void memory_to_copy(void)
{
	device(0);
	alloc(HG_API_hipMalloc, 0x1000000, 0x100000, 0, 5);
	alloc(HG_API_malloc, 0x4000000, 0x100000, 0, 6);
}

/* Whoever waits for a copy before anything else wanted none that is asynchronous. */
static void pageable_copies_that_are_waited_for(void **state)
{
	(void)state;
	memory_to_copy();
	copy_in_stream(4000);
	wait_for(0x77);
	copy_in_stream(4000);
	/* Another thread's call, and what describes the next one. */
	tid_now++;
	wait_for(0x78);
	tid_now--;
	apply((struct hg_event){ .type = HG_EVENT_stack,
				 .stack = &(struct hg_ev_stack){ .stack_id = 45 } });
	apply((struct hg_event){
	    .type = HG_EVENT_sync,
	    .sync = &(struct hg_ev_sync){ .api = HG_API_hipDeviceSynchronize, .stack_id = 46 } });
	/* A quarter of the copy's time. */
	copy_in_stream(4000000);
	clock_ns += 900000;
	wait_for(0x77);
	assert_string_equal(found(), "");
}

static void pageable_copies_beside_other_work(void **state)
{
	(void)state;
	memory_to_copy();
	copy_in_stream(4000);
	wait_for(0x78);
	assert_string_equal(found(), "HG501");
	assert_int_equal(finding(0)->count, 1);
	copy_in_stream(4000);
	launch(1, 0x1000000, 0);
	wait_for(0x77);
	/* The host computes something. */
	copy_in_stream(4000);
	clock_ns += 200000;
	wait_for(0x77);
	assert_string_equal(found(), "HG501");
	assert_int_equal(finding(0)->count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG606, copies_past_the_end),
		FINDS(HG606, a_copy_that_was_refused),
		FINDS(HG606, a_refused_copy_from_too_little),
		FINDS(HG606, a_refused_copy_too_long_for_both),
		FINDS(HG606, rows_count_in_copies),
		FINDS(HG606, slices_count_in_copies_and_fills),
		FINDS(HG501, pageable_copies),
		SILENT(HG501, pageable_copies_that_are_waited_for),
		FINDS(HG501, pageable_copies_beside_other_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
