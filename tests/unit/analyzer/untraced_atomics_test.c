/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics whose address could not be followed (HG101, HG108, HG109), and kernels that were compiled
 * in several ways (HG110). gpu_world.h has the trace and the kernel.
 */
#include "analyzer/rules/engine/evidence.h"
#include "gpu_world.h"
#include "analyzer/rules/atomics/atomic_fixes.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_region.h"

/* ---- HG108, HG109, HG110 ---- */

static void compiled_by(const char *text, const char *sha256)
{
	char *file = g_build_filename(folder, sha256, NULL);

	g_file_set_contents(file, text, -1, NULL);
	g_free(file);
}

static void lose_track(void)
{
	atomic.origin.kind = ISA_ORIGIN_UNKNOWN;
	atomic.origin.why = (char *)"test";
	kernel.uses_complete = false;
	kernel.use_count = 0;
}

/* Arguments that nobody is seen to use are suspected; other fine-grained memory is not. */
static void an_update_that_was_lost_sight_of(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	compiled_by("AMD clang version 17.0.0 (x)", "abc");
	lose_track();
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	launch(1, 0x20000, 0);
	assert_string_equal(found(), "");
	launch(2, 0x10000, 0);
	assert_string_equal(found(), "HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding(0)->kernarg_offset, 0);
	assert_int_equal(finding(0)->address, 0x10000);
}

static void all_that_it_could_update_is_fine(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	lose_track();
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 8192, 1, 6);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->candidates->len, 2);
	assert_null(finding(0)->allocation);
}

static void an_argument_that_was_followed_is_not_suspected(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	lose_track();
	kernel.use_count = 1;
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

/* ... unless there is nothing else. */
static void an_argument_that_was_followed_is_all_there_is(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	lose_track();
	kernel.use_count = 1;
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* The first argument leads to a table of pointers. */
static void through_a_table(void)
{
	lose_track();
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	atomic.file = (char *)"add.hip";
	atomic.line = 7;
	kernel.incomplete = (char *)"global_atomic_add_f32 at address 0x40 goes through a pointer";
}

static void a_pointer_in_memory_to_fine_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	through_a_table();
	alloc(HG_API_hipMalloc, 0x10000, 4096, 0, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 4, 1, 6);
	alloc(HG_API_hipMallocManaged, 0x30000, 8, 1, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->candidates->len, 1);
	assert_true(finding(0)->met.several);
	assert_int_equal(finding(0)->address, 0x20000);
	/* One limit, with its place. */
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "global_atomic_add_f32 (add.hip:7)"));
}

static void a_pointer_in_memory_to_some_fine_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	through_a_table();
	alloc(HG_API_hipMallocManaged, 0x10000, 4096, 1, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 4, 1, 6);
	alloc(HG_API_hipMalloc, 0x30000, 4096, 0, 7);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding(0)->candidates->len, 1);
}

/* A table in managed memory with pointers to device memory is as it should be. */
static void a_pointer_in_memory_to_coarse_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	through_a_table();
	alloc(HG_API_hipMallocManaged, 0x10000, 4096, 1, 5);
	alloc(HG_API_hipMalloc, 0x30000, 4096, 0, 7);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

/* With XNACK on the pointer may lead to memory of malloc. */
static void a_pointer_in_memory_with_xnack(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	through_a_table();
	alloc(HG_API_hipMalloc, 0x30000, 4096, 0, 7);
	launch(1, 0x30000, 0);
	assert_string_equal(found(), "HG101");
	alloc(HG_API_hipMalloc, 0x40000, 4096, 0, 7);
	launch(2, 0x30000, 0);
	assert_string_equal(found(), "HG101 HG108");
}

/* LDS and the buffer that printf uses are the kernel's own business. */
static void memory_of_nobody_else(void **state)
{
	static uint32_t hidden = 24;

	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	through_a_table();
	atomic.origin.kernarg = &hidden;
	alloc(HG_API_hipMallocManaged, 0x10000, 4096, 1, 5);
	launch(1, 0x10000, 0);
	atomic.space = ISA_SPACE_LDS;
	launch(2, 0x10000, 0);
	atomic.space = ISA_SPACE_FLAT;
	atomic.origin.kind = ISA_ORIGIN_LDS;
	launch(3, 0x10000, 1);
	assert_string_equal(found(), "");
}

static void it_may_be_lds(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	through_a_table();
	atomic.space = ISA_SPACE_FLAT;
	kernel.uses_lds = ISA_YES;
	alloc(HG_API_hipMalloc, 0x10000, 4096, 0, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 4, 1, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG108");
}

/* A block of the heap that is too small to be recorded, reached with XNACK on. */
static void small_blocks_of_the_heap(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){ .kind = HG_REGION_HEAP,
								   .start = 0x900000,
								   .size = 0x10000 } });
	launch(1, 0x900100, 0);
	assert_string_equal(found(), "HG101");
	assert_null(finding(0)->allocation);
}

static void memory_that_was_not_recorded(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	launch(1, 0x7f0000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "was not recorded"));
}

static void by_the_compilers_default(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	compiled_by("..AMD clang version 21.0.0git..", "abc");
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding_source(finding(0))->clang, 21);
	assert_true(finding_source(finding(0))->amd);
	assert_non_null(strstr(finding(0)->fix, FIX_LOOP));
	lose_track();
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	launch(2, 0x10000, 0);
	assert_string_equal(found(), "HG101 HG109");
}

static void one_kernel_with_both_flags(void **state)
{
	struct hg_event code = { .type = HG_EVENT_code_object,
				 .code_object = &(struct hg_ev_code_object){ .code_object_id = 2,
									     .sha256 = "def",
									     .target = "gfx90a",
									     .path = "",
									     .problem = "" } };
	struct hg_event other = { .type = HG_EVENT_kernel,
				  .kernel = &(struct hg_ev_kernel){
				      .kernel_id = 1, .code_object_id = 2, .symbol = "_Z3addPf" } };

	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	compiled_by("x", "def");
	alloc(HG_API_hipMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	analyzed_name = "def";
	apply(code);
	apply(other);
	launch(2, 0x10000, 0);
	assert_string_equal(found(), ""); /* compiled alike */
	atomic.native = false;
	atomic.cas_loop = true;
	atomic.op = ISA_OP_CMPSWAP;
	atomic.loop_op = ISA_OP_ADD;
	launch(3, 0x10000, 0);
	assert_string_equal(found(), "HG107 HG110");
}

static int teardown_both(void **state)
{
	char *file = g_build_filename(folder, "def", NULL);

	analyzed_name = "abc";
	g_unlink(file);
	g_free(file);
	return teardown(state);
}

int main(void)
{
#undef CLAIM_TEARDOWN
#define CLAIM_TEARDOWN teardown_both
	const struct CMUnitTest tests[] = {
		FINDS(HG108, an_update_that_was_lost_sight_of),
		SILENT(HG108, an_argument_that_was_followed_is_not_suspected),
		SILENT(HG109, an_argument_that_was_followed_is_not_suspected),
		FINDS(HG101, all_that_it_could_update_is_fine),
		FINDS(HG101, an_argument_that_was_followed_is_all_there_is),
		FINDS(HG101, a_pointer_in_memory_to_fine_memory),
		FINDS(HG108, a_pointer_in_memory_to_some_fine_memory),
		SILENT(HG101, a_pointer_in_memory_to_coarse_memory),
		SILENT(HG108, a_pointer_in_memory_to_coarse_memory),
		FINDS(HG108, a_pointer_in_memory_with_xnack),
		SILENT(HG101, memory_of_nobody_else),
		SILENT(HG108, memory_of_nobody_else),
		FINDS(HG108, it_may_be_lds),
		FINDS(HG101, small_blocks_of_the_heap),
		SILENT(HG101, memory_that_was_not_recorded),
		FINDS(HG101, by_the_compilers_default),
		FINDS(HG109, by_the_compilers_default),
		FINDS(HG107, one_kernel_with_both_flags),
		FINDS(HG110, one_kernel_with_both_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
