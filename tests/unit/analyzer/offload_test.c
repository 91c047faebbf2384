/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about what OpenMP target constructs move (HG504, HG505, HG803, HG804): traces that
 * must lead to a finding, traces that must not, and traces in which something is missing.
 */
#include "trace.h"
#include "analyzer/replay/target_regions.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_content.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_omp_runtime.h"
#include "tracer/events/ev_omp_submit.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/events/ev_stack.h"

#define HOST   0x500000u
#define DEVICE 0x900000u
#define SIZE   8192u

/* Target, data operation, submit and map callbacks. */
#define ALL_CALLBACKS ((uint64_t)0xe << 32)
#define NO_SUBMITS    ((uint64_t)0x6 << 32)

static uint32_t last_op;

static void begin(uint64_t callbacks)
{
	last_op = 0;
	process("/bin/program", "");
	apply((struct hg_event){
	    .type = HG_EVENT_omp_runtime,
	    .omp_runtime = &(struct hg_ev_omp_runtime){ .version = "", .callbacks = callbacks } });
	alloc(HG_API_malloc, HOST, SIZE, 5);
}

static void target(unsigned kind, unsigned endpoint, uint32_t stack_id)
{
	apply((struct hg_event){
	    .type = HG_EVENT_omp_target,
	    .omp_target = &(struct hg_ev_omp_target){
		.kind = (uint8_t)kind, .endpoint = (uint8_t)endpoint, .stack_id = stack_id } });
}

static void region(uint32_t stack_id)
{
	target(HG_OMP_TARGET, HG_OMP_BEGIN, stack_id);
	apply(
	    (struct hg_event){ .type = HG_EVENT_omp_submit,
			       .omp_submit = &(struct hg_ev_omp_submit){ .stack_id = stack_id } });
	target(HG_OMP_TARGET, HG_OMP_END, stack_id);
}

static void data(unsigned op, uint64_t src, uint64_t dst, uint64_t size, uint32_t stack_id)
{
	apply((struct hg_event){
	    .type = HG_EVENT_omp_data,
	    .omp_data = &(struct hg_ev_omp_data){ .op_id = ++last_op,
						  .op = (uint8_t)op,
						  .src = src,
						  .dst = dst,
						  .src_device = op == HG_OMP_TO_DEVICE ? 1 : 0,
						  .size = size,
						  .stack_id = stack_id } });
}

/* What the latest operation carried. */
static void content(uint64_t hash)
{
	apply((struct hg_event){
	    .type = HG_EVENT_omp_content,
	    .omp_content = &(struct hg_ev_omp_content){ .op_id = last_op, .hash = hash } });
}

static void map_alloc(uint32_t stack_id)
{
	data(HG_OMP_ALLOC, HOST, DEVICE, SIZE, stack_id);
}

static void upload(uint64_t hash, uint32_t stack_id)
{
	data(HG_OMP_TO_DEVICE, HOST, DEVICE, SIZE, stack_id);
	if (hash)
		content(hash);
}

static void download(uint64_t hash, uint32_t stack_id)
{
	data(HG_OMP_FROM_DEVICE, DEVICE, HOST, SIZE, stack_id);
	if (hash)
		content(hash);
}

static void unmap(uint32_t stack_id)
{
	data(HG_OMP_DELETE, DEVICE, 0, 0, stack_id);
}

/* map(to:) or, with a second content, map(tofrom:) of one region. */
static void map_region(uint64_t to, uint64_t from)
{
	map_alloc(7);
	upload(to, 7);
	region(7);
	if (from)
		download(from, 7);
	unmap(7);
}

static void test_mapped_again_and_again(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 4; i++)
		map_region(11, 0);
	assert_string_equal(found(), "HG803");
	assert_int_equal(finding(0)->count, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->ptr, HOST);
	assert_non_null(strstr(finding(0)->message, "3 of 3 transfers"));
}

static void test_mapped_three_times_is_no_churn(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 3; i++)
		map_region(11, 0);
	assert_string_equal(found(), "");
}

static void test_other_bytes_each_time(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (uint64_t i = 0; i < 8; i++)
		map_region(11 + 2 * i, 12 + 2 * i);
	assert_string_equal(found(), "");
}

/* What came back goes out again: the host did nothing with it. */
static void test_back_and_out_again(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (uint64_t i = 0; i < 4; i++)
		map_region(11 + i, 12 + i);
	assert_string_equal(found(), "HG803");
}

static void test_unknown_contents(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 8; i++)
		map_region(0, 0);
	assert_string_equal(found(), "");
}

/* The block is released and another one lies there. */
static void test_another_block_at_the_address(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 8; i++) {
		map_region(11, 0);
		release(HG_API_free, HOST);
		alloc(HG_API_malloc, HOST, SIZE, 5);
	}
	assert_string_equal(found(), "");
}

static void test_scratch_allocated_in_loop(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 17; i++) {
		map_alloc(7);
		region(7);
		unmap(7);
	}
	assert_string_equal(found(), "HG803");
}

static void test_small_things_are_not_worth_it(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 20; i++) {
		data(HG_OMP_ALLOC, HOST, DEVICE, 8, 7);
		data(HG_OMP_TO_DEVICE, HOST, DEVICE, 8, 7);
		content(3);
		region(7);
		data(HG_OMP_FROM_DEVICE, DEVICE, HOST, 8, 7);
		content(3);
		unmap(7);
	}
	assert_string_equal(found(), "");
}

static void test_came_back_unchanged(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_region(11, 11);
	assert_string_equal(found(), "HG804");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void test_changed_once(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_region(11, 11);
	map_region(11, 13);
	assert_string_equal(found(), "");
}

/* Compilers unroll loops and inline: one region, and a call of it for each copy. */
static void copy_of_region(uint32_t stack_id, const char *symbol, uint64_t to, uint64_t from)
{
	uint64_t frames[] = { 0x401000 + stack_id, 0x402000 };

	apply((struct hg_event){
	    .type = HG_EVENT_stack,
	    .stack = &(struct hg_ev_stack){ .stack_id = stack_id, .depth = 2, .frames = frames } });
	apply((struct hg_event){ .type = HG_EVENT_kernel,
				 .kernel =
				     &(struct hg_ev_kernel){ .kernel_id = 3, .symbol = symbol } });
	target(HG_OMP_TARGET, HG_OMP_BEGIN, stack_id);
	map_alloc(stack_id);
	upload(to, stack_id);
	apply((struct hg_event){ .type = HG_EVENT_launch,
				 .launch = &(struct hg_ev_launch){ .api = HG_API_hsa_queue_dispatch,
								   .kernel_id = 3,
								   .stack_id = stack_id } });
	download(from, stack_id);
	unmap(stack_id);
	target(HG_OMP_TARGET, HG_OMP_END, stack_id);
}

#define REGION "__omp_offloading_fe00_5a_step_l7"

static void test_copies_of_a_region(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	copy_of_region(31, REGION, 11, 11);
	copy_of_region(32, REGION, 11, 11);
	assert_string_equal(found(), "HG804");
	assert_int_equal(finding(0)->count, 2);
}

static void test_another_region_of_the_function(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	copy_of_region(31, REGION, 11, 11);
	copy_of_region(32, REGION "_1", 11, 11);
	assert_string_equal(found(), "HG804 HG804");
}

static void test_copies_of_a_region_one_of_which_changes_it(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	copy_of_region(31, REGION, 11, 11);
	copy_of_region(32, REGION, 11, 12);
	assert_string_equal(found(), "");
}

/* Names that are none of regions, or not of one alone, say nothing of where they stand. */
static void test_regions_by_name(void **state)
{
	static const char *const names[] = { "__omp_offloading_fe00_5a_step",
					     "__omp_offloading_fe00_5a__l7",
					     "__omp_offloading_fe00_step_l7",
					     "__omp_offloading_fe00_5a_step_l7_",
					     "__omp_offloading_fe00_5a_step_l7x",
					     "__omp_offloading_fe00_5a_step_l99999999999",
					     "_Z4workPfS_" };
	struct process *process;
	const struct target_region *region;

	(void)state;
	begin(ALL_CALLBACKS);
	for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++) {
		copy_of_region(40 + i, names[i], 11, 12);
		process = replay_process(&replay, pid_now);
		assert_null(target_region_at(process, 0x401000 + 40 + i));
	}
	copy_of_region(60, "__omp_offloading_fe00_5a_a_l2_step_l7_1", 11, 12);
	process = replay_process(&replay, pid_now);
	region = target_region_at(process, 0x401000 + 60);
	assert_non_null(region);
	IF_WHOLE(assert_int_equal(region->line, 7));
	IF_WHOLE(assert_string_equal(region->function, "a_l2_step"));
	copy_of_region(60, "__omp_offloading_fe00_5a_other_l9", 11, 12);
	assert_null(target_region_at(process, 0x401000 + 60));
	copy_of_region(60, "__omp_offloading_fe00_5a_other_l9", 11, 12);
	assert_null(target_region_at(process, 0x401000 + 60));
}

static void test_sent_back(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	region(7);
	download(12, 8);
	upload(12, 9);
	region(7);
	download(13, 8);
	unmap(7);
	assert_string_equal(found(), "HG504");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* A region in between may have changed the device's copy, which is thereby set again. */
static void test_sent_back_after_a_region(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	region(7);
	for (int i = 0; i < 4; i++) {
		download(12, 8);
		region(7);
		upload(12, 9);
		region(7);
	}
	unmap(7);
	assert_string_equal(found(), "");
}

static void test_sent_back_but_kernels_are_not_told(void **state)
{
	(void)state;
	begin(NO_SUBMITS);
	map_alloc(7);
	upload(11, 7);
	download(12, 8);
	upload(12, 9);
	unmap(7);
	assert_string_equal(found(), "");
}

static void test_sent_twice(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	upload(11, 8);
	region(7);
	unmap(7);
	assert_string_equal(found(), "HG505");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void test_sent_again_after_regions(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	for (int i = 0; i < 3; i++) {
		region(7);
		upload(11, 8);
	}
	region(7);
	unmap(7);
	assert_string_equal(found(), "HG505");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void test_never_used(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	unmap(8);
	assert_string_equal(found(), "HG505");
	assert_int_equal(finding(0)->sites->len, 1);
	assert_int_equal(g_array_index(finding(0)->sites, struct site, 0).stack_id, 7);
}

static void test_written_over(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	upload(12, 8);
	region(7);
	unmap(8);
	assert_string_equal(found(), "HG505");
}

static void test_written_over_after_use(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	region(7);
	upload(12, 8);
	region(7);
	unmap(8);
	assert_string_equal(found(), "");
}

static void test_used_by_download(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	download(0, 8);
	unmap(8);
	assert_string_equal(found(), "");
}

static void test_used_by_another_device(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	data(HG_OMP_TO_DEVICE, DEVICE, DEVICE + 0x100000, SIZE, 9);
	unmap(8);
	assert_string_equal(found(), "");
}

/* A HIP kernel may be given memory of OpenMP's. */
static void test_used_by_hip(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	code();
	map_alloc(7);
	upload(11, 7);
	launch(DEVICE, DEVICE);
	unmap(8);
	assert_string_equal(found(), "");
}

static void test_unused_but_kernels_are_not_told(void **state)
{
	(void)state;
	begin(NO_SUBMITS);
	map_alloc(7);
	upload(11, 7);
	unmap(8);
	assert_string_equal(found(), "");
}

/* Events were lost: what did not happen may have. */
static void test_unused_with_losses(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	unmap(8);
	rules_engine_finish(engine, &replay);
	findings_drop(&findings, BASIS_ABSENCE);
	assert_int_equal(findings.list->len, 0);
	assert_int_equal(findings.limits->len, 1);
}

/* Only parts are transferred: nothing is claimed about the whole. */
static void test_parts(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	for (int i = 0; i < 6; i++) {
		data(HG_OMP_TO_DEVICE, HOST, DEVICE, SIZE / 2, 7);
		content(11);
		region(7);
		data(HG_OMP_FROM_DEVICE, DEVICE, HOST, SIZE / 2, 7);
		content(11);
	}
	unmap(7);
	assert_string_equal(found(), "");
}

static void test_fetched_twice(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	region(7);
	download(12, 8);
	download(12, 9);
	unmap(7);
	assert_string_equal(found(), "HG505");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "back from device 0"));
}

static void test_fetched_after_each_region(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	for (int i = 0; i < 4; i++) {
		region(7);
		download(12, 8);
	}
	unmap(7);
	assert_string_equal(found(), "");
}

/* An update is requested: that the bytes are the same could not be known. */
static void test_update_came_back_unchanged(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	map_alloc(7);
	upload(11, 7);
	region(7);
	target(HG_OMP_UPDATE, HG_OMP_BEGIN, 8);
	download(11, 8);
	target(HG_OMP_UPDATE, HG_OMP_END, 8);
	unmap(7);
	assert_string_equal(found(), "");
}

/* What was known before an unread transfer is not known after it. */
static void test_not_all_are_read(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	for (int i = 0; i < 8; i++) {
		map_alloc(7);
		upload(0, 7);
		content(i % 2 ? 11 : 0);
		region(7);
		unmap(7);
	}
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "4 OpenMP transfers were not compared"));
}

static void test_nothing_mapped(void **state)
{
	(void)state;
	begin(ALL_CALLBACKS);
	region(7);
	region(8);
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "2 OpenMP target regions"));
}

static void test_nothing_mapped_but_operations_are_not_told(void **state)
{
	(void)state;
	begin((uint64_t)0xa << 32);
	region(7);
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		FINDS(HG803, test_mapped_again_and_again),
		SILENT(HG803, test_mapped_three_times_is_no_churn),
		SILENT(HG803, test_other_bytes_each_time),
		FINDS(HG803, test_back_and_out_again),
		DOUBTS(HG803, test_unknown_contents),
		SILENT(HG803, test_another_block_at_the_address),
		FINDS(HG803, test_scratch_allocated_in_loop),
		SILENT(HG803, test_small_things_are_not_worth_it),
		SILENT(HG804, test_small_things_are_not_worth_it),
		SILENT(HG504, test_small_things_are_not_worth_it),
		SILENT(HG505, test_small_things_are_not_worth_it),
		FINDS(HG804, test_came_back_unchanged),
		SILENT(HG804, test_changed_once),
		FINDS(HG804, test_copies_of_a_region),
		FINDS(HG804, test_another_region_of_the_function),
		SILENT(HG804, test_copies_of_a_region_one_of_which_changes_it),
		TEST(test_regions_by_name),
		SILENT(HG804, test_update_came_back_unchanged),
		FINDS(HG505, test_fetched_twice),
		SILENT(HG505, test_fetched_after_each_region),
		FINDS(HG504, test_sent_back),
		SILENT(HG504, test_sent_back_after_a_region),
		DOUBTS(HG504, test_sent_back_but_kernels_are_not_told),
		FINDS(HG505, test_sent_twice),
		FINDS(HG505, test_sent_again_after_regions),
		FINDS(HG505, test_never_used),
		FINDS(HG505, test_written_over),
		SILENT(HG505, test_written_over_after_use),
		SILENT(HG505, test_used_by_download),
		SILENT(HG505, test_used_by_another_device),
		SILENT(HG505, test_used_by_hip),
		DOUBTS(HG505, test_unused_but_kernels_are_not_told),
		TEST(test_unused_with_losses),
		SILENT(HG804, test_parts),
		DOUBTS(HG804, test_unknown_contents),
		SILENT(HG803, test_not_all_are_read),
		TEST(test_nothing_mapped),
		TEST(test_nothing_mapped_but_operations_are_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
