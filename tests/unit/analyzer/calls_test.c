/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about sequences of calls: HG5xx, HG608, HG620. Each one's case, what is
 * like it and right, and what happens when evidence is missing. */
#include "trace.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_process.h"

#define KIB      1024u
#define MIB      (1024u * 1024u)
#define DEVICE   0x100000000u /* 256 MiB from hipMalloc */
#define OTHER    0x200000000u
#define HOST     0x500000000u /* 256 MiB from hipHostMalloc */
#define PAGEABLE 0x700000000u /* 256 MiB from malloc */

static void begin(int8_t xnack)
{
	process("", "");
	code();
	device_of(0, "gfx90a", xnack);
	alloc(HG_API_hipMalloc, DEVICE, 256 * MIB, 1);
	alloc(HG_API_hipMalloc, OTHER, 256 * MIB, 2);
	alloc(HG_API_hipHostMalloc, HOST, 256 * MIB, 3);
	alloc(HG_API_malloc, PAGEABLE, 256 * MIB, 4);
}

/* ---- HG502 ---- */

static void copies(unsigned count, uint64_t size, uint64_t dst_step, uint64_t src_step)
{
	for (unsigned i = 0; i < count; i++) {
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE + i * dst_step, HOST + i * src_step,
			size);
	}
}

static void adjacent_small_copies(void **state)
{
	(void)state;
	begin(0);
	copies(20, 4 * KIB, 4 * KIB, 4 * KIB);
	assert_string_equal(found(), "HG502");
	assert_non_null(strstr(finding(0)->message, "20 times in a row for 81920 bytes"));
	assert_non_null(strstr(finding(0)->fix, "81920 bytes with one call"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void rows_of_a_matrix(void **state)
{
	(void)state;
	begin(0);
	copies(16, 256, 256, 1024);
	assert_string_equal(found(), "HG502");
	assert_non_null(strstr(finding(0)->fix, "width 256, height 16, pitches 256 and 1024"));
}

static void fifteen_copies_are_no_run(void **state)
{
	(void)state;
	begin(0);
	copies(15, 4 * KIB, 4 * KIB, 4 * KIB);
	wait();
	copies(15, 4 * KIB, 4 * KIB, 4 * KIB);
	assert_string_equal(found(), "");
}

static void large_copies_and_scattered_ones(void **state)
{
	(void)state;
	begin(0);
	copies(20, 64 * KIB, 64 * KIB, 64 * KIB);
	for (unsigned i = 0; i < 40; i++)
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE + i * i * KIB, HOST + i * KIB, KIB);
	assert_string_equal(found(), "");
}

static void copies_with_work_between(void **state)
{
	(void)state;
	begin(0);
	for (unsigned i = 0; i < 40; i++) {
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE + i * KIB, HOST + i * KIB, KIB);
		launch_on(0, 7, DEVICE, OTHER);
	}
	assert_string_equal(found(), "");
}

/* ---- HG503 ---- */

static void uploads_then_kernel(unsigned times, uint64_t size, uint64_t stream)
{
	for (unsigned i = 0; i < times; i++) {
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE, HOST, size);
		launch_on(0, stream, DEVICE, OTHER);
	}
}

static void large_copies_that_nothing_overlaps(void **state)
{
	(void)state;
	begin(0);
	uploads_then_kernel(4, 64 * MIB, 7);
	assert_string_equal(found(), "HG503");
	assert_int_equal(finding(0)->count, 4);
}

static void one_large_upload_is_fine(void **state)
{
	(void)state;
	begin(0);
	uploads_then_kernel(3, 64 * MIB, 7);
	uploads_then_kernel(9, 63 * MIB, 7);
	assert_string_equal(found(), "");
}

static void several_streams_overlap(void **state)
{
	(void)state;
	begin(0);
	uploads_then_kernel(8, 64 * MIB, 8);
	assert_string_equal(found(), "");
}

static void a_kernel_that_needs_something_else(void **state)
{
	(void)state;
	begin(0);
	for (unsigned i = 0; i < 8; i++) {
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE, HOST, 64 * MIB);
		launch_on(0, 7, OTHER, OTHER);
		launch_on(0, 7, DEVICE, OTHER);
	}
	assert_string_equal(found(), "");
}

/* ---- HG505 ---- */

static void a_copy_that_the_next_one_overwrites(void **state)
{
	(void)state;
	begin(0);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	launch(DEVICE, OTHER);
	assert_string_equal(found(), "HG505");
	assert_non_null(strstr(finding(0)->message, "1048576 bytes"));
	assert_non_null(strstr(finding(0)->message, "written over"));
	assert_int_equal(finding(0)->count, 1);
	assert_true(finding(0)->absence);
}

static void a_copy_whose_memory_is_released(void **state)
{
	(void)state;
	begin(0);
	copy(DEVICE, HOST, MIB);
	launch(OTHER, OTHER);
	release(HG_API_hipFree, DEVICE);
	assert_string_equal(found(), "HG505");
	assert_non_null(strstr(finding(0)->message, "released"));
}

static void copies_that_are_used(void **state)
{
	(void)state;
	begin(0);
	copy(DEVICE, HOST, MIB);
	launch(DEVICE + 512 * KIB, OTHER); /* a pointer into the middle */
	copy(DEVICE, HOST, MIB);
	copy(OTHER, DEVICE, MIB);
	copy(DEVICE, HOST, MIB);
	copy(HOST, DEVICE, MIB);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE + MIB, HOST, MIB); /* another part */
	launch(DEVICE, OTHER);
	copy(DEVICE, HOST, 4 * KIB); /* too small to speak of */
	release(HG_API_hipFree, DEVICE);
	assert_string_equal(found(), "");
}

static void a_pointer_that_is_only_passed_counts_as_use(void **state)
{
	(void)state;
	kernel.use_count = 0;
	begin(0);
	copy(DEVICE, HOST, MIB);
	launch(DEVICE, OTHER);
	copy(DEVICE, HOST, MIB);
	launch(OTHER, DEVICE);
	assert_string_equal(found(), "");
}

static void a_kernel_with_unknown_accesses_uses_everything(void **state)
{
	(void)state;
	kernel.uses_complete = false;
	begin(0);
	copy(DEVICE, HOST, MIB);
	launch(OTHER, OTHER);
	copy(DEVICE, HOST, MIB);
	launch(OTHER, OTHER);
	release(HG_API_hipFree, DEVICE);
	assert_string_equal(found(), "");
}

static void a_kernel_that_still_runs_may_poll(void **state)
{
	(void)state;
	begin(0);
	launch(DEVICE, OTHER);
	for (unsigned i = 0; i < 3; i++)
		copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE, HOST, MIB);
	wait();
	assert_string_equal(found(), "");
	copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE, HOST, MIB);
	copy_on(7, HG_API_hipMemcpyAsync, 1, DEVICE, HOST, MIB);
	assert_string_equal(found(), "HG505");
}

static void work_that_no_event_shows(void **state)
{
	(void)state;
	begin(0);
	call(HG_API_hipStreamBeginCapture);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	assert_string_equal(found(), "");
}

static void exported_memory(void **state)
{
	(void)state;
	begin(0);
	call(HG_API_hipIpcGetMemHandle);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	assert_string_equal(found(), "");
}

/* The process that owns it may read what this one copies there; its events say so too late, or in
 * another recording. */
static void imported_memory(void **state)
{
	static const uint16_t imports[] = { HG_API_hipIpcOpenMemHandle,
					    HG_API_hipMemPoolImportPointer };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(0);
		alloc(imports[i], 0x800000000u, MIB, 31);
		copy(0x800000000u, HOST, MIB);
		copy(0x800000000u, HOST, MIB);
	}
	begin(0);
	call(HG_API_hipMemImportFromShareableHandle);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	assert_string_equal(found(), "");
}

/* Nothing read the bytes between the two copies, whatever came later. */
static void a_missing_end_takes_back_nothing_that_came_before(void **state)
{
	(void)state;
	begin(0);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	assert_string_equal(found(), "HG505");
	findings_cut_short(&findings, 0);
	assert_int_equal(findings.list->len, 1);
	findings_cut_short(&findings, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void losses_take_back_what_rests_on_absence(void **state)
{
	(void)state;
	begin(0);
	copy(DEVICE, HOST, MIB);
	copy(DEVICE, HOST, MIB);
	assert_string_equal(found(), "HG505");
	findings_drop(&findings, BASIS_ABSENCE);
	assert_int_equal(findings.list->len, 0);
	assert_int_equal(findings.limits->len, 1);
}

/* ---- graphs ---- */

static void graphs_of_known_nodes_are_no_limit(void **state)
{
	(void)state;
	begin(0);
	call(HG_API_hipGraphLaunch);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 0);
}

static void nodes_of_an_unknown_kind_are_a_limit(void **state)
{
	(void)state;
	begin(0);
	for (unsigned nodes = 1; nodes < 4; nodes++)
		apply((struct hg_event){ .type = HG_EVENT_call,
					 .call = &(struct hg_ev_call){ .api = HG_API_hipGraphLaunch,
								       .flags = nodes,
								       .text = "" } });
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(
	    strstr(findings.limits->pdata[0], "3 launches of graphs with nodes (up to 3)"));
}

/* ---- HG506 ---- */

static void iterate(unsigned times, uint16_t api, uint64_t size, bool with_launch)
{
	for (unsigned i = 0; i < times; i++) {
		if (with_launch)
			launch(DEVICE, OTHER);
		copy_on(0, api, 2, HOST, OTHER, size);
	}
}

static void blocking_copies_in_a_loop(void **state)
{
	(void)state;
	begin(0);
	iterate(16, HG_API_hipMemcpy, 64 * KIB, true);
	assert_string_equal(found(), "HG506");
	assert_int_equal(finding(0)->count, 16);
}

static void loops_that_do_not_wait(void **state)
{
	(void)state;
	begin(0);
	iterate(15, HG_API_hipMemcpy, 64 * KIB, true);
	iterate(40, HG_API_hipMemcpyDtoHAsync, 64 * KIB, true);
	iterate(40, HG_API_hipMemcpyDtoH, 4, true);         /* a flag: HG513's, and few */
	iterate(40, HG_API_hipMemcpyDtoH, 64 * KIB, false); /* no kernel between */
	assert_string_equal(found(), "HG407");              /* of those that nobody waits for */
}

/* ---- HG513 ---- */

static void a_flag_after_each_launch(void **state)
{
	(void)state;
	begin(0);
	iterate(128, HG_API_hipMemcpy, 4, true);
	assert_string_equal(found(), "HG513");
	assert_int_equal(finding(0)->count, 128);
	assert_true(g_str_has_prefix(finding(0)->message, "hipMemcpy fetches "));
}

static void values_that_are_fetched_seldom(void **state)
{
	(void)state;
	begin(0);
	iterate(127, HG_API_hipMemcpy, 4, true);
	iterate(200, HG_API_hipMemcpyDtoH, 65, true); /* more than a value */
	iterate(200, HG_API_hipMemcpyDtoHAsync, 4, true);
	for (unsigned i = 0; i < 200; i++) {
		launch(DEVICE, OTHER);
		copy_on(0, HG_API_hipMemcpyHtoD, 1, DEVICE, HOST, 4); /* a parameter */
	}
	assert_null(strstr(found(), "HG513"));
}

/* ---- HG508 ---- */

static void kinds_that_contradict(void **state)
{
	(void)state;
	begin(0);
	copy_on(0, HG_API_hipMemcpy, 2, DEVICE, PAGEABLE, KIB); /* device to host */
	assert_string_equal(found(), "HG508");
	assert_non_null(strstr(finding(0)->message, "hipMemcpyDeviceToHost"));
	assert_non_null(strstr(finding(0)->message, "destination"));
}

static void kinds_that_fit(void **state)
{
	(void)state;
	begin(0);
	copy_on(0, HG_API_hipMemcpy, 1, DEVICE, PAGEABLE, KIB);
	copy_on(0, HG_API_hipMemcpy, 2, PAGEABLE, DEVICE, KIB);
	copy_on(0, HG_API_hipMemcpy, 3, DEVICE, OTHER, KIB);
	copy_on(0, HG_API_hipMemcpy, 3, DEVICE, HOST, KIB); /* pinned memory is the device's too */
	copy_on(0, HG_API_hipMemcpy, 0, PAGEABLE, HOST, KIB);
	copy_on(0, HG_API_hipMemcpy, 4, PAGEABLE, HOST, KIB);
	copy_on(0, HG_API_hipMemcpyDtoH, 1, PAGEABLE, DEVICE, KIB); /* has no kind */
	copy_on(0, HG_API_hipMemcpy, 3, DEVICE, 0x900000000, KIB);  /* not recorded */
	assert_string_equal(found(), "");
}

static void system_memory_is_the_devices_with_xnack(void **state)
{
	(void)state;
	begin(1);
	copy_on(0, HG_API_hipMemcpy, 3, DEVICE, PAGEABLE, KIB);
	assert_string_equal(found(), "");
}

/* ---- HG608 ---- */

static void pairs(unsigned times, uint16_t get, uint16_t put, uint32_t stack_id, bool use)
{
	for (unsigned i = 0; i < times; i++) {
		alloc(get, 0x300000000, MIB, stack_id);
		if (use)
			launch(0x300000000, OTHER);
		release(put, 0x300000000);
	}
}

static void allocation_in_a_loop(void **state)
{
	(void)state;
	begin(0);
	pairs(16, HG_API_hipMalloc, HG_API_hipFree, 5, true);
	assert_string_equal(found(), "HG608");
	assert_int_equal(finding(0)->count, 16);
	assert_non_null(strstr(finding(0)->fix, "hipMallocAsync"));
}

static void allocation_that_is_no_loop(void **state)
{
	(void)state;
	begin(0);
	pairs(15, HG_API_hipMalloc, HG_API_hipFree, 5, true);
	pairs(40, HG_API_hipMallocAsync, HG_API_hipFreeAsync, 6, true); /* from a pool */
	pairs(40, HG_API_hipMalloc, HG_API_hipFree, 7, false);
	pairs(40, HG_API_hipMalloc, HG_API_hipFree, 0, true); /* call site not recorded */
	assert_string_equal(found(), "");
}

static void grow(unsigned times, uint32_t stack_id, bool use, unsigned release_every)
{
	for (unsigned i = 0; i < times; i++) {
		uint64_t ptr = 0x300000000 + (uint64_t)stack_id * 0x10000000 + i * MIB;

		alloc(HG_API_hipMalloc, ptr, MIB, stack_id);
		if (use)
			launch(ptr, OTHER);
		if (release_every && i % release_every == 0)
			release(HG_API_hipFree, ptr);
	}
}

/* ---- HG512 ---- */

static void pinned_for_each_copy(void **state)
{
	(void)state;
	begin(0);
	for (unsigned i = 0; i < 16; i++) {
		alloc(HG_API_hipHostMalloc, 0x300000000, MIB, 5);
		copy(0x300000000, DEVICE, MIB);
		release(HG_API_hipHostFree, 0x300000000);
	}
	assert_string_equal(found(), "HG512");
	assert_int_equal(finding(0)->count, 16);
	assert_true(g_str_has_prefix(finding(0)->fix, "allocate one pinned buffer"));
}

static void registered_for_each_launch(void **state)
{
	(void)state;
	begin(0);
	for (unsigned i = 0; i < 16; i++) {
		alloc(HG_API_hipHostRegister, PAGEABLE, MIB, 5);
		launch(PAGEABLE, OTHER);
		release(HG_API_hipHostUnregister, PAGEABLE);
	}
	assert_string_equal(found(), "HG512");
	assert_true(g_str_has_prefix(finding(0)->fix, "register the memory once"));
}

static void pinned_seldom_or_kept(void **state)
{
	(void)state;
	begin(0);
	for (unsigned i = 0; i < 15; i++) {
		alloc(HG_API_hipHostMalloc, 0x300000000, MIB, 5);
		release(HG_API_hipHostFree, 0x300000000);
	}
	alloc(HG_API_hipHostMalloc, 0x300000000, MIB, 6);
	for (unsigned i = 0; i < 40; i++)
		copy(0x300000000, DEVICE, MIB);
	release(HG_API_hipHostFree, 0x300000000);
	assert_string_equal(found(), "");
}

/* ---- HG620 ---- */

static void memory_that_is_never_released(void **state)
{
	(void)state;
	begin(0);
	grow(20, 5, true, 0);
	assert_string_equal(found(), "HG620");
	/* The last block may still be needed. */
	assert_non_null(strstr(finding(0)->message, "19 blocks (19922944 bytes)"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_true(finding(0)->absence);
}

static void memory_that_is_used_again(void **state)
{
	(void)state;
	begin(0);
	grow(20, 5, true, 0);
	for (unsigned i = 0; i < 20; i++)
		copy(HOST, 0x300000000 + 5 * 0x10000000ull + i * MIB, MIB);
	assert_string_equal(found(), "");
}

static void memory_that_work_nobody_knows_may_use(void **state)
{
	(void)state;
	begin(0);
	grow(20, 5, true, 0);
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_hipGraphLaunch, .text = "" } });
	assert_string_equal(found(), "HG620");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void memory_that_lives_long(void **state)
{
	(void)state;
	begin(0);
	grow(40, 5, false, 0); /* a set-up loop */
	grow(15, 6, true, 0);
	grow(15, 7, true, 1);
	assert_string_equal(found(), "");
}

/* ---- HG601 ---- */

static void reuse(uint32_t threshold)
{
	begin(0);
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){ .page_size = 4096,
								     .threshold = threshold,
								     .version = "",
								     .exe = "",
								     .cmdline = "",
								     .env = "" } });
	code();
	device_of(0, "gfx90a", 0);
	alloc(HG_API_hipMalloc, DEVICE, 256 * MIB, 1);
	alloc(HG_API_operator_new, PAGEABLE, 8 * KIB, 2);
	release(HG_API_operator_delete, PAGEABLE);
	copy(DEVICE, PAGEABLE, 2 * KIB);
}

static void heap_memory_that_may_be_in_use_again(void **state)
{
	(void)state;
	reuse(4096);
	assert_string_equal(found(), "");
}

static void heap_memory_that_is_not(void **state)
{
	(void)state;
	reuse(1);
	assert_string_equal(found(), "HG601");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG502, adjacent_small_copies),
		FINDS(HG502, rows_of_a_matrix),
		SILENT(HG502, fifteen_copies_are_no_run),
		SILENT(HG502, large_copies_and_scattered_ones),
		SILENT(HG502, copies_with_work_between),
		FINDS(HG503, large_copies_that_nothing_overlaps),
		SILENT(HG503, one_large_upload_is_fine),
		SILENT(HG503, several_streams_overlap),
		SILENT(HG503, a_kernel_that_needs_something_else),
		FINDS(HG505, a_copy_that_the_next_one_overwrites),
		FINDS(HG505, a_copy_whose_memory_is_released),
		SILENT(HG505, copies_that_are_used),
		SILENT(HG505, a_pointer_that_is_only_passed_counts_as_use),
		DOUBTS(HG505, a_kernel_with_unknown_accesses_uses_everything),
		FINDS(HG505, a_kernel_that_still_runs_may_poll),
		DOUBTS(HG505, work_that_no_event_shows),
		SILENT(HG505, exported_memory),
		SILENT(HG505, imported_memory),
		cmocka_unit_test_setup_teardown(graphs_of_known_nodes_are_no_limit, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nodes_of_an_unknown_kind_are_a_limit, setup,
						teardown),
		DOUBTS(HG505, losses_take_back_what_rests_on_absence),
		DOUBTS(HG505, a_missing_end_takes_back_nothing_that_came_before),
		FINDS(HG506, blocking_copies_in_a_loop),
		SILENT(HG506, loops_that_do_not_wait),
		FINDS(HG513, a_flag_after_each_launch),
		SILENT(HG513, values_that_are_fetched_seldom),
		FINDS(HG508, kinds_that_contradict),
		SILENT(HG508, kinds_that_fit),
		SILENT(HG508, system_memory_is_the_devices_with_xnack),
		FINDS(HG608, allocation_in_a_loop),
		SILENT(HG608, allocation_that_is_no_loop),
		FINDS(HG512, pinned_for_each_copy),
		FINDS(HG512, registered_for_each_launch),
		SILENT(HG512, pinned_seldom_or_kept),
		FINDS(HG620, memory_that_is_never_released),
		SILENT(HG620, memory_that_lives_long),
		SILENT(HG620, memory_that_is_used_again),
		DOUBTS(HG620, memory_that_work_nobody_knows_may_use),
		DOUBTS(HG601, heap_memory_that_may_be_in_use_again),
		FINDS(HG601, heap_memory_that_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
