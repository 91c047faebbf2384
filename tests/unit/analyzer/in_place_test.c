/* SPDX-License-Identifier: Apache-2.0 */
/* HG218: managed memory that kernels use in place. */
#include "apu_world.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"

static void use_managed(uint64_t size, unsigned access)
{
	kernel.atomic_count = 0;
	use.access = access;
	alloc(HG_API_hipMallocManaged, 0x100000, size, 1, 5);
}

static void launches(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		launch(1, 0x100000, 0);
}

static void managed_memory_stays(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	launches(4);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	/* Streaming was measured on one of the two GPUs alone. */
	assert_non_null(strstr(finding(0)->message, "streaming 72 times slower on MI350X."));
	assert_null(strstr(finding(0)->message, "MI300X"));
	assert_true(g_str_has_prefix(finding(0)->fix, "allocate it with hipMalloc"));
	assert_true(g_str_has_prefix(finding(0)->doubts, "unknown how much of it"));
}

static void use_little(unsigned access)
{
	uint64_t words[] = { 0x100000, 0 };

	machine("gfx942", 0, 0);
	use_managed(4096, access);
	launches(4);
	for (unsigned i = 0; i < 4; i++) {
		apply((struct hg_event){ .type = HG_EVENT_args,
					 .args =
					     &(struct hg_ev_args){ .args_id = 2,
								   .kernel_id = 1,
								   .bytes = (const uint8_t *)words,
								   .length = sizeof(words) } });
		apply((struct hg_event){ .type = HG_EVENT_launch,
					 .launch =
					     &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								     .kernel_id = 1,
								     .args_id = 2,
								     .grid_x = 1024,
								     .grid_y = 1,
								     .grid_z = 1,
								     .block_x = 64,
								     .block_y = 1,
								     .block_z = 1 } });
	}
}

static void many_update_little(void **state)
{
	(void)state;
	use_little(ISA_ATOMIC);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->launches, 4);
	assert_non_null(strstr(finding(0)->message,
			       "atomics 100 times slower on MI300X, 1161 times on MI350X"));
}

static void many_read_little(void **state)
{
	(void)state;
	use_little(ISA_READ);
	assert_string_equal(found(), "");
}

/* A kernel uses one word in a large block. */
static void use_a_word(unsigned access)
{
	machine("gfx942", 0, 0);
	use_managed(4 * MIB, access);
	kernel.uses_complete = use.placed = true;
	use.first = 64;
	use.end = 72;
}

static void a_word_of_much(void **state)
{
	(void)state;
	use_a_word(ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

/* Where it may use more the size of the block decides. */
static void a_word_and_more(void **state)
{
	(void)state;
	use_a_word(ISA_READ);
	kernel.uses_complete = false;
	launches(4);
	assert_true(is_found("HG218"));
	assert_int_equal(finding(0)->figures[0].most, 4 * MIB);
}

static void what_is_used_is_counted(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(8 * MIB, ISA_READ);
	kernel.uses_complete = use.placed = true;
	use.first = 0;
	use.end = 2 * MIB;
	launches(4);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->figures[0].most, 2 * MIB);
	assert_string_equal(finding(0)->doubts,
			    "unknown whether the host uses it at the same time");
}

static void managed_memory_of_an_rdna_apu(void **state)
{
	(void)state;
	machine("gfx1103", 1, 0);
	use_managed(MIB, ISA_READ);
	launches(4);
	assert_string_equal(found(), "HG218");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->fix, "hipMemAdviseSetCoarseGrain"));
	assert_string_equal(finding(0)->doubts, "measured on one gfx1103");
}

static void seldom_or_little(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	launches(3);
	alloc(HG_API_hipMallocManaged, 0x400000, 4096, 1, 6);
	for (unsigned i = 0; i < 8; i++)
		launch(2, 0x400000, 0);
	assert_string_equal(found(), "");
}

static void pages_move(void **state)
{
	(void)state;
	machine("gfx942", 0, 1);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void an_mi300a(void **state)
{
	(void)state;
	machine("gfx942", 1, 0);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void memory_that_was_prefetched(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = &(struct hg_ev_prefetch){
		.api = HG_API_hipMemPrefetchAsync, .ptr = 0x100000, .size = MIB, .target = 0 } });
	launches(8);
	assert_string_equal(found(), "");
}

static void a_kernel_that_talks_to_the_host(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.system_release = ISA_YES;
	launches(8);
	assert_string_equal(found(), "");
}

/* Those that the compiler adds, for printf() or malloc() of a kernel, are no sign of it. */
static void atomics_of_system_scope(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = true;
	launches(8);
	assert_false(is_found("HG218"));
}

static void atomics_of_device_functions(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = true;
	atomic.runtime = true;
	launches(8);
	assert_true(is_found("HG218"));
}

static void atomics_of_agent_scope(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ | ISA_WRITE);
	kernel.atomic_count = 1;
	atomic.system_scope = false;
	launches(8);
	assert_true(is_found("HG218"));
}

static void advised(int32_t advice, int32_t target)
{
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = 0x100000,
								   .size = MIB,
								   .advice = advice,
								   .target = target } });
	launches(8);
	assert_false(is_found("HG218"));
}

static void memory_that_prefers_the_gpu(void **state)
{
	(void)state;
	advised(3, 0);
}

static void memory_that_prefers_the_host(void **state)
{
	(void)state;
	advised(3, -1);
}

static void memory_that_is_mapped_on_the_gpu(void **state)
{
	(void)state;
	advised(5, 0);
}

/* ---- the machine is not known ---- */

static void whether_pages_move(void **state)
{
	(void)state;
	machine("gfx942", 0, -1);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void whether_it_is_an_apu(void **state)
{
	(void)state;
	machine("gfx942", -1, 0);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void whether_it_is_an_rdna_apu(void **state)
{
	(void)state;
	machine("gfx1103", -1, 0);
	use_managed(MIB, ISA_READ);
	launches(8);
	assert_string_equal(found(), "");
}

static void what_the_kernel_uses(void **state)
{
	(void)state;
	machine("gfx942", 0, 0);
	use_managed(MIB, ISA_READ);
	use.certain = false;
	kernel.uses_complete = false;
	launches(8);
	found();
	assert_true(claim_confidence("HG218") < CONFIDENCE_PROVEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG218, managed_memory_stays),
		FINDS(HG218, many_update_little),
		FINDS(HG218, managed_memory_of_an_rdna_apu),
		SILENT(HG218, seldom_or_little),
		SILENT(HG218, pages_move),
		SILENT(HG218, an_mi300a),
		SILENT(HG218, memory_that_was_prefetched),
		SILENT(HG218, a_kernel_that_talks_to_the_host),
		SILENT(HG218, atomics_of_system_scope),
		FINDS(HG218, atomics_of_device_functions),
		FINDS(HG218, atomics_of_agent_scope),
		SILENT(HG218, memory_that_prefers_the_gpu),
		SILENT(HG218, memory_that_prefers_the_host),
		SILENT(HG218, memory_that_is_mapped_on_the_gpu),
		SILENT(HG218, many_read_little),
		SILENT(HG218, a_word_of_much),
		FINDS(HG218, a_word_and_more),
		FINDS(HG218, what_is_used_is_counted),
		DOUBTS(HG218, whether_it_is_an_apu),
		DOUBTS(HG218, whether_it_is_an_rdna_apu),
		DOUBTS(HG218, whether_pages_move),
		DOUBTS(HG218, what_the_kernel_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
