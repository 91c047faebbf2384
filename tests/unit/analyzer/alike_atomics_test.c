/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions, allocations and pages one finding about atomics unites (HG101, HG102), and
 * advice that outlives its memory (HG223). gpu_world.h has the trace and the kernel.
 */
#include "analyzer/rules/engine/evidence.h"
#include "gpu_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_free.h"

/* ---- what is united, and what is not ---- */

static struct isa_atomic updates[3];

/* The kernel's update again, on lines 5, 6 and 6 of a file: the last one of a loop that is
 * unrolled. */
static void three_updates(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(updates); i++) {
		updates[i] = atomic;
		updates[i].offset = 16u * (i + 1);
		updates[i].file = (char *)"add.hip";
		updates[i].line = i ? 6 : 5;
	}
	kernel.atomics = updates;
	kernel.atomic_count = G_N_ELEMENTS(updates);
}

static void every_instruction_is_listed(void **state)
{
	const struct code_site *site;

	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	three_updates();
	alloc(HG_API_hipMallocManaged, 0x10000, 8192, 1, 5);
	launch(1, 0x10000, 0);
	launch(2, 0x10000, 1);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 2);
	IF_WHOLE(assert_int_equal(finding(0)->instructions->len, 3));
	for (unsigned i = 0; left_out < 0 && i < 3; i++) {
		site = finding(0)->instructions->pdata[i];
		assert_int_equal(site->code_offset, 16 * (i + 1));
		assert_int_equal(site->line, i ? 6 : 5);
		assert_string_equal(site->file, "add.hip");
	}
}

static void another_operation_is_another_finding(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	three_updates();
	updates[1].type = ISA_TYPE_F64;
	updates[1].mnemonic = (char *)"global_atomic_add_f64";
	alloc(HG_API_hipMallocManaged, 0x10000, 8192, 1, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG101 HG101");
	IF_WHOLE({
		assert_non_null(strstr(finding(0)->message, "float addition"));
		assert_int_equal(finding(0)->instructions->len, 2);
		assert_non_null(strstr(finding(1)->message, "double addition"));
		assert_int_equal(finding(1)->instructions->len, 1);
	});
}

static void other_flags_are_other_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 4096, 0x40000000, 5);
	alloc(HG_API_hipHostMalloc, 0x30000, 4096, 0x40000000, 5);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	launch(3, 0x30010, 0);
	assert_string_equal(found(), "HG101 HG101");
	IF_WHOLE({
		assert_non_null(strstr(finding(0)->why, "without flags"));
		assert_int_equal(finding(0)->launches, 1);
		assert_false(finding(0)->met.several);
		assert_non_null(strstr(finding(1)->why, "hipHostMallocCoherent"));
		assert_int_equal(finding(1)->launches, 2);
		assert_true(finding(1)->met.several);
		assert_int_equal(finding(1)->met.last_offset, 16);
	});
}

static void coarse_pages(uint64_t start, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = start,
								   .size = size,
								   .advice = 100,
								   .stack_id = 9 } });
}

/* Of three launches one is given the half that is fine-grained. */
static void pages_that_a_launch_uses(void **state)
{
	const struct page_stretch *stretch;

	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x10000, 8192);
	launch(1, 0x10000, 0);
	launch(2, 0x10400, 0);
	launch(3, 0x12000, 0);
	assert_string_equal(found(), "HG102");
	IF_WHOLE({
		assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
		assert_int_equal(finding(0)->launches, 1);
		assert_int_equal(finding(0)->beside, 2);
		assert_int_equal(finding(0)->offset, 8192);
		assert_non_null(strstr(finding(0)->message, "from offset 8192 on"));
		assert_int_equal(finding(0)->pages->len, 2);
		stretch = &g_array_index(finding(0)->pages, struct page_stretch, 0);
		assert_int_equal(stretch->size, 8192);
		assert_true(stretch->advised);
		assert_int_equal(stretch->call.stack_id, 9);
		assert_string_equal(page_call_name(&stretch->call), "hipMemAdviseSetCoarseGrain");
		stretch = &g_array_index(finding(0)->pages, struct page_stretch, 1);
		assert_int_equal(stretch->offset, 8192);
		assert_int_equal(stretch->granularity, GRAIN_FINE);
	});
}

/* 128 work-items: 512 bytes from the pointer on, if each has an element of its own. */
static void pages_that_the_work_items_reach(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x10000, 4096);
	coarse_pages(0x13000, 4096);
	launch(1, 0x10e04, 0);
	assert_string_equal(found(), "HG102");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "8192 bytes from offset 4096 on"));
}

static void pages_further_on(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x10000, 4096);
	launch(1, 0x10e00, 0);
	assert_string_equal(found(), "HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

/* The machine code shows that nothing is added to the pointer, or how much at most. */
static void pages_of_a_known_place(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x10000, 8192);
	atomic.placed = true;
	atomic.place = (struct isa_step){ .exact = true };
	launch(1, 0x11e04, 0);
	atomic.place = (struct isa_step){ .bounded = true, .first = -4, .last = 0x1f8 };
	launch(1, 0x11e04, 0);
	assert_string_equal(found(), "");
	launch(2, 0x11e08, 0);
	assert_string_equal(found(), "HG102");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	atomic.place = (struct isa_step){ .exact = true, .offset = 0x200 };
	launch(3, 0x11e04, 0);
	assert_string_equal(found(), "HG102"); /* the other one is beside it */
	IF_WHOLE({
		assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
		assert_non_null(strstr(finding(0)->message, "from offset 8196 on, is"));
	});
}

static void pages_behind_the_pointer(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x12000, 8192);
	launch(1, 0x12000, 0);
	assert_string_equal(found(), "");
}

/* ---- HG223 ---- */

static void free_memory(uint16_t api, uint64_t ptr)
{
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free = &(struct hg_ev_free){ .api = api, .ptr = ptr } });
}

/* The heap gives advised pages to something else. */
static void advice_outlives_its_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 5);
	coarse_pages(0x10000, 8192);
	free_memory(HG_API_free, 0x10000);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG223");
	IF_WHOLE({
		assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
		assert_int_equal(finding(0)->related_stack_id, 9);
		assert_non_null(strstr(finding(0)->why, "before it was allocated there"));
	});
}

static void advice_of_its_own(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 5);
	coarse_pages(0x10000, 8192);
	free_memory(HG_API_free, 0x10000);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 6);
	coarse_pages(0x10000, 8192);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
}

/* An allocator's arena is advised once. */
static void advice_on_an_arena(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	alloc(HG_API_mmap, 0x10000, 65536, 0x22, 5);
	coarse_pages(0x10000, 65536);
	alloc(HG_API_malloc, 0x12000, 8192, 0, 6);
	launch(1, 0x12000, 0);
	assert_string_equal(found(), "");
}

static void advised_memory_grows(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 1, 0);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 5);
	coarse_pages(0x10000, 8192);
	free_memory(HG_API_realloc, 0x10000);
	alloc(HG_API_realloc, 0x10000, 8192, 0, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
}

/* This GPU carries the operation out on fine-grained memory as well. */
static void advice_without_need(void **state)
{
	(void)state;
	gpu("gfx942", -1, -1, 1, 1);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 5);
	coarse_pages(0x10000, 8192);
	free_memory(HG_API_free, 0x10000);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
}

/* XNACK is off, and GPUs reach the pages because of the registration. */
static void advice_on_registered_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipHostRegister, 0x10000, 8192, 0, 7);
	coarse_pages(0x10000, 8192);
	free_memory(HG_API_hipHostUnregister, 0x10000);
	free_memory(HG_API_free, 0x10000);
	alloc(HG_API_malloc, 0x10000, 8192, 0, 6);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG223 HG622");
	/* Registering makes it fine-grained again. */
	alloc(HG_API_hipHostRegister, 0x10000, 8192, 0, 7);
	launch(2, 0x10000, 0);
	assert_string_equal(found(), "HG101 HG622 HG223");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG101, every_instruction_is_listed),
		FINDS(HG101, another_operation_is_another_finding),
		FINDS(HG101, other_flags_are_other_memory),
		FINDS(HG102, pages_that_a_launch_uses),
		FINDS(HG102, pages_that_the_work_items_reach),
		FINDS(HG102, pages_of_a_known_place),
		SILENT(HG102, pages_further_on),
		FINDS(HG108, pages_further_on),
		SILENT(HG102, pages_behind_the_pointer),
		SILENT(HG108, pages_behind_the_pointer),
		FINDS(HG223, advice_outlives_its_memory),
		SILENT(HG223, advice_of_its_own),
		SILENT(HG223, advice_on_an_arena),
		SILENT(HG223, advised_memory_grows),
		SILENT(HG223, advice_without_need),
		FINDS(HG223, advice_on_registered_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
