/* SPDX-License-Identifier: Apache-2.0 */
/* Tests HG619: device memory is read before anything was written there. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/offload_events.h"

#define MEMORY 0x100000u
#define OTHER  0x800000u

static void begin_on(int8_t large_bar, unsigned access)
{
	initialisation_matters = true;
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = &(struct hg_ev_device){ .name = "test",
								   .arch = "gfx90a",
								   .managed = 1,
								   .fine_grain = 1,
								   .large_bar = large_bar } });
	kernel.atomic_count = access & ISA_ATOMIC ? 1 : 0;
	atomic.fp = false;
	atomic.type = ISA_TYPE_I32;
	atomic.executes = true;
	use.access = access;
	alloc(HG_API_hipMalloc, MEMORY, 4096, 0, 5);
}

static void begin(unsigned access)
{
	begin_on(0, access);
}

static void fill(uint64_t address)
{
	apply((struct hg_event){
	    .type = HG_EVENT_fill,
	    .fill = &(struct hg_ev_fill){
		.api = HG_API_hipMemset, .dst = address, .size = 64, .rows = 1 } });
}

static void an_update_of_fresh_memory(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "HG619");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "updates device memory"));
	assert_true(g_str_has_prefix(finding(0)->fix, "initialise it before the launch"));
}

static void openmp(uint8_t op, uint64_t src, uint64_t dst)
{
	apply((struct hg_event){
	    .type = HG_EVENT_omp_data,
	    .omp_data = &(struct hg_ev_omp_data){ .op = op, .src = src, .dst = dst, .size = 64 } });
}

/* Memory of the HSA runtime, which OpenMP asked for or somebody else. */
static void begin_openmp(bool reported)
{
	initialisation_matters = true;
	device(0);
	kernel.atomic_count = 1;
	atomic.fp = false;
	atomic.type = ISA_TYPE_I32;
	atomic.executes = true;
	use.access = ISA_ATOMIC;
	alloc(HG_API_hsa_amd_memory_pool_allocate, MEMORY, 4096, 0x100000004, 5);
	if (reported)
		openmp(HG_OMP_ALLOC, 0, MEMORY);
}

static void an_update_of_fresh_openmp_memory(void **state)
{
	(void)state;
	begin_openmp(true);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "HG619");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void openmp_memory_that_was_sent(void **state)
{
	(void)state;
	begin_openmp(true);
	openmp(HG_OMP_TO_DEVICE, 0x10, MEMORY + 64);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

/* What writes to it is not recorded. */
static void memory_of_hsa_alone(void **state)
{
	(void)state;
	begin_openmp(false);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

/* The kernel need not read if a condition decides. */
static void a_read_of_fresh_memory(void **state)
{
	(void)state;
	begin(ISA_READ);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void an_update_that_may_be_left_out(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	atomic.executes = false;
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

/* The host can address the GPU's memory. */
static void begin_addressable(void)
{
	begin_on(1, ISA_ATOMIC);
	launch(1, MEMORY, 0);
}

static void memory_that_is_copied_from_later(void **state)
{
	(void)state;
	begin_addressable();
	alloc(HG_API_hipHostMalloc, OTHER, 4096, 0, 6);
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy,
							       .dst = OTHER,
							       .src = MEMORY,
							       .size = 64,
							       .rows = 1,
							       .depth = 1,
							       .kind = 4 } });
	assert_string_equal(found(), "HG619");
}

static void memory_that_the_host_may_address(void **state)
{
	(void)state;
	begin_addressable();
	assert_string_equal(found(), "");
}

static void memory_that_was_filled(void **state)
{
	(void)state;
	begin(ISA_READ | ISA_ATOMIC);
	fill(MEMORY);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void memory_that_was_copied_to(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy,
							       .dst = MEMORY + 64,
							       .src = OTHER,
							       .size = 64,
							       .kind = 4,
							       .rows = 1,
							       .depth = 1 } });
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

/* The kernel's order of writes to its bytes is not known. */
static void a_kernel_that_writes_too(void **state)
{
	(void)state;
	begin(ISA_ATOMIC | ISA_WRITE);
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void memory_that_a_kernel_wrote_before(void **state)
{
	(void)state;
	begin(ISA_WRITE);
	launch(1, MEMORY, 0);
	use.access = ISA_ATOMIC;
	kernel.atomic_count = 1;
	alloc(HG_API_hipMalloc, OTHER, 4096, 0, 6);
	launch(2, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void memory_that_the_host_writes(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	alloc(HG_API_hipMallocManaged, OTHER, 4096, 1, 6);
	launch(1, OTHER, 0);
	assert_string_equal(found(), "");
}

static void after_a_kernel_that_may_write_anywhere(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	kernel.uses_complete = false;
	launch(1, OTHER, 0);
	launch(2, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void memory_that_another_process_may_write(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_hipIpcGetMemHandle,
							       .ptr = MEMORY,
							       .text = "" } });
	launch(1, MEMORY, 0);
	assert_string_equal(found(), "");
}

static void one_of_several_arguments(void **state)
{
	(void)state;
	begin(ISA_ATOMIC);
	use.certain = false;
	atomic.origin.kind = ISA_ORIGIN_SET;
	launch(1, MEMORY, 0);
	found();
	assert_true(claim_confidence("HG619") < CONFIDENCE_PROVEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG619, an_update_of_fresh_memory),
		FINDS(HG619, an_update_of_fresh_openmp_memory),
		SILENT(HG619, openmp_memory_that_was_sent),
		SILENT(HG619, memory_of_hsa_alone),
		SILENT(HG619, a_read_of_fresh_memory),
		SILENT(HG619, an_update_that_may_be_left_out),
		FINDS(HG619, memory_that_is_copied_from_later),
		SILENT(HG619, memory_that_the_host_may_address),
		SILENT(HG619, memory_that_was_filled),
		SILENT(HG619, memory_that_was_copied_to),
		SILENT(HG619, a_kernel_that_writes_too),
		SILENT(HG619, memory_that_a_kernel_wrote_before),
		SILENT(HG619, memory_that_the_host_writes),
		SILENT(HG619, after_a_kernel_that_may_write_anywhere),
		SILENT(HG619, memory_that_another_process_may_write),
		DOUBTS(HG619, one_of_several_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
