/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics that the link to the host or the memory limits in scope (HG103 to HG105, HG111, HG202,
 * HG207), and contention (HG113). gpu_world.h has the trace and the kernel.
 */
#include "gpu_world.h"

#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"

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

static void advise(uint64_t ptr, int32_t advice, int32_t target)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = ptr,
								   .size = 8192,
								   .advice = advice,
								   .target = target } });
}

/*
 * Pages move to the GPU with XNACK on, unless advice maps them for it where they are, or keeps them
 * with the host.
 */
static void integers_on_pages_that_advice_keeps(void **state)
{
	enum { SET_PREFERRED = 3, SET_ACCESSED_BY = 5 };

	(void)state;
	gpu("gfx90a", PCIE, -1, 1, 0);
	integer(ISA_OP_MAX, "global_atomic_umax");
	for (uint64_t i = 1; i <= 5; i++)
		alloc(HG_API_hipMallocManaged, i << 16, 8192, 1, (uint32_t)i + 4);
	advise(0x20000, SET_ACCESSED_BY, 0);
	advise(0x20000, SET_PREFERRED, 0);
	advise(0x30000, SET_ACCESSED_BY, 1);
	for (uint64_t i = 1; i <= 3; i++)
		launch((uint32_t)i, i << 16, 0);
	assert_string_equal(found(), "");
	advise(0x40000, SET_ACCESSED_BY, 0);
	launch(4, 0x40000, 0);
	advise(0x50000, SET_PREFERRED, -1);
	launch(5, 0x50000, 0);
	assert_string_equal(found(), "HG104 HG104");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->address, 0x40000);
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
	    .prefetch = &(struct hg_ev_prefetch){
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
 * that was advised to be coarse-grained. The findings that follow; the cells are in
 * tests/hardware/tables/port721.tsv.
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
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
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

/* HIP's headers request it for atomicAdd(double *), and not the program. */
static void system_scope_of_a_header(void **state)
{
	struct isa_frame frame = { .function = (char *)"atomicAdd(double*, double)",
				   .file = (char *)"/usr/include/hip/amd_detail/amd_hip_atomic.h" };

	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	atomic.type = ISA_TYPE_F64;
	atomic.mnemonic = (char *)"global_atomic_add_f64";
	atomic.system_scope = true;
	atomic.frames = &frame;
	atomic.frame_count = 1;
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x80000000, 6);
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "");
	/* Who requests it is not known without debug information, or is the program. */
	atomic.frame_count = 0;
	launch(3, 0x10000, 0);
	assert_string_equal(found(), "HG103");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	frame.function = (char *)"atomicAdd_system(double*, double)";
	atomic.frame_count = 1;
	launch(4, 0x20000, 0);
	assert_string_equal(found(), "HG111 HG103");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void system_scope_on_an_apu(void **state)
{
	(void)state;
	gpu("gfx942", -1, -1, 0, 1);
	atomic.system_scope = true;
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	launch(1, 0x10000, 0);
	assert_string_equal(found(), "");
	/* Coarse-grained memory exists there, too. */
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0x80000000, 6);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG111");
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
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
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

/* ---- buffer_atomic_*: memory treats them like global ones ---- */

/* Float additions on fine-grained memory of three kinds, and on hipMalloc's. */
static void add_floats_on(const char *arch, const char *mnemonic)
{
	g_ptr_array_set_size(replay_process(&replay, 1)->devices, 0);
	gpu(arch, PCIE, 1, 0, 0);
	atomic.mnemonic = (char *)mnemonic;
	alloc(HG_API_hipHostMalloc, 0x20000, 8192, 0, 6);
	alloc(HG_API_hipExtMallocWithFlags, 0x30000, 8192, 1, 7);
	alloc(HG_API_hipMalloc, 0x40000, 8192, 0, 8);
	for (unsigned i = 2; i <= 4; i++)
		launch(i, i * 0x10000, 0);
}

static void float_additions_through_a_buffer(void **state)
{
	(void)state;
	add_floats_on("gfx90a", "buffer_atomic_add_f32");
	assert_string_equal(found(), "HG101 HG101");
	assert_int_equal(finding(0)->address, 0x20000);
	assert_int_equal(finding(1)->address, 0x30000);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->instruction, "buffer_atomic_add_f32");
}

/* Of gfx11's additions to host memory nothing is known, so that nothing is claimed. */
static void float_additions_through_a_buffer_on_gfx11(void **state)
{
	(void)state;
	add_floats_on("gfx1100", "buffer_atomic_add_f32");
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, 0x30000);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->instruction, "buffer_atomic_add_f32");
}

static void float_additions_through_a_buffer_on_gfx12(void **state)
{
	(void)state;
	add_floats_on("gfx1200", "buffer_atomic_add_f32");
	assert_string_equal(found(), "");
}

static void maxima_through_a_buffer(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	alloc(HG_API_hipHostMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
	integer(ISA_OP_MAX, "buffer_atomic_smax");
	launch(1, 0x10000, 0);
	launch(2, 0x20000, 0);
	assert_string_equal(found(), "HG104");
	assert_int_equal(finding(0)->address, 0x10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG104, integers_that_pcie_does_not_carry),
		FINDS(HG104, integers_on_pages_that_advice_keeps),
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
		DOUBTS(HG103, system_scope_of_a_header),
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
		FINDS(HG101, float_additions_through_a_buffer),
		FINDS(HG101, float_additions_through_a_buffer_on_gfx11),
		SILENT(HG101, float_additions_through_a_buffer_on_gfx12),
		FINDS(HG104, maxima_through_a_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
