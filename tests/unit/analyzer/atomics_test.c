/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics that do not reach as far as was meant (HG103 to HG105, HG111, HG202, HG207), contention
 * (HG113), and how kernels were compiled (HG108 to HG110).
 */
#include "analyzer/rules/engine/evidence.h"
#include "rules_world.h"

#include "analyzer/rules/atomics/atomic_fixes.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_launch.h"

enum { PCIE = 2, XGMI = 4 };

static void gpu(const char *arch, int8_t link, int8_t host_native, int8_t xnack, int8_t apu)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = { .path = "", .version = 60200000 } });
	apply((struct hg_event){ .type = HG_EVENT_device,
				 .device = { .name = "test",
					     .arch = arch,
					     .xnack = xnack,
					     .managed = 1,
					     .fine_grain = 1,
					     .integrated = apu,
					     .host_native_atomic = host_native,
					     .host_link = link } });
	object.arch = (char *)arch;
}

static void integer(enum isa_op op, const char *mnemonic)
{
	atomic.fp = false;
	atomic.native = true;
	atomic.type = ISA_TYPE_I32;
	atomic.op = op;
	atomic.mnemonic = (char *)mnemonic;
}

/* ---- HG104, HG105 ---- */

static void integers_that_pcie_does_not_carry(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, -1, 0, 0);
	integer(ISA_OP_MAX, "global_atomic_umax");
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMallocManaged, 0x20000, 8192, 1, 6);
	alloc(HG_API_hipMalloc, 0x30000, 8192, 0, 7);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0x80000000, 8);
	alloc(HG_API_hipExtMallocWithFlags, 0x50000, 8192, 1, 9);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	launch(3, 0x30000, 0);
	launch(4, 0x40000, 0);
	launch(5, 0x50000, 0);
	assert_string_equal(found(), "HG104 HG104");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->address, 0x10000);
	assert_int_equal(finding(1)->address, 0x20000);
}

static void integers_that_pcie_carries(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	integer(ISA_OP_ADD, "global_atomic_add");
	launch(1, 0x10000, 0);
	integer(ISA_OP_SWAP, "global_atomic_swap");
	launch(2, 0x10000, 0);
	integer(ISA_OP_CMPSWAP, "global_atomic_cmpswap");
	launch(3, 0x10000, 0);
	assert_string_equal(found(), "");
}

/* Over XGMI they work; where the link is unknown the report says that it is. */
static void the_link_must_be_known(void **state)
{
	(void)state;
	gpu("gfx90a", XGMI, -1, 0, 0);
	integer(ISA_OP_AND, "global_atomic_and");
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	g_ptr_array_set_size(replay_process(&replay, 1)->devices, 0);
	gpu("gfx90a", -1, -1, 0, 0);
	assert_int_equal(findings.limits->len, 0);
	launch(2, 0x10000, 0);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "the link between the GPU and"));
	integer(ISA_OP_ADD, "global_atomic_add"); /* carried over either */
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0, 5);
	launch(3, 0x20000, 0);
	assert_int_equal(findings.limits->len, 1);
}

/* What may have moved to the GPU is not host memory for certain. */
static void managed_memory_that_moved(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, -1, 0, 0);
	integer(ISA_OP_MAX, "global_atomic_umax");
	alloc(HG_API_hipMallocManaged, 0x20000, 8192, 1, 6);
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = {
		.api = HG_API_hipMemPrefetchAsync, .ptr = 0x20000, .size = 256, .target = 0 } });
	launch(1, 0x20000, 0);
	g_ptr_array_set_size(replay_process(&replay, 1)->devices, 0);
	gpu("gfx90a", PCIE, -1, 1, 0);
	alloc(HG_API_hipMallocManaged, 0x30000, 8192, 1, 7);
	launch(2, 0x30000, 0);
	assert_string_equal(found(), "");
}

/* What AMD's table says of MI200, and what was measured on other GPUs, contradict each other. */
static void no_atomics_over_pcie(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 0, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	integer(ISA_OP_CMPSWAP, "global_atomic_cmpswap");
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG105");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->doubts, "gfx1031"));
}

/* These are lost with PCIe atomics and without. */
static void not_carried_and_no_atomics(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 0, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	integer(ISA_OP_MAX, "global_atomic_umax");
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "HG104");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/*
 * Measured on gfx1010 and gfx1031 on a board without PCIe atomics (CLR285): minimum on each memory;
 * which of the four results is wrong. HG203: the last one's flags contradict each other.
 */
static void measure_without_pcie_atomics(const char *arch)
{
	gpu(arch, PCIE, 0, 0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x2, 6);
	alloc(HG_API_hipHostMalloc, 0x30000, 8192, 0x40000002, 7);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0x80000002, 8);
	for (unsigned i = 1; i <= 4; i++)
		launch(i, i * 0x10000, 0);
}

static void minimum_on_rdna_without_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_MIN, "global_atomic_smin");
	measure_without_pcie_atomics("gfx1031");
	assert_string_equal(found(), "HG104 HG104 HG203");
	assert_int_equal(finding(0)->address, 0x20000);
	assert_int_equal(finding(1)->address, 0x30000);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->fix, "hipHostMallocNonCoherent"));
}

static void minimum_on_rdna1_without_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_MIN, "global_atomic_smin");
	measure_without_pcie_atomics("gfx1010");
	assert_string_equal(found(), "HG104 HG104 HG203");
	assert_int_equal(finding(0)->address, 0x20000);
	assert_int_equal(finding(1)->address, 0x30000);
}

static void addition_on_rdna_without_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_ADD, "global_atomic_add");
	measure_without_pcie_atomics("gfx1031");
	measure_without_pcie_atomics("gfx1010");
	assert_string_equal(found(), "HG203");
}

/* Nobody measured these: the reason says so. */
static void unmeasured_without_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_OR, "global_atomic_or");
	gpu("gfx1031", PCIE, 0, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x2, 6);
	launch(1, 0x20000, 0);
	assert_string_equal(found(), "HG104");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->doubts, "only minimum was measured"));
}

static void other_rdna_without_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_MIN, "global_atomic_smin");
	measure_without_pcie_atomics("gfx1030");
	assert_string_equal(found(), "HG104 HG104 HG203");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->doubts, "not on this GPU"));
}

/* With PCIe atomics nothing was measured on these, so nothing is claimed. */
static void rdna_with_pcie_atomics(void **state)
{
	(void)state;
	integer(ISA_OP_MIN, "global_atomic_smin");
	gpu("gfx1031", PCIE, 1, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x2, 6);
	launch(1, 0x20000, 0);
	assert_string_equal(found(), "");
}

/*
 * Measured on an MI250X, XNACK off, ROCm 7.2.1 (PORT721): minimum and maximum on managed and pinned
 * memory are lost, and right on memory of hipMalloc, fine-grained device memory and managed memory
 * that was advised to be coarse-grained.
 */
static void measure_mi250x(void)
{
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 8192, 1, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0, 6);
	alloc(HG_API_hipMalloc, 0x30000, 8192, 0, 7);
	alloc(HG_API_hipExtMallocWithFlags, 0x40000, 8192, 1, 8);
	alloc(HG_API_hipMallocManaged, 0x50000, 8192, 1, 9);
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = { .api = HG_API_hipMemAdvise,
					     .ptr = 0x50000,
					     .size = 8192,
					     .advice = 100,
					     .target = 0 } });
	for (unsigned i = 1; i <= 5; i++)
		launch(i, i * 0x10000, 0);
}

static void minimum_on_mi250x(void **state)
{
	(void)state;
	integer(ISA_OP_MIN, "global_atomic_smin");
	measure_mi250x();
	assert_string_equal(found(), "HG104 HG104");
	assert_int_equal(finding(0)->address, 0x10000);
	assert_int_equal(finding(1)->address, 0x20000);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void maximum_on_mi250x(void **state)
{
	(void)state;
	integer(ISA_OP_MAX, "global_atomic_umax");
	measure_mi250x();
	assert_string_equal(found(), "HG104 HG104");
	assert_int_equal(finding(0)->address, 0x10000);
	assert_int_equal(finding(1)->address, 0x20000);
}

/* Addition, compare-and-swap, and atomicMin_system, which is a loop around it, are right
 * everywhere. */
static void carried_on_mi250x(void **state)
{
	(void)state;
	integer(ISA_OP_ADD, "global_atomic_add");
	measure_mi250x();
	integer(ISA_OP_CMPSWAP, "global_atomic_cmpswap");
	measure_mi250x();
	atomic.cas_loop = true;
	atomic.native = false;
	atomic.loop_op = ISA_OP_MIN;
	measure_mi250x();
	assert_string_equal(found(), "");
}

/* ---- scope: HG103, HG111, HG202, HG207 ---- */

static void system_scope_over_pcie(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), ""); /* agent scope: right on MI300 */
	atomic.system_scope = true;
	launch(2, 0x10000, 0);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	launch(3, 0x20000, 0);
	assert_string_equal(found(), "HG103");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->launches, 1);
}

static void system_scope_on_an_apu(void **state)
{
	(void)state;
	gpu("gfx942", -1, -1, 0, 1);
	atomic.system_scope = true;
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x80000000, 6);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0); /* fine-grained there, whatever was requested */
	assert_string_equal(found(), "HG216");
}

static void system_scope_on_coarse_memory(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	integer(ISA_OP_ADD, "global_atomic_add");
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0x80000000, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x1, 6);
	alloc(HG_API_hipMallocHost, 0x30000, 8192, 0, 7);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0, 8);
	alloc(HG_API_hipMalloc, 0x50000, 8192, 0, 9);
	for (uint32_t i = 1; i <= 5; i++)
		launch(i, 0x10000 * i, 0);
	assert_string_equal(found(), ""); /* agent scope says nothing about the CPU */
	atomic.system_scope = true;
	for (uint32_t i = 1; i <= 5; i++)
		launch(5 + i, 0x10000 * i, 0);
	assert_string_equal(found(), "HG111 HG202 HG207");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static struct isa_spin spin;

static void wait_for_the_first_argument(void)
{
	kernel.atomic_count = 0;
	spin = (struct isa_spin){ .mnemonic = (char *)"global_load_dword" };
	spin.origin = atomic.origin;
	kernel.spins = &spin;
	kernel.spin_count = 1;
}

static void waiting_for_coarse_memory(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	wait_for_the_first_argument();
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0x80000000, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x4, 6);
	alloc(HG_API_hipMallocHost, 0x30000, 8192, 0, 7);
	for (uint32_t i = 1; i <= 3; i++)
		launch(i, 0x10000 * i, 0);
	assert_string_equal(found(), "HG111 HG202 HG207");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void waiting_elsewhere(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	wait_for_the_first_argument();
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6); /* for another work-group */
	alloc(HG_API_hipHostMalloc, 0x30000, 8192, 0x80000000, 7);
	launch(1, 0x10000, 0x30000);
	launch(2, 0x20000, 0x30000);
	spin.origin.kind = ISA_ORIGIN_UNKNOWN;
	launch(3, 0x30000, 0);
	assert_string_equal(found(), "");
}

/* ---- HG113 ---- */

static void big_launch(uint32_t args_id, uint64_t first, uint32_t groups)
{
	launch(args_id, first, 0);
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = { .api = HG_API_hipLaunchKernel,
					     .kernel_id = 1,
					     .args_id = args_id,
					     .grid_x = groups,
					     .grid_y = 1,
					     .grid_z = 1,
					     .block_x = 256,
					     .block_y = 1,
					     .block_z = 1 } });
}

static void few_updates_are_nothing(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 4096, 0, 5);
	big_launch(1, 0x10000, 4095);
	assert_string_equal(found(), "");
}

static void contention(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 4096, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 4097, 0, 6);
	big_launch(1, 0x10000, 4096);
	big_launch(2, 0x20000, 4096);
	assert_string_equal(found(), "HG113");
	assert_int_equal(finding(0)->address, 0x10000);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void contention_after_lds(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	kernel.uses_lds = true;
	alloc(HG_API_hipMalloc, 0x10000, 4096, 0, 5);
	big_launch(1, 0x10000, 4096);
	assert_string_equal(found(), "");
}

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
	apply((struct hg_event){
	    .type = HG_EVENT_region,
	    .region = { .kind = HG_REGION_HEAP, .start = 0x900000, .size = 0x10000 } });
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
				 .code_object = { .code_object_id = 2,
						  .sha256 = "def",
						  .target = "gfx90a",
						  .path = "",
						  .problem = "" } };
	struct hg_event other = { .type = HG_EVENT_kernel,
				  .kernel = {
				      .kernel_id = 1, .code_object_id = 2, .symbol = "_Z3addPf" } };

	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	compiled_by("x", "def");
	alloc(HG_API_hipMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
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

	g_unlink(file);
	g_free(file);
	return teardown(state);
}

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
				 .advise = { .api = HG_API_hipMemAdvise,
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
		assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
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

static void pages_behind_the_pointer(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipMallocManaged, 0x10000, 16384, 1, 5);
	coarse_pages(0x12000, 8192);
	launch(1, 0x12000, 0);
	assert_string_equal(found(), "");
}

int main(void)
{
#undef CLAIM_TEARDOWN
#define CLAIM_TEARDOWN teardown_both
	const struct CMUnitTest tests[] = {
		FINDS(HG104, integers_that_pcie_does_not_carry),
		SILENT(HG104, integers_that_pcie_carries),
		DOUBTS(HG104, the_link_must_be_known),
		DOUBTS(HG105, the_link_must_be_known),
		SILENT(HG104, managed_memory_that_moved),
		FINDS(HG105, no_atomics_over_pcie),
		FINDS(HG104, not_carried_and_no_atomics),
		DOUBTS(HG104, minimum_on_rdna_without_pcie_atomics),
		DOUBTS(HG104, minimum_on_rdna1_without_pcie_atomics),
		SILENT(HG104, addition_on_rdna_without_pcie_atomics),
		SILENT(HG105, addition_on_rdna_without_pcie_atomics),
		DOUBTS(HG104, unmeasured_without_pcie_atomics),
		DOUBTS(HG104, other_rdna_without_pcie_atomics),
		SILENT(HG104, rdna_with_pcie_atomics),
		FINDS(HG104, minimum_on_mi250x),
		FINDS(HG104, maximum_on_mi250x),
		SILENT(HG104, carried_on_mi250x),
		SILENT(HG105, carried_on_mi250x),
		FINDS(HG103, system_scope_over_pcie),
		SILENT(HG103, system_scope_on_an_apu),
		FINDS(HG111, system_scope_on_coarse_memory),
		FINDS(HG202, system_scope_on_coarse_memory),
		FINDS(HG207, system_scope_on_coarse_memory),
		FINDS(HG111, waiting_for_coarse_memory),
		FINDS(HG202, waiting_for_coarse_memory),
		FINDS(HG207, waiting_for_coarse_memory),
		SILENT(HG111, waiting_elsewhere),
		SILENT(HG202, waiting_elsewhere),
		SILENT(HG207, waiting_elsewhere),
		SILENT(HG113, few_updates_are_nothing),
		FINDS(HG113, contention),
		SILENT(HG113, contention_after_lds),
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
		FINDS(HG101, every_instruction_is_listed),
		FINDS(HG101, another_operation_is_another_finding),
		FINDS(HG101, other_flags_are_other_memory),
		FINDS(HG102, pages_that_a_launch_uses),
		FINDS(HG102, pages_that_the_work_items_reach),
		SILENT(HG102, pages_further_on),
		FINDS(HG108, pages_further_on),
		SILENT(HG102, pages_behind_the_pointer),
		SILENT(HG108, pages_behind_the_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
