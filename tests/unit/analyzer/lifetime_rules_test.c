/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about pointers that lead to memory which a kernel must not use: HG209, HG601, HG607, and
 * memory access faults. rules_world.h has the trace and the kernel.
 */
#include "analyzer/reader/read_open_calls.h"
#include "analyzer/rules/order/faults.h"
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_free.h"

/* ---- HG209, HG601, HG607 ---- */

static void system_memory_needs_xnack(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	assert_string_equal(found(), "HG209");
}

static void other_memory_of_the_system_needs_xnack(void **state)
{
	static const uint16_t apis[] = { HG_API_shmat, HG_API_brk, HG_API_sbrk };

	(void)state;
	kernel.atomic_count = 0;
	device(0);
	for (unsigned i = 0; i < sizeof(apis) / sizeof(apis[0]); i++) {
		alloc(apis[i], 0x10000 + 0x10000 * i, 0x2000, 0, 5 + i);
		launch(1, 0x10800 + 0x10000 * i, 0);
	}
	assert_string_equal(found(), "HG209 HG209 HG209");
	assert_non_null(strstr(finding(0)->message, "shmat"));
}

/* What the process ended of is known, although no fault was recorded. */
static void such_an_access_explains_the_end(void **state)
{
	struct open_call open = { .call = { .state = HG_API_hipDeviceSynchronize }, .pid = 1 };

	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	apply((struct hg_event){ .type = HG_EVENT_OPEN_CALL, .open_call = &open });
	replay_process(&replay, 1)->ended = HG_ENDED_NOT;
	replay_process(&replay, 1)->over = true;
	assert_string_equal(found(), "HG209");
}

static void system_memory_is_fine_with_xnack(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(1);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	assert_string_equal(found(), "");
}

static void a_pointer_that_is_only_passed_on_is_not_reported(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	kernel.use_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0x10900);
	launch(2, 0x777000, 0);
	assert_string_equal(found(), "");
}

static void unknown_xnack_is_a_limit(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(-1);
	alloc(HG_API_malloc, 0x10000, 0x2000, 0, 5);
	launch(1, 0x10800, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void freed_and_outside(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipFree, .ptr = 0x10000 } });
	launch(1, 0x10800, 0);
	launch(2, 0x41010, 0);
	assert_string_equal(found(), "HG601 HG607");
	/* That the launch reached the instruction is not in the trace. */
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(1)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(1)->offset, 0x10);
}

static void the_end_of_a_range(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	launch(1, 0x41000, 0);
	assert_string_equal(found(), "");
	launch(2, 0x41001, 0);
	assert_string_equal(found(), "HG607");
}

/* The kernel accesses memory behind the pointer, which lies outside of it. */
static void what_is_accessed_is_memory(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.placed = true;
	use.first = 0xff0;
	use.end = 0x1008;
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	alloc(HG_API_hipMalloc, 0x42000, 0x1000, 0, 6);
	launch(1, 0x41010, 0);
	assert_string_equal(found(), "");
}

static void what_is_accessed_begins_ahead_of_memory(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	use.placed = true;
	use.first = 0xfe8;
	use.end = 0x1000;
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	alloc(HG_API_hipMalloc, 0x42000, 0x1000, 0, 6);
	launch(1, 0x41010, 0);
	assert_string_equal(found(), "HG607");
}

/* HIP allocates descriptors where there is room, as behind a program's memory. */
static void a_texture_is_a_descriptor(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	kernel.name = (char *)"void fetch<HIP_vector_type<int, 4u>>(__hip_texture*, int*)";
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	launch(1, 0x41010, 0);
	assert_string_equal(found(), "");
}

static void memory_beside_a_texture(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	kernel.name = (char *)"void fetch<HIP_vector_type<int, 4u>>(int*, __hip_texture*)";
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	launch(1, 0x41010, 0);
	assert_string_equal(found(), "HG607");
}

/* OpenMP gives a region the address that element 0 would have. */
static void a_section_begins_later(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hsa_amd_memory_pool_allocate, 0x40000, 0x1000, 4, 6);
	alloc(HG_API_hsa_amd_memory_pool_allocate, 0x42000, 0x1000, 4, 6);
	code_object_event();
	kernel_event(1, "__omp_offloading_1_2_main_l3");
	launch(1, 0x41010, 0);
	assert_string_equal(found(), "");
}

/* ---- memory access faults: ROCr reports the page ---- */

static void fault(uint64_t page, uint32_t reason)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){
		.api = HG_API_gpu_memory_fault, .ptr = page, .flags = reason, .text = "" } });
}

static const struct fault_row *last_fault(void)
{
	return faults_result(&findings)->len
		   ? faults_result(&findings)->pdata[faults_result(&findings)->len - 1]
		   : NULL;
}

static void a_fault_in_freed_memory(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x2000, 0, 5);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipFree, .ptr = 0x10000 } });
	launch(1, 0x10800, 0);
	fault(0x11000, 1);
	assert_string_equal(found(), "HG601");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN));
	IF_WHOLE(assert_null(finding(0)->doubts));
	IF_WHOLE(assert_int_equal(last_fault()->kind, PLACE_FREED));
	IF_WHOLE(assert_string_equal(last_fault()->rules, "HG601"));
}

static void a_fault_past_the_end(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	launch(2, 0x41010, 0);
	fault(0x41000, 1);
	assert_string_equal(found(), "HG607");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN));
	IF_WHOLE(assert_int_equal(last_fault()->kind, PLACE_PAST_END));
	IF_WHOLE(assert_int_equal(last_fault()->offset, 0x10));
}

static void a_fault_in_memory_of_the_system(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x20010, 0x3000, 0, 7);
	launch(1, 0x20010, 0);
	fault(0x20000, 1);
	assert_string_equal(found(), "HG209");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN));
	IF_WHOLE(assert_int_equal(last_fault()->kind, PLACE_ALLOCATION));
}

/* Neither proves anything: another page, a page that two uses name, and broken memory. */
static void a_fault_elsewhere(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	alloc(HG_API_hipMalloc, 0x40000, 0x1000, 0, 6);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipFree, .ptr = 0x10000 } });
	launch(1, 0x10800, 0);
	launch(2, 0x41010, 0);
	fault(0x900000, 1);
	IF_WHOLE(assert_int_equal(last_fault()->kind, PLACE_UNKNOWN));
	IF_WHOLE(assert_string_equal(last_fault()->rules, "HG614"));
	fault(0x42000, 1);
	IF_WHOLE(assert_int_equal(last_fault()->kind, PLACE_PAST_END));
	IF_WHOLE(assert_int_equal(last_fault()->offset, 0x1000));
	fault(0x41000, 16);
	/* Where something else lives by now. */
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	fault(0x10000, 1);
	IF_WHOLE(assert_string_equal(last_fault()->rules, "HG614"));
	(void)found();
	assert_int_equal(claim_confidence("HG601"), CONFIDENCE_LIKELY);
	assert_int_equal(claim_confidence("HG607"), CONFIDENCE_LIKELY);
}

/* A smaller block that is not recorded may have taken its place. */
static void a_fault_in_freed_heap(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x20010, 0x8000, 0, 7);
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free =
				     &(struct hg_ev_free){ .api = HG_API_free, .ptr = 0x20010 } });
	launch(1, 0x20010, 0);
	fault(0x20000, 1);
	assert_string_equal(found(), "HG601");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY));
}

static void a_fault_of_one_of_two(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_malloc, 0x20010, 0x100, 0, 7);
	alloc(HG_API_malloc, 0x20210, 0x100, 0, 8);
	launch(1, 0x20010, 0);
	launch(2, 0x20210, 0);
	fault(0x20000, 1);
	assert_string_equal(found(), "HG209 HG209");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(1)->confidence, CONFIDENCE_LIKELY);
	IF_WHOLE(assert_string_equal(last_fault()->rules, "HG209"));
}

static void reused_memory_is_not_freed_memory(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	device(0);
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	launch(1, 0x10800, 0);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hipFree, .ptr = 0x10000 } });
	alloc(HG_API_hipMalloc, 0x10000, 0x1000, 0, 5);
	launch(1, 0x10800, 0);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG209, system_memory_needs_xnack),
		SILENT(HG709, such_an_access_explains_the_end),
		SILENT(HG209, system_memory_is_fine_with_xnack),
		SILENT(HG209, a_pointer_that_is_only_passed_on_is_not_reported),
		SILENT(HG601, a_pointer_that_is_only_passed_on_is_not_reported),
		SILENT(HG607, a_pointer_that_is_only_passed_on_is_not_reported),
		DOUBTS(HG209, unknown_xnack_is_a_limit),
		FINDS(HG601, freed_and_outside),
		FINDS(HG607, freed_and_outside),
		FINDS(HG607, the_end_of_a_range),
		SILENT(HG607, what_is_accessed_is_memory),
		FINDS(HG607, what_is_accessed_begins_ahead_of_memory),
		SILENT(HG607, a_section_begins_later),
		SILENT(HG607, a_texture_is_a_descriptor),
		FINDS(HG607, memory_beside_a_texture),
		FINDS(HG601, a_fault_in_freed_memory),
		FINDS(HG607, a_fault_past_the_end),
		FINDS(HG209, a_fault_in_memory_of_the_system),
		DOUBTS(HG601, a_fault_elsewhere),
		DOUBTS(HG607, a_fault_elsewhere),
		DOUBTS(HG209, a_fault_of_one_of_two),
		DOUBTS(HG601, a_fault_in_freed_heap),
		SILENT(HG601, reused_memory_is_not_freed_memory),
		FINDS(HG209, other_memory_of_the_system_needs_xnack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
