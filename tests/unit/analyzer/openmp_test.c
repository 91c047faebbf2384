/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about kernels of OpenMP target regions, as the HSA runtime's queues show them (HG801,
 * HG802, HG805, HG806, and HG1xx in OpenMP's terms).
 */
#include "analyzer/unseen.h"
#include "rules_world.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_content.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_omp_device.h"
#include "tracer/events/ev_omp_submit.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/events/ev_region.h"

#define BLOCK 0x500000u
#define POOL  0x900000u

/* The same kernel under a name that makes it a target region's. */
static void omp_launch(uint64_t target)
{
	uint64_t words[] = { target, 0 };

	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target = &(struct hg_ev_omp_target){
				     .kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN } });
	apply((struct hg_event){
	    .type = HG_EVENT_kernel,
	    .kernel = &(struct hg_ev_kernel){
		.kernel_id = 2, .code_object_id = 1, .symbol = "__omp_offloading_1_2_main_l3" } });
	apply((struct hg_event){ .type = HG_EVENT_args,
				 .args = &(struct hg_ev_args){ .args_id = 7,
							       .kernel_id = 2,
							       .bytes = (const uint8_t *)words,
							       .length = sizeof(words) } });
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hsa_queue_dispatch,
								   .kernel_id = 2,
								   .args_id = 7,
								   .grid_x = 2,
								   .grid_y = 1,
								   .grid_z = 1,
								   .block_x = 64,
								   .block_y = 1,
								   .block_z = 1 } });
}

static void make_coarse(uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){ .api = HG_API_hsa_amd_svm_attributes_set,
					      .ptr = ptr,
					      .size = size,
					      .advice = 100,
					      .target = -1 } });
}

static void test_lost_on_unmapped_block(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	omp_launch(BLOCK);
	assert_string_equal(found(), "HG801");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->ptr, BLOCK);
}

/* A scalar on the stack of the thread. */
static void test_lost_on_stack(void **state)
{
	(void)state;
	device(1);
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){ .kind = HG_REGION_STACK,
								   .start = 0x7000000,
								   .size = 0x100000 } });
	omp_launch(0x7000040);
	assert_string_equal(found(), "HG801");
	assert_null(finding(0)->allocation);
}

static void test_mapped_pages_are_coarse(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	make_coarse(BLOCK, 8192);
	omp_launch(BLOCK);
	assert_string_equal(found(), "");
}

static void test_mapped_stack_is_coarse(void **state)
{
	(void)state;
	device(1);
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){ .kind = HG_REGION_STACK,
								   .start = 0x7000000,
								   .size = 0x100000 } });
	make_coarse(0x7000040, 8);
	omp_launch(0x7000040);
	assert_string_equal(found(), "");
}

static void test_safe_loop_is_slow(void **state)
{
	(void)state;
	device(1);
	atomic.mnemonic = (char *)"flat_atomic_cmpswap_x2";
	atomic.native = false;
	atomic.cas_loop = true;
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	omp_launch(BLOCK);
	assert_string_equal(found(), "HG106");
	assert_non_null(strstr(finding(0)->fix, "reduction clause"));
}

static void test_pool_memory(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_hsa_amd_memory_pool_allocate, POOL, 8192, HG_POOL_OF_DEVICE | 4, 5);
	omp_launch(POOL);
	assert_string_equal(found(), "");
}

/* llvm_omp_target_alloc_host: a fine-grained pool of the host's. */
static void test_lost_in_fine_pool(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_hsa_amd_memory_pool_allocate, POOL, 8192, 2, 5);
	omp_launch(POOL);
	assert_string_equal(found(), "HG101");
	assert_non_null(strstr(finding(0)->why, "fine-grained memory pool of the host"));
}

static void test_no_xnack(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	omp_launch(BLOCK);
	assert_string_equal(found(), "HG806");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* HIP's kernels are reported in HIP's terms. */
static void test_hip_kernel(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "HG209");
}

static void test_xnack_unknown(void **state)
{
	(void)state;
	device(-1);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	omp_launch(BLOCK);
	assert_string_equal(found(), "");
	assert_true(findings.limits->len > 0);
}

static void test_neighbour_on_the_page(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 6144, 0, 5);
	alloc(HG_API_malloc, BLOCK + 6144, 6144, 0, 6);
	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target = &(struct hg_ev_omp_target){
				     .kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN } });
	make_coarse(BLOCK, 6144);
	assert_string_equal(found(), "HG802");
}

/* The block beside it was not recorded, or is smaller than what is. */
static void test_neighbour_unknown(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 6144, 0, 5);
	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target = &(struct hg_ev_omp_target){
				     .kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN } });
	make_coarse(BLOCK, 6144);
	assert_string_equal(found(), "");
}

/* What the preload library says of a runtime whose tables it could not verify. */
static void refuse_tables(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hsa_tables_refused,
					  .text = "hsa_amd_memory_lock is elsewhere" } });
}

/* Counts the reasons for which the recording is incomplete. */
static void assert_unseen(const char *text)
{
	GPtrArray *unseen = unseen_collect(&replay, &findings, false);
	bool found_it = false;

	for (unsigned i = 0; i < unseen->len; i++)
		found_it |= strstr(unseen->pdata[i], text) != NULL;
	g_ptr_array_unref(unseen);
	if (!found_it)
		fail_msg("nothing says: %s", text);
}

/* OpenMP started kernels that nobody recorded: HSA's functions were not hooked. */
static void test_kernels_unrecorded(void **state)
{
	GPtrArray *unseen;

	(void)state;
	device(1);
	apply((struct hg_event){ .type = HG_EVENT_omp_device,
				 .omp_device =
				     &(struct hg_ev_omp_device){ .device = 0, .type = "gfx90a" } });
	apply((struct hg_event){
	    .type = HG_EVENT_omp_device,
	    .omp_device = &(struct hg_ev_omp_device){ .device = 1, .type = "generic-64bit" } });
	apply((struct hg_event){ .type = HG_EVENT_omp_submit,
				 .omp_submit = &(struct hg_ev_omp_submit){ .device = 1 } });
	unseen = unseen_collect(&replay, &findings, false);
	assert_int_equal(unseen->len, 0); /* on the host */
	g_ptr_array_unref(unseen);
	for (unsigned i = 0; i < 2; i++)
		apply((struct hg_event){ .type = HG_EVENT_omp_submit,
					 .omp_submit = &(struct hg_ev_omp_submit){ .device = 0 } });
	assert_unseen("OpenMP started 2 kernels on GPUs, of which 0 are in the recording");
}

/* The runtime tells of regions that it begins on the host: by -1, or a number of no device. */
static void test_regions_on_the_host(void **state)
{
	static const int32_t devices[] = { 0, 1, -1 };

	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_omp_device,
				 .omp_device =
				     &(struct hg_ev_omp_device){ .device = 0, .type = "gfx90a" } });
	for (unsigned i = 0; i < 3; i++)
		apply((struct hg_event){
		    .type = HG_EVENT_omp_target,
		    .omp_target = &(struct hg_ev_omp_target){
			.kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN, .device = devices[i] } });
	assert_int_equal(replay_process(&replay, 1)->target_regions, 3);
	assert_int_equal(replay_process(&replay, 1)->host_regions, 2);
}

static void test_maps_unrecorded(void **state)
{
	(void)state;
	device(1);
	refuse_tables();
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	alloc(HG_API_malloc, BLOCK + 8192, 6144, 0, 5);
	alloc(HG_API_malloc, BLOCK + 8192 + 6144, 6144, 0, 6);
	omp_launch(BLOCK);
	make_coarse(BLOCK + 8192, 6144);
	assert_string_equal(found(), "");
	assert_unseen("hsa_amd_memory_lock is elsewhere");
}

/* What HIP does is recorded, but not what is done to its memory below. */
static void test_hip_beside_unrecorded(void **state)
{
	(void)state;
	device(0);
	refuse_tables();
	alloc(HG_API_hipMallocManaged, BLOCK, 8192, 1, 5);
	launch(1, BLOCK, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_unseen("hsa_amd_memory_lock is elsewhere");
}

static void test_alone_on_its_pages(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	alloc(HG_API_malloc, BLOCK + 8192, 8192, 0, 6);
	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target = &(struct hg_ev_omp_target){
				     .kind = HG_OMP_TARGET, .endpoint = HG_OMP_BEGIN } });
	make_coarse(BLOCK, 8192);
	assert_string_equal(found(), "");
}

/* Waits for HSA queues are not recorded, so nothing is reported about order. */
static void test_no_order_between_queues(void **state)
{
	(void)state;
	device(1);
	alloc(HG_API_hsa_amd_memory_pool_allocate, POOL, 8192, HG_POOL_OF_DEVICE | 4, 5);
	for (uint64_t queue = 1; queue < 3; queue++) {
		omp_launch(POOL);
		apply((struct hg_event){
		    .type = HG_EVENT_launch,
		    .launch = &(struct hg_ev_launch){ .api = HG_API_hsa_queue_dispatch,
						      .kernel_id = 2,
						      .args_id = 7,
						      .grid_x = 1,
						      .block_x = 1,
						      .stream = queue } });
	}
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = HG_API_hsa_amd_memory_pool_free, .ptr = POOL } });
	assert_string_equal(found(), "");
}

/* ---- HG805 ---- */

#define COPY 0xa00000u

static void data_op(unsigned op, uint64_t src, uint64_t dst, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_omp_data,
	    .omp_data = &(struct hg_ev_omp_data){
		.op = (uint8_t)op, .src = src, .dst = dst, .size = size, .stack_id = 7 } });
}

/* A block of the host's and its copy on the device; a kernel that does `access` to its argument. */
static void mapped_block(unsigned access, bool filled)
{
	device(1);
	kernel.atomic_count = 0;
	use.access = access;
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	data_op(HG_OMP_ALLOC, BLOCK, COPY, 8192);
	if (filled)
		data_op(HG_OMP_TO_DEVICE, BLOCK, COPY, 8192);
}

static void test_reads_what_nobody_sent(void **state)
{
	(void)state;
	mapped_block(ISA_READ, false);
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->allocation->ptr, BLOCK);
	assert_non_null(strstr(finding(0)->fix, "map(to:)"));
}

static void test_reads_what_was_sent(void **state)
{
	(void)state;
	mapped_block(ISA_READ, true);
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "");
}

static void test_reads_what_it_may_have_written(void **state)
{
	(void)state;
	mapped_block(ISA_READ | ISA_WRITE, false);
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "");
}

static void test_writes_what_nobody_fetches(void **state)
{
	(void)state;
	mapped_block(ISA_WRITE, true);
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "HG805");
	assert_non_null(strstr(finding(0)->fix, "map(from:)"));
}

static void test_writes_to_scratch_memory(void **state)
{
	(void)state;
	mapped_block(ISA_WRITE, false);
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "");
}

static void test_writes_what_is_fetched(void **state)
{
	(void)state;
	mapped_block(ISA_WRITE, true);
	omp_launch(COPY);
	data_op(HG_OMP_FROM_DEVICE, COPY, BLOCK, 8192);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "");
}

static void test_writes_what_hip_reads(void **state)
{
	(void)state;
	mapped_block(ISA_WRITE, true);
	omp_launch(COPY);
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy,
							       .dst = 0x7f0000,
							       .src = COPY,
							       .size = 64,
							       .kind = 2,
							       .depth = 1,
							       .rows = 1 } });
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_null(strstr(found(), "HG805"));
}

static void test_other_accesses_are_possible(void **state)
{
	(void)state;
	mapped_block(ISA_READ, false);
	kernel.uses_complete = false;
	omp_launch(COPY);
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	assert_string_equal(found(), "");
}

/* The argument may be the address of element 0 of another section. */
static void test_sections_are_mapped(void **state)
{
	(void)state;
	mapped_block(ISA_READ, false);
	alloc(HG_API_malloc, BLOCK + 0x10000, 16384, 0, 5);
	data_op(HG_OMP_ALLOC, BLOCK + 0x12000, COPY + 0x2000, 8192);
	omp_launch(COPY);
	assert_string_equal(found(), "");
}

/* ---- bytes that were not sent ---- */

#define STACK 0x7000000u

static struct isa_read reads[2];

static void expect_read(unsigned i, int64_t offset, uint32_t size)
{
	reads[i] = (struct isa_read){ .path = { .step_count = 1,
						.step = { { .offset = offset, .exact = true } } },
				      .size = size,
				      .executes = true,
				      .decides = true };
}

/*
 * A struct of two members on a stack, the second of which is mapped, with 8 bytes ahead of it; a
 * kernel that reads both first, and then stores where the second one leads.
 */
static void mapped_member(void)
{
	device(1);
	kernel.atomic_count = 0;
	use.access = ISA_READ;
	kernel.uses_complete = false;
	kernel.reads = reads;
	kernel.read_count = 2;
	expect_read(0, 0, 8);
	expect_read(1, 8, 8);
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){
				     .kind = HG_REGION_STACK, .start = STACK, .size = 0x100000 } });
	data_op(HG_OMP_ALLOC, STACK + 8, COPY, 16);
	data_op(HG_OMP_TO_DEVICE, 0x123456, COPY + 8, 8);
}

static void test_reads_another_member(void **state)
{
	(void)state;
	mapped_member();
	omp_launch(COPY);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "bytes 0 to 7 of what argument 0 points to"));
	assert_non_null(strstr(finding(0)->message, "only bytes 8 to 15 were transferred"));
	assert_int_equal(finding(0)->launches, 1);
}

static void test_may_read_another_member(void **state)
{
	(void)state;
	mapped_member();
	reads[0].executes = false;
	omp_launch(COPY);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void test_loads_ahead_of_a_condition(void **state)
{
	(void)state;
	mapped_member();
	reads[0].decides = false;
	omp_launch(COPY);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

/* As runtimes do it that do not align copies. */
static void test_reads_beside_the_copy(void **state)
{
	(void)state;
	mapped_member();
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	data_op(HG_OMP_ALLOC, STACK + 8, COPY, 8);
	data_op(HG_OMP_TO_DEVICE, 0x123456, COPY, 8);
	omp_launch(COPY - 8);
	assert_string_equal(found(), "HG805");
	assert_non_null(strstr(finding(0)->message, "bytes 0 to 7 of what argument 0 points to"));
	assert_non_null(strstr(finding(0)->message, "a copy of bytes 8 to 15 alone"));
}

static void test_all_members_are_sent(void **state)
{
	(void)state;
	mapped_member();
	data_op(HG_OMP_TO_DEVICE, STACK, COPY, 8);
	omp_launch(COPY);
	assert_string_equal(found(), "");
}

/* Compilers make loads wider than what the program reads. */
static void test_a_load_is_wider(void **state)
{
	(void)state;
	mapped_member();
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	data_op(HG_OMP_ALLOC, STACK + 8, COPY, 32);
	data_op(HG_OMP_TO_DEVICE, STACK + 8, COPY + 8, 12);
	kernel.read_count = 1;
	expect_read(0, 8, 16);
	omp_launch(COPY);
	assert_string_equal(found(), "");
}

/* ... but not by as much as a member. */
static void test_loads_are_joined(void **state)
{
	(void)state;
	mapped_member();
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	data_op(HG_OMP_ALLOC, STACK, COPY, 16);
	data_op(HG_OMP_TO_DEVICE, STACK, COPY, 8);
	kernel.read_count = 1;
	expect_read(0, 0, 16);
	omp_launch(COPY);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->message, "bytes 8 to 15 of what argument 0 points to"));
}

static void test_loads_go_past_the_copy(void **state)
{
	(void)state;
	mapped_member();
	data_op(HG_OMP_DELETE, COPY, 0, 0);
	data_op(HG_OMP_ALLOC, STACK, COPY, 8);
	data_op(HG_OMP_TO_DEVICE, STACK, COPY, 8);
	kernel.read_count = 1;
	expect_read(0, 0, 16);
	omp_launch(COPY);
	assert_string_equal(found(), "HG805");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_non_null(strstr(finding(0)->message, "only bytes 0 to 7 were transferred"));
}

static void test_a_region_may_have_written_it(void **state)
{
	(void)state;
	mapped_member();
	kernel.read_count = 0;
	omp_launch(COPY);
	kernel.read_count = 2;
	omp_launch(COPY);
	assert_string_equal(found(), "");
}

static void test_hip_has_filled_it(void **state)
{
	(void)state;
	mapped_member();
	apply((struct hg_event){
	    .type = HG_EVENT_fill,
	    .fill = &(struct hg_ev_fill){
		.api = HG_API_hipMemset, .dst = COPY, .size = 16, .rows = 1, .depth = 1 } });
	omp_launch(COPY);
	assert_null(strstr(found(), "HG805"));
}

/* What such a region leaves unchanged it may change once it has what it reads. */
static void test_unchanged_for_lack_of_data(void **state)
{
	(void)state;
	mapped_member();
	alloc(HG_API_malloc, BLOCK, 8192, 0, 5);
	data_op(HG_OMP_ALLOC, BLOCK, COPY + 0x1000, 8192);
	data_op(HG_OMP_TO_DEVICE, BLOCK, COPY + 0x1000, 8192);
	apply((struct hg_event){ .type = HG_EVENT_omp_content,
				 .omp_content = &(struct hg_ev_omp_content){ .hash = 9 } });
	omp_launch(COPY);
	data_op(HG_OMP_FROM_DEVICE, COPY + 0x1000, BLOCK, 8192);
	apply((struct hg_event){ .type = HG_EVENT_omp_content,
				 .omp_content = &(struct hg_ev_omp_content){ .hash = 9 } });
	assert_string_equal(found(), "HG805");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		FINDS(HG801, test_lost_on_unmapped_block),
		FINDS(HG801, test_lost_on_stack),
		SILENT(HG801, test_mapped_pages_are_coarse),
		SILENT(HG801, test_mapped_stack_is_coarse),
		TEST(test_safe_loop_is_slow),
		SILENT(HG801, test_pool_memory),
		SILENT(HG801, test_maps_unrecorded),
		SILENT(HG802, test_maps_unrecorded),
		TEST(test_kernels_unrecorded),
		TEST(test_regions_on_the_host),
		DOUBTS(HG101, test_hip_beside_unrecorded),
		TEST(test_lost_in_fine_pool),
		FINDS(HG805, test_reads_what_nobody_sent),
		FINDS(HG805, test_writes_what_nobody_fetches),
		SILENT(HG805, test_reads_what_was_sent),
		SILENT(HG805, test_reads_what_it_may_have_written),
		SILENT(HG805, test_writes_what_is_fetched),
		SILENT(HG805, test_writes_to_scratch_memory),
		SILENT(HG805, test_writes_what_hip_reads),
		DOUBTS(HG805, test_other_accesses_are_possible),
		SILENT(HG805, test_sections_are_mapped),
		FINDS(HG805, test_reads_another_member),
		FINDS(HG805, test_may_read_another_member),
		FINDS(HG805, test_loads_ahead_of_a_condition),
		FINDS(HG805, test_reads_beside_the_copy),
		SILENT(HG805, test_all_members_are_sent),
		SILENT(HG805, test_a_load_is_wider),
		FINDS(HG805, test_loads_are_joined),
		FINDS(HG805, test_loads_go_past_the_copy),
		SILENT(HG805, test_a_region_may_have_written_it),
		SILENT(HG805, test_hip_has_filled_it),
		TEST(test_unchanged_for_lack_of_data),
		FINDS(HG806, test_no_xnack),
		SILENT(HG806, test_hip_kernel),
		DOUBTS(HG801, test_xnack_unknown),
		DOUBTS(HG806, test_xnack_unknown),
		DOUBTS(HG802, test_neighbour_unknown),
		FINDS(HG802, test_neighbour_on_the_page),
		SILENT(HG802, test_alone_on_its_pages),
		TEST(test_no_order_between_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
