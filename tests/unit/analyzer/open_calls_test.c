/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests calls that did not return: files of them, damaged ones too, and what rules and the report
 * make of them.
 */
#include "order_world.h"
#include "bundle.h"
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/order/stuck_calls.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"

#include <signal.h>

/* ---- what follows from one ---- */

static void open_call(struct hg_open_call call)
{
	struct open_call open = { .call = call, .pid = 1 };

	apply((struct hg_event){ .type = HG_EVENT_OPEN_CALL, .open_call = &open });
}

static void open_copy(uint64_t to, uint64_t from, uint64_t size)
{
	open_call((struct hg_open_call){ .state = HG_API_hipMemcpy,
					 .ptr = to,
					 .src = from,
					 .size = size,
					 .rows = 1,
					 .depth = 1,
					 .stack_id = 7 });
}

static void a_copy_from_freed_memory(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	open_copy(Q, P, 0x100);
	assert_string_equal(found(), "HG601");
	assert_non_null(strstr(finding(0)->message, "the source of hipMemcpy"));
	assert_non_null(strstr(finding(0)->message, "did not return"));
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

static void a_fill_of_freed_memory(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	open_call((struct hg_open_call){
	    .state = HG_API_hipMemset, .ptr = P, .size = 4, .rows = 1, .depth = 1 });
	assert_string_equal(found(), "HG601");
}

static void memory_that_is_freed_meanwhile(void **state)
{
	(void)state;
	two_streams(0);
	open_copy(Q, P, 0x100);
	tid_now = 2;
	release(HG_API_hipFree, P, 0);
	assert_string_equal(found(), "");
}

static void memory_that_came_again(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	alloc(HG_API_hipMalloc, P, 0);
	open_copy(Q, P, 0x1000);
	assert_string_equal(found(), "");
}

static void a_copy_past_the_end(void **state)
{
	(void)state;
	two_streams(0);
	open_copy(Q, P, 0x1000);
	assert_string_equal(found(), "");
	open_copy(Q + 1, P, 0x1000);
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "1 bytes past its end; the call did not"));
}

static void a_fill_of_rows_past_the_end(void **state)
{
	struct hg_open_call call = { .state = HG_API_hipMemset2D,
				     .ptr = P,
				     .size = 16,
				     .rows = 4,
				     .depth = 1,
				     .ptr_pitch = 0x400 };

	(void)state;
	two_streams(0);
	open_call(call);
	assert_string_equal(found(), "");
	call.rows = 5;
	open_call(call);
	assert_string_equal(found(), "HG606");
	assert_non_null(strstr(finding(0)->message, "hipMemset2D writes 4112 bytes"));
}

/* What its arguments multiply to has more than 64 bits. */
static void a_fill_of_too_many_rows(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipMemset2D,
					 .ptr = P,
					 .size = 0x1000,
					 .rows = UINT64_C(1) << 52,
					 .depth = 1,
					 .ptr_pitch = 0x1000 });
	assert_string_equal(found(), "HG606");
}

static void a_call_that_is_no_transfer(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	open_call((struct hg_open_call){ .state = HG_API_hipFree, .ptr = P });
	open_call((struct hg_open_call){ .state = 65535, .ptr = P, .size = 0x9000, .rows = 1 });
	assert_string_equal(found(), "");
}

/* ---- the end in a call ---- */

/* The command has ended, by a signal or by none. */
static void end_of_recording(int signal)
{
	struct process *process = replay_process(&replay, 1);

	process->over = true;
	process->end_signal = signal;
}

static void a_copy_from_nowhere(void **state)
{
	(void)state;
	two_streams(0);
	open_copy(Q, 0x7000000, 0x100);
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG621");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "where no memory is known"));
}

static void a_copy_to_the_first_page(void **state)
{
	(void)state;
	two_streams(0);
	open_copy(0x10, P, 0x100);
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG621");
	assert_non_null(strstr(finding(0)->message, "its destination 0x10 is in the first page"));
}

static void a_copy_to_a_mapping(uint64_t protection, int signal)
{
	two_streams(0);
	alloc(HG_API_mmap, HOST, protection << 32 | 0x22);
	open_copy(HOST, P, 0x100);
	end_of_recording(signal);
}

static void a_copy_to_what_may_be_read_only(void **state)
{
	(void)state;
	a_copy_to_a_mapping(1, SIGSEGV);
	assert_string_equal(found(), "HG621");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message,
			       "destination 0x50000 is in memory that was mapped "
			       "without PROT_WRITE"));
}

static void a_copy_to_what_may_be_written(void **state)
{
	(void)state;
	a_copy_to_a_mapping(3, SIGSEGV);
	assert_string_equal(found(), "HG621");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

/* A release of an address without memory does nothing to it. */
static void no_memory_in_a_release(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipFree, .ptr = 0x7000000 });
	end_of_recording(SIGTERM);
	assert_string_equal(found(), "HG709");
}

static void crash_by(int signal)
{
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipMallocAsync, .size = 4096 });
	end_of_recording(signal);
	assert_string_equal(found(), "HG621");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

static void a_crash_in_a_call(void **state)
{
	(void)state;
	crash_by(SIGSEGV);
}

static void an_abort_in_a_call(void **state)
{
	(void)state;
	crash_by(SIGABRT);
}

/* ---- what the program holds no code for ---- */

enum { FIRST_CALL = 1, NO_GPU = 2, TARGET_REGIONS = 4 };

static const struct finding *ended;

/* Returns the message about a program with such code that ends in that call. */
static const char *ends_in(uint16_t api, const char *target, int signal, unsigned how)
{
	const char *const targets[] = { target, NULL };
	char *path = bundle(targets);
	struct process *ends = replay_process(&replay, 1);

	g_free(ends->exe);
	ends->exe = path;
	if (how & (FIRST_CALL | NO_GPU)) {
		g_ptr_array_set_size(ends->devices, 0);
		ends->device_count = how & NO_GPU ? 0 : -1;
	}
	ends->target_regions = how & TARGET_REGIONS;
	open_call((struct hg_open_call){ .state = api, .size = 4096 });
	end_of_recording(signal);
	if (!signal)
		ends->ended = HG_ENDED_NOT;
	found();
	g_unlink(path);
	/* HG902 may be found as well. */
	for (unsigned i = 0; i < findings.list->len; i++) {
		ended = findings.list->pdata[i];
		if (ended->rule == &rules[RULE_HG621] || ended->rule == &rules[RULE_HG709])
			return ended->message;
	}
	fail_msg("nothing is found");
	return "";
}

static void a_launch_without_code(void **state)
{
	const char *message = ends_in(HG_API_hipLaunchKernel, "gfx906", SIGSEGV, 0);

	(void)state;
	assert_non_null(strstr(message, "ended in hipLaunchKernel"));
	assert_non_null(strstr(message, "has device code for gfx906, and device 0 is gfx90a"));
	assert_non_null(strstr(ended->fix, "--offload-arch=gfx90a"));
}

static void a_launch_that_vanished_without_code(void **state)
{
	(void)state;
	assert_non_null(strstr(ends_in(HG_API_hipLaunchKernel, "gfx906", 0, 0), "device code"));
}

static void a_launch_with_code(void **state)
{
	(void)state;
	assert_null(strstr(ends_in(HG_API_hipLaunchKernel, "gfx90a", SIGSEGV, 0), "device code"));
}

/* What cannot be read tells nothing. */
static void a_launch_of_a_program_that_is_gone(void **state)
{
	struct process *ends = replay_process(&replay, 1);

	(void)state;
	g_free(ends->exe);
	ends->exe = g_strdup("/nonexistent");
	open_call((struct hg_open_call){ .state = HG_API_hipLaunchKernel });
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG621");
	assert_null(strstr(finding(0)->message, "device code"));
}

static void an_aborted_launch(void **state)
{
	(void)state;
	assert_null(strstr(ends_in(HG_API_hipLaunchKernel, "gfx906", SIGABRT, 0), "device code"));
}

static void another_call_without_code(void **state)
{
	(void)state;
	assert_null(strstr(ends_in(HG_API_hipMallocAsync, "gfx906", SIGSEGV, 0), "device code"));
}

static void a_program_with_target_regions(void **state)
{
	(void)state;
	assert_null(strstr(ends_in(HG_API_hipLaunchKernel, "gfx906", SIGSEGV, TARGET_REGIONS),
			   "device code"));
}

static void a_first_call_without_code(void **state)
{
	(void)state;
	assert_non_null(strstr(ends_in(HG_API_hipMallocAsync, "gfx906", SIGABRT, FIRST_CALL),
			       "in its first call, hipMallocAsync"));
}

static void a_crash_in_a_first_call(void **state)
{
	(void)state;
	assert_null(
	    strstr(ends_in(HG_API_hipMallocAsync, "gfx906", SIGSEGV, FIRST_CALL), "device code"));
}

static void a_launch_without_a_gpu(void **state)
{
	const char *message = ends_in(HG_API_hipLaunchKernel, "gfx906", SIGSEGV, NO_GPU);

	(void)state;
	assert_non_null(strstr(message, "after HIP had found no GPU"));
	assert_null(strstr(message, "device code"));
}

/* Either thread may have crashed. */
static void a_crash_with_two_calls(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipMallocAsync, .size = 4096 });
	tid_now = 2;
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG709 HG709");
}

static void an_end_while_waiting(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(SIGINT);
	assert_string_equal(found(), "HG709");
	assert_non_null(strstr(finding(0)->message, "may wait for is writer"));
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

/* Its machine code is not known. */
static void an_end_while_waiting_for_cxx(void **state)
{
	(void)state;
	two_streams(0);
	kernel_event(50, "_Z3addPf");
	launch(50, A, P);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(SIGINT);
	assert_string_equal(found(), "HG709");
	assert_non_null(strstr(finding(0)->message, "may wait for is add(float*)"));
	assert_string_equal(finding(0)->kernel, "add(float*)");
	assert_string_equal(finding(0)->kernel_symbol, "_Z3addPf");
}

/* The command goes on and ends well; the process did not. */
static void a_process_that_vanished(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipMallocAsync, .size = 4096 });
	end_of_recording(0);
	replay_process(&replay, 1)->ended = HG_ENDED_NOT;
	assert_string_equal(found(), "HG709");
	assert_non_null(strstr(finding(0)->message, "when the process ended"));
}

static void a_process_that_ended_well(void **state)
{
	struct open_call open = { .call = { .state = HG_API_hipDeviceSynchronize },
				  .pid = 1,
				  .ended = true };

	(void)state;
	two_streams(0);
	apply((struct hg_event){ .type = HG_EVENT_OPEN_CALL, .open_call = &open });
	end_of_recording(0);
	assert_string_equal(found(), "");
}

/* The process came to its end, if another one's did not. */
static void a_call_that_its_process_ended(void **state)
{
	struct open_call open = { .call = { .state = HG_API_hipDeviceSynchronize },
				  .pid = 1,
				  .ended = true };

	(void)state;
	two_streams(0);
	apply((struct hg_event){ .type = HG_EVENT_OPEN_CALL, .open_call = &open });
	end_of_recording(SIGINT);
	assert_string_equal(found(), "");
}

static void a_call_of_a_process_that_goes_on(void **state)
{
	(void)state;
	two_streams(0);
	pid_now = 2;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(SIGINT);
	assert_string_equal(found(), "");
}

/* A command that ends well may leave threads in calls. */
static void an_end_without_a_signal(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(0);
	assert_string_equal(found(), "");
}

static void a_recording_that_goes_on(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	replay_process(&replay, 1)->end_signal = SIGINT;
	assert_string_equal(found(), "");
}

static void a_crash_that_is_explained(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	open_copy(Q, P, 0x100);
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG601");
}

static void an_earlier_finding_does_not_explain(void **state)
{
	(void)state;
	two_streams(0);
	copy(HG_API_hipMemcpy, Q + 1, P, 0x1000, NULLS);
	open_call((struct hg_open_call){ .state = HG_API_hipMallocAsync, .size = 4096 });
	end_of_recording(SIGSEGV);
	assert_string_equal(found(), "HG606 HG621");
}

static void a_fault_explains(void **state)
{
	(void)state;
	two_streams(0);
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){
		.api = HG_API_gpu_memory_fault, .ptr = 0x7000000, .flags = 1, .text = "" } });
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	end_of_recording(SIGABRT);
	assert_string_equal(found(), "HG614");
}

/* ---- what it waits for ---- */

static const struct open_row *last_row(void)
{
	const GPtrArray *rows = open_calls_result(&findings);

	return rows->len ? rows->pdata[rows->len - 1] : NULL;
}

static uint32_t pending(unsigned index)
{
	const GArray *launches = last_row()->launches;

	return index < launches->len ? g_array_index(launches, struct open_launch, index).kernel_id
				     : 0;
}

static void launches_that_may_run(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(READER, A, P);
	sync_by(HG_API_hipStreamSynchronize, A);
	launch(WRITER, A, P);
	launch(WRITER, A, P);
	launch(UPDATER, B, Q);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	assert_int_equal(last_row()->launches->len, 2);
	assert_int_equal(pending(0), UPDATER);
	assert_int_equal(pending(1), WRITER);
	assert_int_equal(g_array_index(last_row()->launches, struct open_launch, 1).count, 2);
	open_call((struct hg_open_call){ .state = HG_API_hipStreamSynchronize, .stream = A });
	assert_int_equal(last_row()->launches->len, 1);
	assert_int_equal(pending(0), WRITER);
}

static void launches_before_an_event(void **state)
{
	(void)state;
	two_streams(NON_BLOCKING);
	launch(WRITER, A, P);
	event(HG_API_hipEventRecord, E, A, 0);
	launch(READER, A, P);
	launch(UPDATER, B, Q);
	open_call((struct hg_open_call){ .state = HG_API_hipEventSynchronize, .event = E });
	assert_int_equal(last_row()->launches->len, 1);
	assert_int_equal(pending(0), WRITER);
}

static void more_launches_than_are_remembered(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	for (unsigned i = 0; i < OPEN_LAUNCHES; i++)
		launch(READER, A, P);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	assert_int_equal(last_row()->launches->len, 1);
	assert_int_equal(pending(0), READER);
	assert_true(last_row()->more);
}

static void a_launch_that_does_not_return(void **state)
{
	(void)state;
	two_streams(0);
	launch(READER, A, P);
	launch(WRITER, A, P);
	open_call((struct hg_open_call){ .state = HG_API_hipLaunchKernel,
					 .kernel_id = WRITER,
					 .stack_id = 10 + WRITER,
					 .stream = A });
	assert_int_equal(last_row()->launches->len, 1);
	assert_int_equal(pending(0), READER);
}

static void a_launch_that_failed(void **state)
{
	(void)state;
	two_streams(0);
	launch(WRITER, A, P);
	failure(HG_API_hipLaunchKernel, 9, WRITER, 0);
	open_call((struct hg_open_call){ .state = HG_API_hipDeviceSynchronize });
	assert_int_equal(last_row()->launches->len, 0);
}

static void the_memory_as_it_was(void **state)
{
	(void)state;
	two_streams(0);
	open_call((struct hg_open_call){ .state = HG_API_hipFree, .ptr = P + 8 });
	release(HG_API_hipFree, P, 0);
	assert_int_equal(last_row()->to.kind, PLACE_ALLOCATION);
	assert_false(last_row()->to.freed);
	assert_int_equal(last_row()->to.offset, 8);
	assert_int_equal(last_row()->from.address, 0);
}

/* ---- files ---- */

#define SLOTS 8u

struct written {
	struct hg_open_calls head;
	struct hg_open_call calls[SLOTS];
};

static struct written good_file(void)
{
	struct written content = { .head = { .magic = HG_OPEN_CALLS_MAGIC,
					     .pid = 17,
					     .slots = SLOTS,
					     .slot_size = sizeof(struct hg_open_call),
					     .header_size = sizeof(struct hg_open_calls),
					     .without = 3,
					     .program = "app" } };

	content.calls[1] = (struct hg_open_call){
		.state = HG_API_hipMemcpy, .start = 200, .thread = 18, .ptr = 0x1000
	};
	content.calls[3] =
	    (struct hg_open_call){ .state = HG_API_hipFree, .start = 100, .thread = 17 };
	content.calls[4] = (struct hg_open_call){ .thread = 19, .start = 50 }; /* in none */
	return content;
}

static uint64_t without;

/* Returns the calls in a file of these bytes, to be freed. */
static GArray *read_bytes(const void *bytes, size_t size)
{
	char *path = g_build_filename(folder, "17-1", NULL);
	GArray *calls;

	g_file_set_contents(path, bytes, (gssize)size, NULL);
	calls = open_calls_read(folder, &without);
	g_unlink(path);
	g_free(path);
	return calls;
}

static guint count_in(const struct written *content)
{
	GArray *calls = read_bytes(content, sizeof(*content));
	guint count = calls->len;

	g_array_unref(calls);
	return count;
}

static void calls_by_time(void **state)
{
	const struct written content = good_file();
	GArray *calls = read_bytes(&content, sizeof(content));
	const struct open_call *first = &g_array_index(calls, struct open_call, 0);

	(void)state;
	assert_int_equal(calls->len, 2);
	assert_int_equal(without, 3);
	assert_int_equal(first[0].call.state, HG_API_hipFree);
	assert_int_equal(first[1].call.state, HG_API_hipMemcpy);
	assert_int_equal(first[1].call.thread, 18);
	assert_int_equal(first[1].pid, 17);
	assert_string_equal(first[1].program, "app");
	g_array_unref(calls);
}

/* A later version has longer slots and a longer header. */
static void a_longer_form(void **state)
{
	uint8_t bytes[256 + SLOTS * 192] = { 0 };
	struct written content = good_file();
	GArray *calls;

	(void)state;
	content.head.header_size = 256;
	content.head.slot_size = 192;
	memcpy(bytes, &content.head, sizeof(content.head));
	for (unsigned i = 0; i < SLOTS; i++)
		memcpy(bytes + 256 + i * 192, &content.calls[i], sizeof(content.calls[i]));
	calls = read_bytes(bytes, sizeof(bytes));
	assert_int_equal(calls->len, 2);
	g_array_unref(calls);
}

static void heads_that_are_wrong(void **state)
{
	struct written content = good_file();

	(void)state;
	content.head.magic++;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.head.pid = -1;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.head.slots = UINT32_MAX;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.head.slot_size = 8;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.head.header_size = UINT32_MAX;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.head.slots = 65536; /* more than there are */
	assert_int_equal(count_in(&content), 2);
}

static void calls_that_are_wrong(void **state)
{
	struct written content = good_file();

	(void)state;
	content.calls[1].thread = -4;
	content.calls[3].start = 0;
	assert_int_equal(count_in(&content), 0);
	content = good_file();
	content.calls[1].start = UINT64_MAX;
	content.calls[3].state = UINT64_MAX;
	assert_int_equal(count_in(&content), 0);
}

/* Rules can judge whatever is read. */
static void random_bytes(void **state)
{
	GRand *random = g_rand_new_with_seed(43);

	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	for (unsigned round = 0; round < 2000; round++) {
		struct written content = good_file();
		uint8_t *bytes = (uint8_t *)&content;
		gint size = g_rand_int_range(random, 0, sizeof(content) + 1);
		gint changes = g_rand_int_range(random, 0, 64);
		GArray *calls;

		for (gint i = 0; i < changes; i++)
			bytes[g_rand_int_range(random, round % 2 ? 0 : (int)sizeof(content.head),
					       sizeof(content))] = (uint8_t)g_rand_int(random);
		calls = read_bytes(bytes, round % 4 ? sizeof(content) : (size_t)size);
		for (guint i = 0; i < calls->len; i++)
			open_call(g_array_index(calls, struct open_call, i).call);
		g_array_unref(calls);
	}
	g_rand_free(random);
	found();
}

static void no_directory(void **state)
{
	GArray *calls = open_calls_read("/nonexistent", NULL);

	(void)state;
	assert_int_equal(calls->len, 0);
	g_array_unref(calls);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG621, a_copy_from_nowhere),
		FINDS(HG621, a_copy_to_the_first_page),
		FINDS(HG621, a_copy_to_what_may_be_read_only),
		FINDS(HG621, a_copy_to_what_may_be_written),
		FINDS(HG621, a_crash_in_a_call),
		FINDS(HG621, an_abort_in_a_call),
		FINDS(HG621, an_earlier_finding_does_not_explain),
		SILENT(HG621, no_memory_in_a_release),
		SILENT(HG621, a_crash_with_two_calls),
		SILENT(HG621, a_crash_that_is_explained),
		SILENT(HG621, a_fault_explains),
		SILENT(HG621, a_recording_that_goes_on),
		FINDS(HG709, an_end_while_waiting),
		TEST(an_end_while_waiting_for_cxx),
		SILENT(HG709, an_end_without_a_signal),
		SILENT(HG709, a_call_that_its_process_ended),
		SILENT(HG709, a_call_of_a_process_that_goes_on),
		FINDS(HG709, a_process_that_vanished),
		SILENT(HG709, a_process_that_ended_well),
		SILENT(HG709, a_recording_that_goes_on),
		FINDS(HG601, a_copy_from_freed_memory),
		FINDS(HG601, a_fill_of_freed_memory),
		SILENT(HG601, memory_that_is_freed_meanwhile),
		SILENT(HG601, memory_that_came_again),
		SILENT(HG601, a_call_that_is_no_transfer),
		FINDS(HG606, a_copy_past_the_end),
		FINDS(HG606, a_fill_of_rows_past_the_end),
		FINDS(HG606, a_fill_of_too_many_rows),
		SILENT(HG606, a_call_that_is_no_transfer),
		TEST(a_launch_without_code),
		TEST(a_launch_that_vanished_without_code),
		TEST(a_launch_with_code),
		TEST(a_launch_of_a_program_that_is_gone),
		TEST(an_aborted_launch),
		TEST(another_call_without_code),
		TEST(a_program_with_target_regions),
		TEST(a_first_call_without_code),
		TEST(a_crash_in_a_first_call),
		TEST(a_launch_without_a_gpu),
		TEST(launches_that_may_run),
		TEST(launches_before_an_event),
		TEST(more_launches_than_are_remembered),
		TEST(a_launch_that_does_not_return),
		TEST(a_launch_that_failed),
		TEST(the_memory_as_it_was),
		TEST(calls_by_time),
		TEST(a_longer_form),
		TEST(heads_that_are_wrong),
		TEST(calls_that_are_wrong),
		TEST(random_bytes),
		TEST(no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
