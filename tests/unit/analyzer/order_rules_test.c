/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on order and on errors, on events written by hand: each rule's positive and negative
 * case, and what happens when evidence is missing. isa_analyze() is replaced by a table.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/isa.h"
#include "analyzer/rules/rules.h"

/* ---- the machine code: (pointer, pointer, int) ---- */

static struct isa_arg arguments[] = { { 0, 8, true, NULL, NULL },
				      { 8, 8, true, NULL, NULL },
				      { 16, 4, false, NULL, NULL } };

static struct isa_use writes_first[] = { { 0, ISA_WRITE, true } };
static struct isa_use reads_first[] = { { 0, ISA_READ, true } };
static struct isa_use updates_first[] = { { 0, ISA_READ | ISA_WRITE, true } };
static struct isa_use counts_first[] = { { 0, ISA_READ | ISA_ATOMIC, true } };
static struct isa_use maybe_writes[] = { { 0, ISA_WRITE, false } };
static struct isa_use copies[] = { { 0, ISA_WRITE, true }, { 8, ISA_READ, true } };

#define KERNEL(text, list)                                                                       \
	{                                                                                        \
		.symbol = (char *)text, .name = (char *)text, .args = arguments, .arg_count = 3, \
		.uses = list, .use_count = sizeof(list) / sizeof(*list), .uses_complete = true   \
	}
enum { WRITER = 1, READER, UPDATER, COUNTER, MAYBE, COPIER, KERNELS };
static struct isa_kernel kernels[] = {
	KERNEL("writer", writes_first),   KERNEL("reader", reads_first),
	KERNEL("updater", updates_first), KERNEL("counter", counts_first),
	KERNEL("maybe", maybe_writes),    KERNEL("copier", copies),
};
static struct isa_code_object object = { .arch = (char *)"gfx90a" };

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	(void)elf;
	(void)size;
	(void)options;
	(void)error;
	*out = &object;
	return 0;
}

void isa_code_object_free(struct isa_code_object *unused)
{
	(void)unused;
}

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *unused, const char *symbol)
{
	(void)unused;
	for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++) {
		if (strcmp(kernels[i].symbol, symbol) == 0) {
			return &kernels[i];
		}
	}
	return NULL;
}

/* ---- the trace ---- */

static struct replay replay;
static struct findings findings;
static struct rules_engine *engine;
static char *folder;
static int64_t clock_ns;
static uint32_t next_args;
static int32_t device_now, tid_now;

static void apply(struct hg_event event)
{
	event.pid = 1;
	event.tid = tid_now;
	event.ns = clock_ns++;
	rules_engine_before(engine, replay_process(&replay, 1), &event);
	rules_engine_event(engine, replay_apply(&replay, &event), &event);
}

static void runtime(int version, const char *variables)
{
	apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .process = {
		.page_size = 4096, .version = "", .exe = "", .cmdline = "", .env = variables } });
	apply(
	    (struct hg_event){ .type = HG_EVENT_runtime,
			       .runtime = { .path = "", .version = version, .device_count = 1 } });
	for (uint32_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
		apply((struct hg_event){ .type = HG_EVENT_kernel,
					 .kernel = { .kernel_id = i + 1,
						     .code_object_id = 1,
						     .symbol = kernels[i].symbol } });
	}
	apply((struct hg_event){ .type = HG_EVENT_code_object,
				 .code_object = { .code_object_id = 1,
						  .sha256 = "abc",
						  .target = "gfx90a",
						  .path = "",
						  .problem = "" } });
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = { .name = "", .arch = "gfx90a", .managed = 1, .fine_grain = 1 } });
}

static int setup(void **state)
{
	char *file;

	(void)state;
	clock_ns = 1000;
	next_args = 1;
	device_now = 0;
	tid_now = 1;
	folder = g_dir_make_tmp("hipgrain-order-XXXXXX", NULL);
	file = g_build_filename(folder, "abc", NULL);
	g_file_set_contents(file, "x", 1, NULL);
	g_free(file);
	replay_init(&replay);
	findings_init(&findings);
	engine = rules_engine_new(folder, &findings);
	for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++) {
		kernels[i].uses_complete = true;
	}
	runtime(50221153, "");
	return 0;
}

static int teardown(void **state)
{
	char *file = g_build_filename(folder, "abc", NULL);

	(void)state;
	rules_engine_free(engine);
	findings_destroy(&findings);
	replay_destroy(&replay);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return 0;
}

static void alloc(enum hg_api api, uint64_t ptr, uint64_t flags)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = { .api = (uint16_t)api,
					    .ptr = ptr,
					    .size = 0x1000,
					    .flags = flags,
					    .device = device_now,
					    .symbol = "",
					    .stack_id = 1 } });
}

static void release(enum hg_api api, uint64_t ptr, uint64_t stream)
{
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = { .api = (uint16_t)api, .ptr = ptr, .stream = stream, .stack_id = 2 } });
}

struct bytes {
	uint64_t first, second;
	int32_t scalar;
} __attribute__((packed));

static void launch_by(enum hg_api api, uint32_t kernel, uint64_t stream, struct bytes bytes)
{
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = { .args_id = next_args,
					   .kernel_id = kernel,
					   .bytes = (const uint8_t *)&bytes,
					   .length = sizeof(bytes) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = { .api = (uint16_t)api,
					     .kernel_id = kernel,
					     .args_id = next_args++,
					     .grid_x = 2,
					     .grid_y = 1,
					     .grid_z = 1,
					     .block_x = 64,
					     .block_y = 1,
					     .block_z = 1,
					     .device = device_now,
					     .stream = stream,
					     .stack_id = 10 + kernel } });
}

static void launch(uint32_t kernel, uint64_t stream, uint64_t first)
{
	launch_by(HG_API_hipLaunchKernel, kernel, stream, (struct bytes){ first, 0, 0 });
}

static void copy(enum hg_api api, uint64_t dst, uint64_t src, uint64_t size, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = { .api = (uint16_t)api,
					   .dst = dst,
					   .src = src,
					   .size = size,
					   .rows = 1,
					   .depth = 1,
					   .kind = 4,
					   .device = device_now,
					   .stream = stream,
					   .stack_id = 3 } });
}

static void fill(enum hg_api api, uint64_t dst, uint64_t size, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_fill,
				 .fill = { .api = (uint16_t)api,
					   .dst = dst,
					   .size = size,
					   .rows = 1,
					   .depth = 1,
					   .device = device_now,
					   .stream = stream,
					   .stack_id = 4 } });
}

static void stream(uint64_t handle, uint32_t flags)
{
	apply((struct hg_event){ .type = HG_EVENT_stream,
				 .stream = { .api = HG_API_hipStreamCreateWithFlags,
					     .stream = handle,
					     .flags = flags,
					     .device = device_now } });
}

static void event(enum hg_api api, uint64_t handle, uint64_t stream_handle, uint32_t flags)
{
	apply((struct hg_event){
	    .type = HG_EVENT_event,
	    .event = {
		.api = (uint16_t)api, .event = handle, .stream = stream_handle, .flags = flags } });
}

static void sync_by(enum hg_api api, uint64_t handle)
{
	bool is_event = api == HG_API_hipEventSynchronize || api == HG_API_hipEventQuery;

	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = { .api = (uint16_t)api,
					   .stream = is_event ? 0 : handle,
					   .event = is_event ? handle : 0,
					   .device = device_now,
					   .stack_id = 5 } });
}

static void failure(enum hg_api api, int code, uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = {
		.api = (uint16_t)api, .code = code, .ptr = ptr, .size = size, .stack_id = 6 } });
}

static void call(enum hg_api api, uint64_t stream_handle)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = { .api = (uint16_t)api, .stream = stream_handle, .text = "" } });
}

/* The rules' names in the order of the report, separated by blanks; static. */
static const char *found(void)
{
	static char text[256];

	rules_engine_finish(engine, &replay);
	text[0] = 0;
	for (unsigned i = 0; i < findings.list->len; i++) {
		const struct finding *finding = findings.list->pdata[i];

		g_strlcat(text, i ? " " : "", sizeof(text));
		g_strlcat(text, finding->rule->id, sizeof(text));
	}
	return text;
}

static enum confidence confidence(void)
{
	return ((const struct finding *)findings.list->pdata[0])->confidence;
}

#define A            0x100u /* streams */
#define B            0x200u
#define NULLS        0u
#define P            0x10000u /* memory */
#define Q            0x20000u
#define E            0x900u /* an event */

#define NON_BLOCKING 1u

static void two_streams(uint32_t flags)
{
	stream(A, flags);
	stream(B, flags);
	alloc(HG_API_hipMalloc, P, 0);
	alloc(HG_API_hipMalloc, Q, 0);
}

static void order_by_event(uint64_t from, uint64_t to)
{
	event(HG_API_hipEventCreate, E, 0, 0);
	event(HG_API_hipEventRecord, E, from, 0);
	event(HG_API_hipStreamWaitEvent, E, to, 0);
}

/* ---- HG701 ---- */

static void a_copy_does_not_wait_for_another_streams_kernel(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void races_are_not_claimed_where_events_are_missing(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	failure(HG_API_hipMalloc, 900, 0, 64);
	assert_non_null(strstr(found(), "HG701"));
	findings_drop_about_order(&findings);
	assert_string_equal(found(), "HG706"); /* for which nothing else matters */
	assert_int_equal(findings.limits->len, 1);
}

static void an_event_orders_the_copy(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	order_by_event(A, B);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void an_event_recorded_too_early_orders_nothing(void **state)
{
	(void)state;
	two_streams(0);
	order_by_event(A, B);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG701");
}

static void the_host_orders_whatever_thread_it_is(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	tid_now = 2;
	sync_by(HG_API_hipStreamSynchronize, A);
	tid_now = 1;
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void two_copies_meet_or_do_not(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x800, A);
	copy(HG_API_hipMemcpyAsync, P + 0x800, Q + 0x800, 0x800, B);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpyAsync, P + 0x7ff, Q + 0x800, 0x10, B);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void readers_do_not_disturb_each_other(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, P);
	launch(READER, B, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

/* Each stream works on its part of one array: chosen by the pointer, or by a number. */
static void parts_of_an_array_are_no_race(void **state)
{
	(void)state;
	two_streams(0);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t lane = i % 2 ? A : B;

		copy(HG_API_hipMemcpyAsync, P + 0x400 * i, Q + 0x400 * i, 0x400, lane);
		launch(UPDATER, lane, P + 0x400 * i);
		launch_by(HG_API_hipLaunchKernel, UPDATER, lane,
			  (struct bytes){ P, 0, 0x400 * (int)i });
		copy(HG_API_hipMemcpyAsync, Q + 0x400 * i, P + 0x400 * i, 0x400, lane);
	}
	assert_string_equal(found(), "");
}

static void the_same_kernel_on_the_same_memory_in_two_streams(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	launch(WRITER, B, P);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void two_kernels_from_the_same_pointer_are_possibly_a_race(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	launch(READER, B, P);
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

static void an_access_that_is_not_certain_is_none(void **state)
{
	(void)state;
	two_streams(0);
	launch(MAYBE, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void atomics_of_two_streams_meet_on_purpose(void **state)
{
	(void)state;
	two_streams(0);
	launch(COUNTER, A, P);
	launch(COUNTER, B, P);
	assert_string_equal(found(), "");
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B); /* perhaps to see how far it is */
	assert_string_equal(found(), "HG701");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

static void a_launch_that_failed_races_with_nothing(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x1000, B);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "HG707"); /* see there */
}

static void host_functions_and_waits_for_values_hide_the_order(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	call(HG_API_hipLaunchHostFunc, A);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_int_equal(findings.limits->len, 0);
	call(HG_API_hipStreamWaitValue32, A);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void launches_that_wait_are_in_order(void **state)
{
	(void)state;
	runtime(50221153, "HIP_LAUNCH_BLOCKING=1");
	two_streams(0);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

static void memory_that_is_allocated_anew_has_no_past(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	release(HG_API_hipFree, P, 0);
	alloc(HG_API_hipMalloc, P, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, B);
	assert_string_equal(found(), "");
}

/* ---- HG703, HG404 ---- */

static void a_non_blocking_stream_does_not_wait_for_the_null_stream(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, NULLS, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG703");
}

static void a_blocking_stream_waits_for_the_null_stream(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, NULLS, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	launch(UPDATER, NULLS, P);
	assert_string_equal(found(), "");
}

static void a_synchronous_copy_does_not_wait_for_a_non_blocking_stream(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	copy(HG_API_hipMemcpy, Q, P, 0x1000, NULLS);
	assert_string_equal(found(), "HG703");
}

static void a_synchronous_copy_to_the_device_is_complete(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, 0x30000, 0);
	copy(HG_API_hipMemcpy, P, 0x30000, 0x1000, NULLS);
	launch(READER, A, P);
	/* Memory that HIP does not know is staged, and that is waited for. */
	alloc(HG_API_malloc, 0x40000, 0);
	copy(HG_API_hipMemcpyAsync, Q, 0x40000, 0x1000, A);
	copy(HG_API_hipMemcpyAsync, P, Q, 0x1000, B);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void hipMemset_waits_until_hip_6(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	fill(HG_API_hipMemset, P, 0x1000, NULLS);
	launch(UPDATER, A, P);
	sync_by(HG_API_hipDeviceSynchronize, 0);
	assert_string_equal(found(), "");
}

static void hipMemset_does_not_wait_from_hip_6_on(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	fill(HG_API_hipMemset, P, 0x1000, NULLS);
	launch(UPDATER, A, P);
	assert_string_equal(found(), "HG404");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void a_copy_within_the_device_does_not_wait_from_hip_6_on(void **state)
{
	(void)state;
	runtime(60200000, "");
	two_streams(NON_BLOCKING);
	copy(HG_API_hipMemcpy, P, Q, 0x1000, NULLS);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	/* Both directions are one race each: Q was read, P was written. */
	assert_string_equal(found(), "HG404");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

/* ---- HG402, HG403, HG215 ---- */

#define HOST        0x50000u
#define OTHER_HOST  0x60000u
#define NONCOHERENT 0x80000000u

static void the_host_copies_what_the_gpu_still_writes(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG403");
}

static void the_host_copies_after_it_has_waited(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	sync_by(HG_API_hipStreamSynchronize, A);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "");
}

static void another_streams_wait_is_not_the_hosts(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	order_by_event(A, B);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG402");
}

static void fine_grained_memory_can_be_shared_on_purpose(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, 0);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, 0);
	launch(WRITER, A, HOST);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_string_equal(found(), "");
	/* A copy into it cannot be. */
	copy(HG_API_hipMemcpyAsync, HOST, P, 0x1000, B);
	copy(HG_API_hipMemcpy, OTHER_HOST, HOST, 0x1000, NULLS);
	assert_non_null(strstr(found(), "HG403"));
}

static void the_host_writes_what_a_kernel_still_reads(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	alloc(HG_API_hipHostMalloc, OTHER_HOST, NONCOHERENT);
	launch(READER, A, HOST);
	copy(HG_API_hipMemcpy, HOST, OTHER_HOST, 0x1000, NULLS);
	assert_string_equal(found(), "HG215");
}

/* ---- HG401 ---- */

static void fence(uint32_t flags, enum hg_api wait)
{
	two_streams(0);
	alloc(HG_API_hipHostMalloc, HOST, NONCOHERENT);
	launch(WRITER, A, HOST);
	event(HG_API_hipEventCreateWithFlags, E, 0, flags);
	event(HG_API_hipEventRecord, E, A, 0);
	sync_by(wait, wait == HG_API_hipEventSynchronize ? E : A);
	release(HG_API_hipHostFree, HOST, 0);
}

static void an_event_without_fence_does_not_show_results(void **state)
{
	(void)state;
	fence(0x20000000, HG_API_hipEventSynchronize);
	assert_string_equal(found(), "HG401");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void other_waits_show_results(void **state)
{
	(void)state;
	fence(0, HG_API_hipEventSynchronize);
	fence(0x20000000, HG_API_hipStreamSynchronize);
	assert_string_equal(found(), "");
}

/* ---- HG405 ---- */

static void a_wait_for_an_event_that_is_never_recorded(void **state)
{
	(void)state;
	event(HG_API_hipEventCreate, E, 0, 0);
	sync_by(HG_API_hipEventSynchronize, E);
	event(HG_API_hipEventDestroy, E, 0, 0);
	assert_string_equal(found(), "HG405");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_wait_before_the_record_and_none_after(void **state)
{
	(void)state;
	two_streams(0);
	event(HG_API_hipEventCreate, E, 0, 0);
	event(HG_API_hipStreamWaitEvent, E, B, 0);
	event(HG_API_hipEventRecord, E, A, 0);
	assert_string_equal(found(), "HG405");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void the_first_round_of_a_loop_waits_for_nothing(void **state)
{
	(void)state;
	two_streams(0);
	event(HG_API_hipEventCreate, E, 0, 0);
	for (int i = 0; i < 2; i++) {
		sync_by(HG_API_hipEventSynchronize, E);
		event(HG_API_hipEventRecord, E, A, 0);
	}
	assert_string_equal(found(), "");
}

static void events_that_others_can_record_are_not_judged(void **state)
{
	(void)state;
	two_streams(0);
	sync_by(HG_API_hipEventSynchronize, 0x777);         /* from before the recording */
	event(HG_API_hipEventCreateWithFlags, 0x778, 0, 4); /* another process' */
	sync_by(HG_API_hipEventSynchronize, 0x778);
	event(HG_API_hipEventCreate, E, 0, 0);
	launch_by(HG_API_hipExtLaunchKernel, WRITER, A, (struct bytes){ P, 0, 0 });
	sync_by(HG_API_hipEventSynchronize, E);
	assert_string_equal(found(), "");
}

/* ---- HG406 ---- */

static void second_device(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = { .ordinal = 1, .name = "", .arch = "gfx90a", .managed = 1 } });
}

static void atomics_of_two_devices_meet(void **state)
{
	(void)state;
	second_device();
	two_streams(0);
	launch(COUNTER, A, P);
	device_now = 1;
	stream(0x300, 0);
	launch(COUNTER, 0x300, P);
	assert_string_equal(found(), "HG406");
}

static void atomics_of_two_devices_one_after_the_other(void **state)
{
	(void)state;
	second_device();
	two_streams(0);
	launch(COUNTER, A, P);
	device_now = 1;
	stream(0x300, 0);
	order_by_event(A, 0x300);
	launch(COUNTER, 0x300, P);
	assert_string_equal(found(), "");
}

/* ---- HG602 ---- */

static void a_stream_frees_what_another_still_uses(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFreeAsync, HOST, A);
	assert_string_equal(found(), "HG602");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_stream_frees_what_it_waited_for(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	order_by_event(B, A);
	release(HG_API_hipFreeAsync, HOST, A);
	launch(READER, B, P);
	release(HG_API_hipFree, P, 0); /* waits */
	launch(READER, B, Q);
	release(HG_API_hipFreeAsync, Q, A); /* not a pool's: waits too */
	assert_string_equal(found(), "");
}

static void memory_of_the_system_is_freed_at_once(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_malloc, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_free, HOST, 0);
	assert_string_equal(found(), "HG209 HG602");
}

static void hipFree_of_a_pools_memory_waits_until_hip_7(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFree, HOST, 0);
	assert_string_equal(found(), "");
	runtime(70000000, "");
	two_streams(0);
	alloc(HG_API_hipMallocAsync, HOST, 0);
	launch(READER, B, HOST);
	release(HG_API_hipFree, HOST, 0);
	assert_string_equal(found(), "HG602");
}

/* ---- HG702, HG704, HG705 ---- */

static void alternate(unsigned rounds, uint32_t flags)
{
	two_streams(flags);
	for (unsigned i = 0; i < rounds; i++) {
		launch(READER, A, P);
		launch(READER, NULLS, P);
	}
}

static void the_null_stream_again_and_again(void **state)
{
	(void)state;
	alternate(16, 0);
	assert_string_equal(found(), "HG702");
}

static void the_null_stream_a_few_times_or_alone(void **state)
{
	(void)state;
	alternate(15, 0);
	alternate(100, NON_BLOCKING);
	assert_string_equal(found(), "");
}

static void wait_after_each(unsigned rounds, uint64_t memory)
{
	for (unsigned i = 0; i < rounds; i++) {
		launch(UPDATER, A, memory);
		sync_by(HG_API_hipDeviceSynchronize, 0);
	}
}

static void a_wait_after_each_launch(void **state)
{
	(void)state;
	two_streams(0);
	wait_after_each(65, P);
	assert_string_equal(found(), "HG704");
}

static void waits_that_may_be_needed(void **state)
{
	(void)state;
	two_streams(0);
	alloc(HG_API_hipMallocManaged, HOST, 1);
	wait_after_each(63, P);
	wait_after_each(100, HOST); /* the host can read it meanwhile */
	assert_string_equal(found(), "");
}

static void waits_for_nothing(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	for (int i = 0; i < 65; i++) {
		sync_by(HG_API_hipDeviceSynchronize, 0);
	}
	assert_string_equal(found(), "HG704");
}

/* One after the other is the way to wait for several. */
static void waits_for_one_stream_after_another(void **state)
{
	(void)state;
	two_streams(0);
	for (int i = 0; i < 100; i++) {
		copy(HG_API_hipMemcpyAsync, P, P + 0x800, 0x800, A);
		copy(HG_API_hipMemcpyAsync, Q, Q + 0x800, 0x800, B);
		sync_by(HG_API_hipStreamSynchronize, A);
		sync_by(HG_API_hipStreamSynchronize, B);
		tid_now = 1 + i % 2;
		sync_by(HG_API_hipDeviceSynchronize, 0); /* another thread's */
	}
	assert_string_equal(found(), "");
}

static void destroy(uint64_t handle)
{
	apply((struct hg_event){ .type = HG_EVENT_stream,
				 .stream = { .api = HG_API_hipStreamDestroy, .stream = handle } });
}

static void a_destroyed_stream_is_used(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	launch(READER, A, P);
	assert_string_equal(found(), "HG705");
}

static void a_destroyed_stream_is_waited_for(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	failure(HG_API_hipStreamSynchronize, 709, A, 0);
	assert_string_equal(found(), "HG705");
}

static void a_stream_has_the_handle_of_a_destroyed_one(void **state)
{
	(void)state;
	two_streams(0);
	destroy(A);
	stream(A, 0);
	launch(READER, A, P);
	launch(READER, 0x999, P); /* never seen: from before the recording */
	assert_string_equal(found(), "");
}

/* ---- HG706, HG707 ---- */

static void a_call_breaks_a_capture(void **state)
{
	(void)state;
	failure(HG_API_hipMalloc, 900, 0, 64);
	assert_string_equal(found(), "HG706");
}

static void the_result_of_a_failed_launch_is_copied(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "HG707");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_failed_launch_is_tried_again(void **state)
{
	(void)state;
	two_streams(0);
	launch(UPDATER, A, P);
	failure(HG_API_hipLaunchKernel, 9, UPDATER, 0);
	launch(UPDATER, A, P);
	copy(HG_API_hipMemcpyAsync, Q, P, 0x1000, A);
	assert_string_equal(found(), "");
}

static void the_destination_of_a_failed_copy_is_read(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
}

static void the_destination_of_a_failed_copy_is_written_first(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	fill(HG_API_hipMemsetAsync, P, 0x1000, A);
	launch(READER, A, P);
	/* Memory may have been written in a way that cannot be followed. */
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	kernels[COUNTER - 1].uses_complete = false;
	launch(COUNTER, A, Q);
	launch(READER, A, P);
	assert_string_equal(found(), "");
}

static void the_destination_of_a_failed_copy_held_something(void **state)
{
	(void)state;
	two_streams(0);
	fill(HG_API_hipMemsetAsync, P, 0x1000, A);
	failure(HG_API_hipMemcpy, 1, P, 0x1000);
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void a_failed_allocation_is_used_as_a_null_pointer(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipMalloc, 2, 0, 0x1000);
	launch(READER, A, P); /* something else goes on, and may */
	assert_string_equal(found(), "");
	launch(READER, A, 0);
	assert_string_equal(found(), "HG707");
}

static void a_null_pointer_without_a_failure_is_another_matter(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, 0);
	assert_string_equal(found(), "");
}

static void launches_after_an_illegal_address(void **state)
{
	(void)state;
	two_streams(0);
	failure(HG_API_hipDeviceSynchronize, 700, 0, 0);
	assert_string_equal(found(), "");
	launch(READER, A, P);
	assert_string_equal(found(), "HG707");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_copy_does_not_wait_for_another_streams_kernel),
		TEST(races_are_not_claimed_where_events_are_missing),
		TEST(an_event_orders_the_copy),
		TEST(an_event_recorded_too_early_orders_nothing),
		TEST(the_host_orders_whatever_thread_it_is),
		TEST(two_copies_meet_or_do_not),
		TEST(readers_do_not_disturb_each_other),
		TEST(parts_of_an_array_are_no_race),
		TEST(the_same_kernel_on_the_same_memory_in_two_streams),
		TEST(two_kernels_from_the_same_pointer_are_possibly_a_race),
		TEST(an_access_that_is_not_certain_is_none),
		TEST(atomics_of_two_streams_meet_on_purpose),
		TEST(a_launch_that_failed_races_with_nothing),
		TEST(host_functions_and_waits_for_values_hide_the_order),
		TEST(launches_that_wait_are_in_order),
		TEST(memory_that_is_allocated_anew_has_no_past),
		TEST(a_non_blocking_stream_does_not_wait_for_the_null_stream),
		TEST(a_blocking_stream_waits_for_the_null_stream),
		TEST(a_synchronous_copy_does_not_wait_for_a_non_blocking_stream),
		TEST(a_synchronous_copy_to_the_device_is_complete),
		TEST(hipMemset_waits_until_hip_6),
		TEST(hipMemset_does_not_wait_from_hip_6_on),
		TEST(a_copy_within_the_device_does_not_wait_from_hip_6_on),
		TEST(the_host_copies_what_the_gpu_still_writes),
		TEST(the_host_copies_after_it_has_waited),
		TEST(another_streams_wait_is_not_the_hosts),
		TEST(fine_grained_memory_can_be_shared_on_purpose),
		TEST(the_host_writes_what_a_kernel_still_reads),
		TEST(an_event_without_fence_does_not_show_results),
		TEST(other_waits_show_results),
		TEST(a_wait_for_an_event_that_is_never_recorded),
		TEST(a_wait_before_the_record_and_none_after),
		TEST(the_first_round_of_a_loop_waits_for_nothing),
		TEST(events_that_others_can_record_are_not_judged),
		TEST(atomics_of_two_devices_meet),
		TEST(atomics_of_two_devices_one_after_the_other),
		TEST(a_stream_frees_what_another_still_uses),
		TEST(a_stream_frees_what_it_waited_for),
		TEST(memory_of_the_system_is_freed_at_once),
		TEST(hipFree_of_a_pools_memory_waits_until_hip_7),
		TEST(the_null_stream_again_and_again),
		TEST(the_null_stream_a_few_times_or_alone),
		TEST(a_wait_after_each_launch),
		TEST(waits_that_may_be_needed),
		TEST(waits_for_nothing),
		TEST(waits_for_one_stream_after_another),
		TEST(a_destroyed_stream_is_used),
		TEST(a_destroyed_stream_is_waited_for),
		TEST(a_stream_has_the_handle_of_a_destroyed_one),
		TEST(a_call_breaks_a_capture),
		TEST(the_result_of_a_failed_launch_is_copied),
		TEST(a_failed_launch_is_tried_again),
		TEST(the_destination_of_a_failed_copy_is_read),
		TEST(the_destination_of_a_failed_copy_is_written_first),
		TEST(the_destination_of_a_failed_copy_held_something),
		TEST(a_failed_allocation_is_used_as_a_null_pointer),
		TEST(a_null_pointer_without_a_failure_is_another_matter),
		TEST(launches_after_an_illegal_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
