/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG408: pinned memory that the host changes while a copy may still read it. */
#include "order_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"

static void memory(void)
{
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, 0);
}

static void upload(void)
{
	copy(HG_API_hipMemcpyAsync, P, HOST, 0x100, A);
}

static void changed(uint64_t ptr, uint64_t size, uint64_t later)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_host_source_changed,
							       .ptr = ptr,
							       .size = size,
							       .flags = later,
							       .device = -1,
							       .text = "" } });
}

static void changed_before_the_wait(void **state)
{
	(void)state;
	memory();
	upload();
	changed(HOST, 0x100, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "HG408");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "copies 256 bytes from pinned memory"));
}

/* The recorder sees the change at the next copy, which has the new bytes. */
static void changed_before_the_next_copy(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++) {
		upload();
		if (i)
			changed(HOST, 0x100, 1);
	}
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "HG408");
	assert_int_equal(finding(0)->count, 3);
}

static void not_changed(void **state)
{
	(void)state;
	memory();
	for (unsigned i = 0; i < 4; i++)
		upload();
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void another_thread_has_waited(void **state)
{
	(void)state;
	memory();
	upload();
	tid_now = 2;
	sync_by(HG_API_hipStreamSynchronize, A);
	tid_now = 1;
	changed(HOST, 0x100, 0);
	assert_string_equal(found(), "");
}

static void a_release_has_waited(void **state)
{
	(void)state;
	memory();
	upload();
	release(HG_API_hipFree, Q, 0);
	changed(HOST, 0x100, 0);
	assert_string_equal(found(), "");
}

/* The first copy is complete, and the second one does not read the bytes that were changed. */
static void changed_between_wait_and_copy(void **state)
{
	(void)state;
	memory();
	upload();
	sync_by(HG_API_hipStreamSynchronize, A);
	upload();
	changed(HOST, 0x100, 1);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void a_copy_of_the_gpu_wrote_it(void **state)
{
	(void)state;
	memory();
	upload();
	copy(HG_API_hipMemcpyAsync, HOST, P, 0x100, A);
	changed(HOST, 0x100, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void a_kernel_wrote_it(void **state)
{
	(void)state;
	memory();
	upload();
	launch(WRITER, A, HOST);
	changed(HOST, 0x100, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void a_kernel_may_have_written_it(void **state)
{
	(void)state;
	memory();
	upload();
	launch(MAYBE, A, HOST);
	changed(HOST, 0x100, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void other_bytes(void **state)
{
	(void)state;
	memory();
	upload();
	changed(HOST + 0x200, 0x100, 0);
	sync_by(HG_API_hipStreamSynchronize, A);
	assert_string_equal(found(), "");
}

static void released_and_allocated_anew(void **state)
{
	(void)state;
	memory();
	upload();
	release(HG_API_hipHostFree, HOST, 0);
	alloc(HG_API_hipHostMalloc, HOST, 0);
	changed(HOST, 0x100, 0);
	assert_string_equal(found(), "");
}

static void the_order_is_not_known(void **state)
{
	(void)state;
	memory();
	call(HG_API_hipStreamWaitValue32, A);
	upload();
	changed(HOST, 0x100, 0);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG408, changed_before_the_wait),
		FINDS(HG408, changed_before_the_next_copy),
		SILENT(HG408, not_changed),
		SILENT(HG408, another_thread_has_waited),
		SILENT(HG408, a_release_has_waited),
		SILENT(HG408, changed_between_wait_and_copy),
		SILENT(HG408, a_copy_of_the_gpu_wrote_it),
		SILENT(HG408, a_kernel_wrote_it),
		SILENT(HG408, other_bytes),
		SILENT(HG408, released_and_allocated_anew),
		DOUBTS(HG408, a_kernel_may_have_written_it),
		DOUBTS(HG408, the_order_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
