/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what a fault's page stands for: HG209 and HG806 that rest on a fault alone, and blocks of
 * the C library that share a page.
 */
#include "faults_world.h"
#include "analyzer/rules/engine/evidence.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/events/ev_region.h"

#define REGION 50u /* a kernel whose machine code is not known */

static void heap(void)
{
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){
				     .kind = HG_REGION_HEAP, .start = HOST, .size = 0x10000 } });
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_calloc,
								 .ptr = HOST + 0x10,
								 .size = 0x2000,
								 .device = -1,
								 .symbol = "",
								 .stack_id = 1 } });
}

static void a_target_region_uses_the_heap(void **state)
{
	(void)state;
	kernel_event(REGION, "__omp_offloading_main_l6");
	heap();
	launch_by(HG_API_hsa_queue_dispatch, REGION, A, (struct bytes){ P, 0, 0 });
	fault(HOST);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("a page with the beginning of 8192 bytes from calloc"));
	IF_WHOLE(assert_string_equal(
	    ((struct fault_row *)faults_result(&findings)->pdata[0])->rules, "HG806"));
}

/* The first page of a block that the C library maps for itself has its header alone beside it. */
static void region_uses_block_of(uint64_t size)
{
	kernel_event(REGION, "__omp_offloading_main_l6");
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_calloc,
								 .ptr = 0x7f0000000010,
								 .size = size,
								 .device = -1,
								 .symbol = "",
								 .stack_id = 1 } });
	launch_by(HG_API_hsa_queue_dispatch, REGION, A, (struct bytes){ P, 0, 0 });
	fault(0x7f0000000000);
	assert_string_equal(found(), "HG806");
}

static void a_target_region_uses_a_mapped_block(void **state)
{
	(void)state;
	region_uses_block_of(32 << 20);
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->stack_id, 1);
}

static void a_target_region_uses_a_block_that_may_not_be_mapped(void **state)
{
	(void)state;
	region_uses_block_of(1 << 20);
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void one_of_two_target_regions_uses_the_heap(void **state)
{
	(void)state;
	kernel_event(REGION, "__omp_offloading_main_l6");
	kernel_event(REGION + 1, "__omp_offloading_main_l9");
	heap();
	launch_by(HG_API_hsa_queue_dispatch, REGION, A, (struct bytes){ P, 0, 0 });
	launch_by(HG_API_hsa_queue_dispatch, REGION + 1, A, (struct bytes){ P, 0, 0 });
	fault(HOST);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
}

static void a_target_region_that_has_ended_does_not(void **state)
{
	(void)state;
	kernel_event(REGION, "__omp_offloading_main_l6");
	kernel_event(REGION + 1, "__omp_offloading_main_l9");
	heap();
	launch_by(HG_API_hsa_queue_dispatch, REGION, A, (struct bytes){ P, 0, 0 });
	apply((struct hg_event){ .type = HG_EVENT_omp_target,
				 .omp_target =
				     &(struct hg_ev_omp_target){ .kind = 1, .endpoint = 2 } });
	launch_by(HG_API_hsa_queue_dispatch, REGION + 1, A, (struct bytes){ P, 0, 0 });
	fault(HOST + 0x1000);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel_symbol, "__omp_offloading_main_l9");
}

static void block_of_pages(uint64_t ptr, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_aligned_alloc,
								 .ptr = ptr,
								 .size = 0x1000,
								 .device = -1,
								 .symbol = "",
								 .stack_id = stack_id } });
}

/* A region that writes to one block in place, and reads another one. */
static void a_region_of_two_blocks(uint64_t second)
{
	kernels[COPIER - 1].symbol = (char *)"__omp_offloading_main_l12";
	kernel_event(COPIER, "__omp_offloading_main_l12");
	block_of_pages(HOST, 1);
	block_of_pages(second, 2);
	launch_by(HG_API_hsa_queue_dispatch, COPIER, A, (struct bytes){ HOST, second, 0 });
	kernels[COPIER - 1].symbol = (char *)"copier";
}

static void the_second_block_of_a_region(void **state)
{
	(void)state;
	a_region_of_two_blocks(HOST + 0x2000);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->address, HOST + 0x2000);
	assert_int_equal(finding(0)->allocation->stack_id, 2);
	assert_int_equal(finding(0)->argument, 1);
	assert_true(says("the target region reads 4096 bytes from aligned_alloc in place"));
	assert_false(says("others differ"));
}

/* ... of which the page has other memory as well. */
static void the_second_block_shares_its_page(void **state)
{
	(void)state;
	kernels[COPIER - 1].uses_complete = false;
	apply((struct hg_event){ .type = HG_EVENT_region,
				 .region = &(struct hg_ev_region){
				     .kind = HG_REGION_HEAP, .start = HOST, .size = 0x10000 } });
	a_region_of_two_blocks(HOST + 0x2100);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->argument, 1);
}

static void neither_block_of_a_region(void **state)
{
	(void)state;
	heap();
	a_region_of_two_blocks(HOST + 0x4000);
	fault(HOST + 0x8000);
	assert_string_equal(found(), "HG806");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->argument, 0);
	assert_true(says("others differ"));
}

static void a_kernel_gets_to_the_heap(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	launch(WRITER, A, P);
	fault(HOST + 0x1000);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
}

/* Of the last page the block has 16 bytes alone. */
static void a_kernel_gets_to_the_end_of_a_block(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	launch(WRITER, A, P);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("a page with the end of 8192 bytes from calloc"));
	IF_WHOLE(assert_true(((struct fault_row *)faults_result(&findings)->pdata[0])->vague));
}

static void neighbour(void)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_malloc,
								 .ptr = HOST + 0x2100,
								 .size = 1000,
								 .device = -1,
								 .symbol = "",
								 .stack_id = 2 } });
}

static void a_page_with_two_blocks(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	neighbour();
	launch(WRITER, A, P);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(says("the end of 8192 bytes from calloc, and 1000 bytes from malloc"));
}

/* The kernel gets the address of one, and is known to access nothing else. */
static void a_kernel_is_given_one_of_two_blocks(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	neighbour();
	launch(WRITER, A, HOST + 0x2100);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->size, 1000);
}

/* It is too small to be recorded. */
static void a_kernel_is_given_a_block_beside(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	launch(WRITER, A, HOST + 0x2100);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG209");
	assert_true(says("a heap block smaller than the recording threshold"));
	assert_false(says("calloc"));
	IF_WHOLE(assert_int_equal(((struct fault_row *)faults_result(&findings)->pdata[0])->kind,
				  PLACE_HEAP));
}

static void a_kernel_is_given_both_blocks(void **state)
{
	(void)state;
	two_streams(0);
	heap();
	neighbour();
	launch_by(HG_API_hipLaunchKernel, COPIER, A,
		  (struct bytes){ HOST + 0x2100, HOST + 0x1ff0, 0 });
	fault(HOST + 0x2000);
	assert_int_not_equal(confidence(), CONFIDENCE_PROVEN);
}

/* ... and what else it accesses is not known. */
static void a_kernel_is_given_a_block_and_accesses_more(void **state)
{
	(void)state;
	kernels[WRITER - 1].uses_complete = false;
	two_streams(0);
	heap();
	launch(WRITER, A, HOST + 0x10);
	fault(HOST + 0x2000);
	assert_string_equal(found(), "HG209");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->doubts, "the end of 8192 bytes from calloc"));
}

static bool merged_lines;

/* Lines are named after the kernel. */
char *isa_line_at(const void *elf, size_t size, const char *symbol, int64_t offset, unsigned *line,
		  bool *merged)
{
	(void)elf;
	(void)size;
	*line = (unsigned)offset;
	*merged = merged_lines;
	return strdup(symbol);
}

static const struct code_site *instruction(unsigned index)
{
	return finding(0)->instructions->pdata[index];
}

/* The software GPU's checks saw this: `value` is the kind, | 256: it writes, | 512: doubtful. */
static void checked(const char *text, uint64_t value, uint64_t address)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_gpu_checked,
							       .ptr = address,
							       .size = 4,
							       .flags = 0x34,
							       .handle = 0x10,
							       .value = value,
							       .text = text } });
}

#define ATOMIC "writer global_atomic_add 1,2,3 4,5,6 0,0,0 0 - 0,0,0"

static void a_checked_access(void **state)
{
	(void)state;
	two_streams(0);
	checked(ATOMIC, 3 | 256, FAR + 2);
	assert_string_equal(found(), "HG623");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("Work-item (4, 5, 6) of work-group (1, 2, 3) of writer writes 4 bytes"));
	assert_true(says("+0x34: an atomic at no multiple of its size"));
	IF_WHOLE(assert_string_equal(instruction(0)->file, "writer"));
	assert_int_equal(instruction(0)->line, 0x34);
	assert_null(finding(0)->doubts);
}

static void an_access_beyond_lds(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer ds_read_b32 0,0,0 1,0,0 0,0,0 1024 - 0,0,0", 2, 1024);
	assert_string_equal(found(), "HG623");
	assert_true(says("reads 4 bytes at byte 1024 of LDS, of which the work-group has 1024"));
	assert_null(finding(0)->allocation);
}

static void an_access_in_another_allocation(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_store_dword 0,0,0 1,0,0 0,0,0 0 - 0,0,0", 5 | 256 | 512, FAR + 4);
	assert_string_equal(found(), "HG623");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("no argument of the launch and no pointer that a kernel loaded"));
}

static void an_access_behind_the_variables(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_store_dword 0,0,0 1,0,0 0,0,0 0 - 0,0,0", 6 | 256, 0x5000);
	assert_string_equal(found(), "HG623");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("at 0x5000"));
	assert_true(says("behind the last variable"));
}

static void a_race(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer ds_write_b32 0,0,0 64,0,0 3,0,0 1024 ds_read_b32 0,0,0", 4 | 256, 12);
	assert_string_equal(found(), "HG711");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("the access of work-item (3, 0, 0) at +0x10"));
	IF_WHOLE(assert_int_equal(finding(0)->instructions->len, 2));
	assert_int_equal(instruction(1)->line, 0x10);
}

static void a_race_of_work_groups(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_store_dword 1,0,0 64,0,0 3,0,0 0 global_load_dword 7,0,0", 13 | 256,
		FAR);
	assert_string_equal(found(), "HG714");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("work-item (3, 0, 0) of work-group (7, 0, 0) accessed them at +0x10, and "
			 "nothing that (1, 0, 0) executed since"));
	IF_WHOLE(assert_int_equal(finding(0)->instructions->len, 2));
	assert_string_equal(instruction(1)->instruction, "global_load_dword");
}

static void unwritten_bytes_for_the_host(void **state)
{
	(void)state;
	two_streams(0);
	checked("- - 0,0,0 0,0,0 0,0,0 0 - 0,0,0", 15 | 512, FAR);
	assert_string_equal(found(), "HG624");
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_true(
	    says("hipMemcpy copies 52 bytes to the host, of which nothing has written the 4"));
	assert_null(finding(0)->kernel);
}

static void a_kernel_that_was_ended(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_load_dword 1,0,0 64,0,0 0,0,0 0 - 2,3,4", 14, FAR);
	assert_string_equal(found(), "HG715");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("2 had ended before, 3 ran, and 4 had not begun"));
	assert_true(says("went on to read"));
}

static void a_kernel_that_may_be_slow(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_load_dword 1,0,0 64,0,0 0,0,0 0 - 2,3,4", 14 | 512, FAR);
	assert_string_equal(found(), "HG715");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void a_load_that_races_with_a_work_group(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_load_dword 1,0,0 64,0,0 3,0,0 0 global_store_dword 7,0,0", 13 | 512,
		FAR);
	assert_string_equal(found(), "HG714");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

static void a_race_that_a_flag_may_order(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer ds_read_b32 0,0,0 64,0,0 3,0,0 1024 - 0,0,0", 4 | 512, 12);
	assert_string_equal(found(), "HG711");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
}

#define READS(kernel) kernel " global_load_dword 0,0,0 1,0,0 0,0,0 0 - 0,0,0"

static void an_access_past_the_end(void **state)
{
	(void)state;
	two_streams(0);
	kernel_event(90, "writer"); /* loaded again */
	checked(READS("writer"), 0, P + 0x1000 + 8);
	assert_string_equal(found(), "HG623");
	assert_true(says("that begin 8 bytes past the end of 4096 bytes"));
	assert_int_equal(finding(0)->offset, 0x1008);
}

static void an_access_across_the_end(void **state)
{
	(void)state;
	two_streams(0);
	checked(READS("writer"), 0, P + 0x1000 - 3);
	assert_string_equal(found(), "HG623");
	assert_true(says("of which 1 bytes are past the end of 4096 bytes"));
	assert_int_equal(finding(0)->offset, 0xffd);
}

/* The allocation that is known now is another one. */
static void an_access_that_is_inside_by_now(void **state)
{
	(void)state;
	two_streams(0);
	checked(READS("nothing"), 0, P + 8);
	assert_string_equal(found(), "HG623");
	assert_true(says("at byte 8 of 4096 bytes"));
	IF_WHOLE(assert_string_equal(finding(0)->kernel, "nothing"));
	assert_null(instruction(0)->file);
}

static void an_access_to_released_memory(void **state)
{
	(void)state;
	two_streams(0);
	release(HG_API_hipFree, P, 0);
	checked(READS("writer"), 1, P + 8);
	assert_string_equal(found(), "HG623");
	assert_true(says("at byte 8 of released memory: 4096 bytes"));
}

/* Says what is not checked, and nothing of checks that were off. */
static void limits_of_the_checks(void **state)
{
	(void)state;
	found();
	assert_int_equal(findings.limits->len, 0);
	runtime(50221153, "SOFTGPU_CHECK=memcheck");
	found();
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "not checked: images"));
	runtime(50221153, "SOFTGPU_CHECK=racecheck");
	found();
	assert_int_equal(findings.limits->len, 2);
	assert_non_null(strstr(findings.limits->pdata[1], "not checked: races in global memory"));
}

static void unwritten_memory_decides(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer global_load_dword 0,0,0 1,0,0 0,0,0 0 - 0,0,0", 7, FAR);
	assert_string_equal(found(), "HG624");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("Nothing wrote them before. They decide at +0x10 which instructions"));
}

static void a_result_of_unwritten_lds(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer ds_read_b32 0,0,0 1,0,0 0,0,0 64 - 0,0,0", 9 | 512,
		((uint64_t)0x10000 << 32) + 12);
	assert_string_equal(found(), "HG624");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(says("reads 4 bytes at byte 12 of LDS"));
	assert_true(says("A result computed with them is stored at +0x10"));
	assert_null(finding(0)->allocation);
}

/* The size, 4, is the number of work-items. */
static void a_barrier_that_lanes_did_not_reach(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer s_barrier 0,0,0 8,0,0 8,0,0 0 - 0,0,0", 11, 0);
	assert_string_equal(found(), "HG712");
	assert_int_equal(confidence(), CONFIDENCE_PROVEN);
	assert_true(says("work-item (8, 0, 0) did not reach the barrier at +0x10, which its wave "
			 "passed without it and 3 others"));
	assert_true(says("executed s_barrier at +0x34"));
}

/* Nothing tells that the store is not merged of two. */
static void lanes_that_may_have_returned(void **state)
{
	(void)state;
	two_streams(0);
	merged_lines = true;
	checked("writer global_store_dword 0,0,0 8,0,0 8,0,0 0 - 0,0,0", 11 | 512, 0);
	assert_string_equal(found(), "HG712");
	merged_lines = false;
	assert_int_equal(confidence(), CONFIDENCE_POSSIBLE);
	assert_int_equal(finding_severity(finding(0)), SEVERITY_WARNING);
}

static void waves_at_two_barriers(void **state)
{
	(void)state;
	two_streams(0);
	checked("writer s_barrier 0,0,0 0,0,0 64,0,0 0 - 0,0,0", 12 | 512, 5);
	assert_string_equal(found(), "HG712");
	assert_int_equal(confidence(), CONFIDENCE_LIKELY);
	assert_true(
	    says("the wave of work-item (0, 0, 0) waited at the barrier at +0x34 for that of "
		 "work-item (64, 0, 0) at +0x10"));
	assert_true(says("ended after 4 barriers, another one reached 5"));
}

/* No recorder writes these. */
static void checked_accesses_that_say_nothing(void **state)
{
	(void)state;
	two_streams(0);
	checked("", 0, FAR);
	checked("writer", 0, FAR);
	checked("writer global_load_dword 0,0,0 0,0,0 0,0,0", 0, FAR);
	checked("writer global_load_dword 0,0 0,0,0 0,0,0 0 - 0,0,0", 0, FAR);
	checked("writer global_load_dword 0,0,0x 0,0,0 0,0,0 0 - 0,0,0", 4, FAR);
	checked(ATOMIC, 250, FAR);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG806, a_target_region_uses_the_heap),
		FINDS(HG806, a_target_region_uses_a_mapped_block),
		DOUBTS(HG806, a_target_region_uses_a_block_that_may_not_be_mapped),
		DOUBTS(HG806, one_of_two_target_regions_uses_the_heap),
		FINDS(HG806, a_target_region_that_has_ended_does_not),
		FINDS(HG806, the_second_block_of_a_region),
		DOUBTS(HG806, the_second_block_shares_its_page),
		DOUBTS(HG806, neither_block_of_a_region),
		FINDS(HG209, a_kernel_gets_to_the_heap),
		DOUBTS(HG209, a_kernel_gets_to_the_end_of_a_block),
		DOUBTS(HG209, a_page_with_two_blocks),
		FINDS(HG209, a_kernel_is_given_one_of_two_blocks),
		TEST(a_kernel_is_given_a_block_beside),
		DOUBTS(HG209, a_kernel_is_given_both_blocks),
		DOUBTS(HG209, a_kernel_is_given_a_block_and_accesses_more),
		FINDS(HG623, a_checked_access),
		FINDS(HG623, an_access_beyond_lds),
		DOUBTS(HG623, an_access_in_another_allocation),
		FINDS(HG623, an_access_behind_the_variables),
		SILENT(HG623, checked_accesses_that_say_nothing),
		FINDS(HG623, an_access_past_the_end),
		FINDS(HG623, an_access_across_the_end),
		FINDS(HG623, an_access_that_is_inside_by_now),
		FINDS(HG623, an_access_to_released_memory),
		TEST(limits_of_the_checks),
		FINDS(HG624, unwritten_memory_decides),
		DOUBTS(HG624, a_result_of_unwritten_lds),
		SILENT(HG624, checked_accesses_that_say_nothing),
		FINDS(HG711, a_race),
		DOUBTS(HG711, a_race_that_a_flag_may_order),
		SILENT(HG711, checked_accesses_that_say_nothing),
		FINDS(HG712, a_barrier_that_lanes_did_not_reach),
		DOUBTS(HG712, lanes_that_may_have_returned),
		DOUBTS(HG712, waves_at_two_barriers),
		SILENT(HG712, checked_accesses_that_say_nothing),
		FINDS(HG714, a_race_of_work_groups),
		DOUBTS(HG714, a_load_that_races_with_a_work_group),
		SILENT(HG714, checked_accesses_that_say_nothing),
		DOUBTS(HG624, unwritten_bytes_for_the_host),
		FINDS(HG715, a_kernel_that_was_ended),
		DOUBTS(HG715, a_kernel_that_may_be_slow),
		SILENT(HG715, checked_accesses_that_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
