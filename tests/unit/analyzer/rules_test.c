/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules, on events and machine-code facts written by hand: each rule's positive and negative
 * case, and what happens when evidence is missing. rules_world.h has the trace and the kernel.
 */
#include "analyzer/unseen.h"
#include "analyzer/rules/atomics/atomic_fixes.h"
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_pointers_left_out.h"

/* ---- HG101, HG102, HG106, HG107 ---- */

static void lost_updates_are_found_and_counted(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10010, 0);
	launch(1, 0x10010, 0);
	launch(2, 0x10020, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 3);
	assert_int_equal(finding(0)->work_items, 128);
	assert_int_equal(finding(0)->offset, 0x10);
	assert_int_equal(finding(0)->argument, 0);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(findings.limits->len, 0);
}

static void a_library_that_calls_past_the_recorder_leaves_doubts(void **state)
{
	GPtrArray *unseen;

	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10010, 0);
	apply((struct hg_event){ .type = HG_EVENT_module,
				 .module = &(struct hg_ev_module){ .start = 0x7000000,
								   .size = 0x1000,
								   .path = "/opt/libplugin.so",
								   .build_id = "",
								   .past = "hipFree hipMalloc" } });
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	unseen = unseen_collect(&replay, &findings, false); /* why the recording is incomplete */
	assert_int_equal(unseen->len, 1);
	assert_non_null(strstr(unseen->pdata[0], "libplugin.so"));
	assert_non_null(strstr(unseen->pdata[0], "hipFree hipMalloc"));
	g_ptr_array_unref(unseen);
}

/* The same arguments as before: nothing about them is recorded again. */
static void launch_again(uint32_t args_id)
{
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = 1,
								   .args_id = args_id,
								   .grid_x = 2,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1 } });
}

static void the_same_arguments_on_other_memory(void **state)
{
	(void)state;
	device(0);
	launch(1, 0x10010, 0);
	launch_again(1);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch_again(1);
	launch_again(1);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 2);
}

static bool notes(const char *text)
{
	for (unsigned i = 0; i < findings.notes->len; i++)
		if (strstr(findings.notes->pdata[i], text))
			return true;
	return false;
}

static void not_searched(struct hg_ev_pointers_left_out numbers)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_pointers_left_out, .pointers_left_out = &numbers });
}

static void memory_that_was_not_searched(void **state)
{
	(void)state;
	device(0);
	not_searched((struct hg_ev_pointers_left_out){ .launches = 7, .untouched = 9 });
	found();
	assert_int_equal(findings.notes->len, 0); /* no launch needed it */
	replay_process(&replay, pid_now)->contents.missed = true;
	found();
	assert_true(notes("before 7 launches the memory"));
	assert_true(notes("and 9 not at all"));
	assert_false(notes("because its pages"));
	assert_false(notes("more than are kept"));
}

static void memory_that_was_searched_in_part(void **state)
{
	struct contents *contents;

	(void)state;
	device(0);
	not_searched((struct hg_ev_pointers_left_out){ .unreadable = 3, .copies = 4 });
	contents = &replay_process(&replay, pid_now)->contents;
	contents->missed = true;
	contents->left_out = 5;
	found();
	assert_true(notes("3 times memory was not searched"));
	assert_true(notes("4 copies from the host were searched"));
	assert_true(notes("5 pointers in memory are more than are kept"));
	assert_false(notes("launches"));
}

/* A launch whose words are hashes but for the first `kept` ones. */
static void launch_veiled(uint32_t length, uint8_t kept)
{
	uint64_t words[] = { 0x10010, 0x20010 };

	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = 1,
							       .kernel_id = 1,
							       .bytes = (const uint8_t *)words,
							       .length = length,
							       .kept = &kept,
							       .kept_length = 1 } });
	launch_again(1);
	found();
}

static void a_hashed_address(void **state)
{
	(void)state;
	use.kernarg = 8;
	launch_veiled(16, 3);
	assert_true(notes("only addresses in kernel arguments"));
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "the address at byte 8"));
}

static void hashes_that_are_no_address(void **state)
{
	(void)state;
	launch_veiled(16, 3); /* the kernel uses the first word */
	assert_true(notes("only addresses in kernel arguments"));
	assert_int_equal(findings.limits->len, 0);
}

static void a_hash_that_is_not_used(void **state)
{
	(void)state;
	use.kernarg = 8;
	use.access = 0;
	launch_veiled(16, 3);
	assert_int_equal(findings.limits->len, 0);
}

static void one_finding_for_each_allocation_site(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0, 6);
	alloc(HG_API_hipHostMalloc, 0x30000, 256, 0, 6);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	launch(3, 0x30000, 0);
	assert_string_equal(found(), "HG101 HG101");
	assert_int_equal(finding(1)->launches, 2);
}

static void coarse_memory_is_fine(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0x80000000, 6);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "");
}

static void the_other_argument_is_not_blamed(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0, 6);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

static void advice_moves_the_verdict(void **state)
{
	struct hg_ev_advise fields = {
		.api = HG_API_hipMemAdvise, .ptr = 0x10000, .size = 0x1000, .advice = 100
	};
	struct hg_event advise = { .type = HG_EVENT_advise, .advise = &fields };

	(void)state;
	device(0);
	alloc(HG_API_hipMallocManaged, 0x10000, 0x3000, 1, 5);
	apply(advise);
	launch(1, 0x10f00, 0); /* 128 floats reach the next page */
	assert_string_equal(found(), "HG102");
	fields.size = 0x3000;
	apply(advise);
	launch(1, 0x10f00, 0);
	assert_string_equal(found(), "HG102");
	assert_int_equal(finding(0)->launches, 1);
}

static void one_of_several_pointers_is_only_possible(void **state)
{
	(void)state;
	atomic.origin.kind = ISA_ORIGIN_SET;
	atomic.origin.kernarg_count = 2;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0, 6);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
	assert_int_equal(finding(0)->argument, 1);
	assert_non_null(strstr(finding(0)->message,
			       "this pinned host memory, one of several that it "
			       "may update, is fine-grained"));
}

/* The instruction and the memory are one, whichever of the arguments it goes through. */
static void several_pointers_into_one_allocation(void **state)
{
	(void)state;
	atomic.origin.kind = ISA_ORIGIN_SET;
	atomic.origin.kernarg_count = 2;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10010, 0x10080);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->launches, 1);
	assert_int_equal(finding(0)->kernarg_offset, -1);
	assert_string_equal(finding(0)->chain, "one of the arguments number 0 and number 1");
	assert_int_equal(finding(0)->met.first_offset, 0x10);
	assert_int_equal(finding(0)->met.last_offset, 0x80);
}

static void an_unknown_address_is_a_limit_and_not_proven(void **state)
{
	(void)state;
	atomic.origin.kind = ISA_ORIGIN_UNKNOWN;
	atomic.origin.why = (char *)"a callee that cannot be resolved";
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "a callee that cannot be resolved"));
}

static void code_that_was_not_captured_is_a_limit(void **state)
{
	(void)state;
	object.arch = NULL;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "not a code object"));
}

static void a_launch_that_failed_is_taken_back(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10000, 0);
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){ .api = HG_API_hipLaunchKernel, .code = 9, .ptr = 1 } });
	launch(1, 0x10000, 0);
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){
				     .api = HG_API_hipLaunchKernel, .code = 719, .ptr = 1 } });
	assert_string_equal(found(), "");
}

/* HIP 7.2 returns a GPU's fault from whatever is called at the time, also from the launch that led
 * to it. */
static void a_launch_during_which_the_gpu_stopped_is_not_taken_back(void **state)
{
	struct hg_event error = { .type = HG_EVENT_error,
				  .error = &(struct hg_ev_error){
				      .api = HG_API_hipLaunchKernel, .code = 700, .ptr = 1 } };

	(void)state;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10000, 0);
	apply(error);
	/* What is launched afterwards is refused. */
	launch(1, 0x10000, 0);
	apply(error);
	assert_string_equal(found(), "HG101 HG707");
	assert_int_equal(finding(0)->launches, 1);
}

static void loops_are_slow_where_the_instruction_exists(void **state)
{
	(void)state;
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.loop_op = ISA_OP_ADD;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0, 6);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG107 HG106");
	atomic.loop_op = ISA_OP_MAX; /* gfx90a has no f32 maximum: nothing to advise */
	alloc(HG_API_hipMalloc, 0x30000, 256, 0, 7);
	launch(3, 0x30000, 0);
	assert_string_equal(found(), "HG107 HG106");
}

/* Instructions add two numbers of 16 bits, and no more. */
static void loops_of_packed_maxima(void **state)
{
	(void)state;
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.loop_op = ISA_OP_MAX;
	atomic.type = ISA_TYPE_PK_F16;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
}

/* Each work-group of a kernel with LDS may reduce there, and one work-item updates the memory. */
static void a_loop_for_each_work_group(void **state)
{
	(void)state;
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.loop_op = ISA_OP_ADD;
	kernel.uses_lds = ISA_YES;
	grid_now = 4096;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	for (int i = 0; i < 15; i++)
		launch(1, 0x10000, 0);
	assert_false(finding_is_enough(finding(0)));
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG107");
	assert_true(finding_is_enough(finding(0)));
}

/* What would help an addition is of no use. */
/* Whether the fix names functions of this operation, "min", and none that add. */
static bool proposes(const struct finding *finding, const char *operation)
{
	char *text = atomic_instruction_text(finding_source(finding), NULL);
	char *lower = text ? g_ascii_strdown(text, -1) : NULL;
	bool right = lower && strstr(lower, operation) && !strstr(lower, "add(") &&
		     !strstr(lower, "atomicadd");

	g_free(lower);
	g_free(text);
	return right;
}

static void minimum_and_maximum_of_doubles(void **state)
{
	static const enum isa_op ops[] = { ISA_OP_MIN, ISA_OP_MAX, ISA_OP_MINMAX };

	(void)state;
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.type = ISA_TYPE_F64;
	device(0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t block = 0x10000 * (2 * i + 1);

		atomic.loop_op = ops[i];
		alloc(HG_API_hipMalloc, block, 256, 0, 5 + 2 * i);
		alloc(HG_API_hipHostMalloc, block + 0x10000, 256, 0, 6 + 2 * i);
		launch(1 + 2 * i, block, 0);
		launch(2 + 2 * i, block + 0x10000, 0);
	}
	assert_string_equal(found(), "HG107 HG106 HG107 HG106 HG107 HG106");
	for (unsigned i = 0; i < 6; i++) {
		assert_non_null(strstr(finding(i)->fix, FIX_INSTRUCTION));
		assert_true(proposes(finding(i), ops[i / 2] == ISA_OP_MAX ? "max" : "min"));
	}
}

static void locks_and_integers_are_not_fp_loops(void **state)
{
	(void)state;
	atomic.native = atomic.fp = false;
	atomic.lock = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.type = ISA_TYPE_I32;
	device(0);
	alloc(HG_API_hipHostMalloc, 0x20000, 256, 0, 6);
	launch(1, 0x20000, 0);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG101, the_same_arguments_on_other_memory),
		cmocka_unit_test_setup_teardown(memory_that_was_not_searched, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_that_was_searched_in_part, setup, teardown),
		cmocka_unit_test_setup_teardown(a_hashed_address, setup, teardown),
		cmocka_unit_test_setup_teardown(hashes_that_are_no_address, setup, teardown),
		cmocka_unit_test_setup_teardown(a_hash_that_is_not_used, setup, teardown),
		FINDS(HG101, lost_updates_are_found_and_counted),
		DOUBTS(HG101, a_library_that_calls_past_the_recorder_leaves_doubts),
		FINDS(HG101, one_finding_for_each_allocation_site),
		SILENT(HG101, coarse_memory_is_fine),
		SILENT(HG101, the_other_argument_is_not_blamed),
		FINDS(HG102, advice_moves_the_verdict),
		DOUBTS(HG101, one_of_several_pointers_is_only_possible),
		FINDS(HG101, several_pointers_into_one_allocation),
		DOUBTS(HG101, an_unknown_address_is_a_limit_and_not_proven),
		DOUBTS(HG102, an_unknown_address_is_a_limit_and_not_proven),
		DOUBTS(HG101, code_that_was_not_captured_is_a_limit),
		DOUBTS(HG106, code_that_was_not_captured_is_a_limit),
		DOUBTS(HG107, code_that_was_not_captured_is_a_limit),
		SILENT(HG101, a_launch_that_failed_is_taken_back),
		FINDS(HG101, a_launch_during_which_the_gpu_stopped_is_not_taken_back),
		FINDS(HG107, loops_are_slow_where_the_instruction_exists),
		FINDS(HG106, minimum_and_maximum_of_doubles),
		FINDS(HG107, a_loop_for_each_work_group),
		FINDS(HG107, minimum_and_maximum_of_doubles),
		SILENT(HG107, loops_of_packed_maxima),
		FINDS(HG106, loops_are_slow_where_the_instruction_exists),
		SILENT(HG106, locks_and_integers_are_not_fp_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
