/* SPDX-License-Identifier: Apache-2.0 */
/* HG114, HG115: data that are handed over without release or acquire. */
#include "gpu_world.h"

#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_launch.h"

static struct isa_handover sides[2];
static struct isa_kernel two[2];

static struct isa_party party(const char *mnemonic, int64_t offset, uint32_t kernarg)
{
	return (struct isa_party){ .mnemonic = (char *)mnemonic,
				   .kernel_offset = offset,
				   .kernarg = kernarg };
}

/* Data at the first argument, the flag at the second. */
static void hand_over(bool released, bool acquired)
{
	sides[0] = (struct isa_handover){ .data = party("global_store_dword", 0x10, 0),
					  .flag = party("global_atomic_add", 0x20, 8),
					  .ordered = released };
	sides[1] = (struct isa_handover){ .flag = party("global_load_dword", 0x30, 8),
					  .data = party("global_load_dword", 0x40, 0),
					  .reads = true,
					  .waits = true,
					  .ordered = acquired };
	kernel.atomic_count = 0;
	kernel.handovers = sides;
	kernel.handover_count = 2;
	alloc(HG_API_hipMalloc, 0x10000, 8192, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 8192, 0, 6);
}

static void neither_release_nor_acquire(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(false, false);
	launch(1, 0x10000, 0x20000);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG114");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->launches, 2);
	assert_non_null(strstr(finding(0)->message, "without buffer_wbl2 sc1 between"));
	assert_non_null(strstr(finding(0)->message, "without buffer_inv sc1 between"));
}

static void no_release(void **state)
{
	(void)state;
	gpu("gfx950", PCIE, 1, 0, 0);
	hand_over(false, true);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG114");
	assert_non_null(strstr(finding(0)->message, "buffer_wbl2 sc1"));
	assert_null(strstr(finding(0)->message, "buffer_inv sc1"));
}

static void no_acquire(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(true, false);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG114");
	assert_null(strstr(finding(0)->message, "buffer_wbl2 sc1"));
}

/* The software GPU saw a load of "KERNEL" at `load` that got less than what was stored at `store`.
 */
static void stale_read(const char *text, int64_t load, int64_t store, uint64_t address)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_gpu_stale_read,
							       .ptr = address,
							       .size = 7,
							       .flags = (uint64_t)load,
							       .value = (uint64_t)store,
							       .text = text } });
}

static void stale_read_of_these_data(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(false, false);
	stale_read("_Z3addPf _Z3addPf", 0x44, 0x10, 0x10008); /* another load of the same memory */
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG114");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_null(finding(0)->doubts);
	assert_non_null(strstr(finding(0)->message, "with seed 7, the load at +0x44"));
}

/* Of other memory, of another kernel, and what no recorder writes. */
static void stale_reads_of_others(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(false, false);
	launch(1, 0x10000, 0x20000);
	stale_read("_Z3addPf _Z3addPf", 0x44, 0x10, 0x20008);
	stale_read("_Z3addPf other", 0x40, 0x10, 0x10008);
	stale_read("", 0x40, 0x10, 0x10008);
	stale_read("_Z3addPf", 0x40, 0x10, 0x10008);
	stale_read("_Z3addPf ", 0x40, 0x10, 0x10008);
	stale_read(" _Z3addPf", 0x40, 0x10, 0x10008);
	assert_string_equal(found(), "HG114");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* Without a handover in the machine code it is no finding. */
static void stale_read_alone(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(true, true);
	launch(1, 0x10000, 0x20000);
	stale_read("_Z3addPf _Z3addPf", 0x40, 0x10, 0x10008);
	assert_string_equal(found(), "");
}

static void one_l2_cache(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	hand_over(false, false);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "HG115");
	assert_int_equal(finding(0)->rule->severity, SEVERITY_NOTE);
}

static void in_order(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(true, true);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

static void in_order_on_one_l2(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	hand_over(true, true);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

/* What the kernel stores and what it reads are different data. */
static void other_data(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(false, false);
	sides[1].data.kernarg = 16;
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

/* Nothing is stale in memory that no cache keeps. */
static void uncached_data(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	hand_over(false, false);
	alloc(HG_API_hipExtMallocWithFlags, 0x30000, 8192, 3, 7);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0, 8);
	launch(1, 0x30000, 0x20000);
	launch(2, 0x40000, 0x20000);
	launch(3, 0, 0);
	assert_string_equal(found(), "");
}

/* An MI350's L2 caches hold host memory [KFD]. */
static void host_data_of_mi350(void **state)
{
	(void)state;
	gpu("gfx950", PCIE, 1, 0, 0);
	hand_over(false, false);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0, 8);
	launch(1, 0x40000, 0x20000);
	assert_string_equal(found(), "HG114");
}

/* An MI250's one holds coarse-grained host memory only [KFD]. */
static void host_data_of_mi250(void **state)
{
	(void)state;
	gpu("gfx90a", PCIE, 1, 0, 0);
	hand_over(false, false);
	alloc(HG_API_hipHostMalloc, 0x40000, 8192, 0x40000000, 8); /* coherent */
	launch(1, 0x40000, 0x20000);
	assert_string_equal(found(), "");
	alloc(HG_API_hipHostMalloc, 0x50000, 8192, 0x80000000, 9); /* not */
	launch(2, 0x50000, 0x20000);
	assert_string_equal(found(), "HG115");
}

/* Processors of which the analysis knows no such sides. */
static void other_processors(void **state)
{
	(void)state;
	gpu("gfx1100", PCIE, 1, 0, 0);
	hand_over(false, false);
	launch(1, 0x10000, 0x20000);
	assert_string_equal(found(), "");
}

/* ---- two kernels ---- */

static int setup_two(void **state)
{
	setup(state);
	two[0] = kernel;
	two[1] = kernel;
	two[0].symbol = (char *)"write";
	two[1].symbol = (char *)"read";
	two[0].name = (char *)"writer(int*, int*)";
	two[1].name = (char *)"reader(int*, int*)";
	world_kernels = two;
	world_kernel_count = 2;
	kernel_event(2, "write");
	kernel_event(3, "read");
	return 0;
}

static void launch_of(uint32_t kernel_id, uint64_t first, uint64_t second, uint64_t stream)
{
	uint64_t words[] = { first, second };

	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = kernel_id,
							       .kernel_id = kernel_id,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hipLaunchKernel,
								   .kernel_id = kernel_id,
								   .args_id = kernel_id,
								   .grid_x = 1,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1,
								   .stream = stream } });
}

static void split(void)
{
	hand_over(false, false);
	two[0].handovers = &sides[0];
	two[1].handovers = &sides[1];
	two[0].handover_count = two[1].handover_count = 1;
	two[0].atomic_count = two[1].atomic_count = 0;
}

static void two_streams(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	split();
	launch_of(2, 0x10000, 0x20000, 0x100);
	launch_of(3, 0x10000, 0x20000, 0x200);
	assert_string_equal(found(), "HG114");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_string_equal(finding(0)->related, "writer(int*, int*)");
}

/* Each begins with empty caches, when the one before has written its own back. */
static void one_after_the_other(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	split();
	launch_of(2, 0x10000, 0x20000, 0x100);
	launch_of(3, 0x10000, 0x20000, 0x100);
	assert_string_equal(found(), "");
}

static void other_memory(void **state)
{
	(void)state;
	gpu("gfx942", PCIE, 1, 0, 0);
	split();
	launch_of(2, 0x10000, 0x20000, 0x100);
	launch_of(3, 0x11000, 0x20000, 0x200);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG114, neither_release_nor_acquire),
		FINDS(HG114, no_release),
		FINDS(HG114, no_acquire),
		FINDS(HG114, stale_read_of_these_data),
		DOUBTS(HG114, stale_reads_of_others),
		SILENT(HG114, stale_read_alone),
		SILENT(HG114, in_order),
		SILENT(HG114, other_data),
		SILENT(HG114, uncached_data),
		FINDS(HG114, host_data_of_mi350),
		FINDS(HG115, host_data_of_mi250),
		SILENT(HG114, other_processors),
		FINDS(HG115, one_l2_cache),
		SILENT(HG115, in_order_on_one_l2),
		SILENT(HG115, other_processors),
#undef CLAIM_SETUP
#define CLAIM_SETUP setup_two
		FINDS(HG114, two_streams),
		SILENT(HG114, one_after_the_other),
		SILENT(HG114, other_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
