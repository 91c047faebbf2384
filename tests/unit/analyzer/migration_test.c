/* SPDX-License-Identifier: Apache-2.0 */
/* The account of what the driver tells of migrations: whose pages, whose kernel, between which
 * calls, what became of the bytes, and what the notes say where nobody tells. */
#include "migration_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_smi_source.h"

/* ---- the account ---- */

static void every_page_is_in_one_row(void **state)
{
	uint64_t to_device = 0, to_host = 0;

	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 4);
	/* Half of it is no allocation's. */
	move(OTHER + 63 * MIB, 2 * MIB, -1, 0, GPU_FAULT);
	wait();
	host_uses(MANAGED, 2);
	prefetch(OTHER, MIB, 1, 7);
	move(OTHER, MIB, -1, 1, PREFETCH);
	/* One that failed, and one that a later driver counts otherwise. */
	late(6, MANAGED, 2 * MIB, -1, 0, GPU_FAULT, -12, 0);
	late(6, MANAGED, 2 * MIB, -1, 0, 9, 0, 0);
	found();
	for (unsigned i = 0; i < migration_result(&findings)->rows->len; i++) {
		for (unsigned t = 0; t < MIGRATION_TRIGGERS; t++) {
			to_device += row(i)->to_device[t];
			to_host += row(i)->to_host[t];
		}
	}
	assert_int_equal(to_device, 11 * MIB);
	assert_int_equal(to_host, 4 * MIB);
	assert_string_equal(row(0)->kernel, "work(float*, float*)");
	assert_int_equal(row(0)->to_device[GPU_FAULT], 8 * MIB);
	assert_int_equal(row(0)->faults_moved, 4);
	assert_int_equal(row(1)->to_device[GPU_FAULT], MIB);
	assert_null(row(2)->allocation);
	assert_int_equal(row(2)->to_device[GPU_FAULT], MIB);
	assert_null(row(3)->kernel);
	assert_int_equal(row(3)->to_host[CPU_FAULT], 4 * MIB);
}

/* ---- bytes moved beside bytes used ---- */

static uint64_t sum(size_t member)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < migration_result(&findings)->rows->len; i++)
		total += *(const uint64_t *)((const char *)row(i) + member);
	return total;
}
#define SUM(member) sum(offsetof(struct migration_row, member))

static void pages_that_come_again(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 2; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 2);
		wait();
		/* One block and a half. */
		move(MANAGED, 3 * MIB, 0, -1, CPU_FAULT);
		move(MANAGED + 3 * MIB, MIB, 0, -1, EVICTION);
	}
	found();
	assert_int_equal(SUM(again), 4 * MIB);
	assert_int_equal(SUM(faults_moved), 4);
	assert_int_equal(SUM(unused), 0);
	assert_int_equal(SUM(use_unknown), 0);
}

/* A prefetch of two ranges, of which a launch could use one. */
static void pages_that_nothing_used(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	alloc(HG_API_hipMallocManaged, 0x500000000, 8 * MIB, 11);
	prefetch(0x500000000, 4 * MIB, 0, 7);
	move(0x500000000, 4 * MIB, -1, 0, PREFETCH);
	launch(MANAGED, OTHER);
	wait();
	move(0x500000000, MIB, 0, -1, CPU_FAULT);
	release(HG_API_hipFree, 0x500000000);
	found();
	assert_int_equal(SUM(unused), 4 * MIB);
	assert_int_equal(row(1)->unused, 4 * MIB);
	assert_int_equal(SUM(unchanged), MIB);
}

/* Used before they came is not used after. */
static void pages_that_were_used_before(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	wait();
	clock_ns += 3000000000;
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	clock_ns += 3000000000;
	release(HG_API_hipFree, MANAGED);
	launch(OTHER, OTHER);
	found();
	assert_int_equal(SUM(unused), 4 * MIB);
}

/* The launch was at work when they came. */
static void pages_that_are_in_use_as_they_come(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	clock_ns += 3000000000;
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	wait();
	found();
	assert_int_equal(SUM(unused), 0);
}

static void pages_whose_use_is_not_known(void **state)
{
	(void)state;
	begin();
	kernel.uses_complete = false;
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	launch(OTHER, OTHER);
	wait();
	host_uses(MANAGED, 2);
	found();
	assert_int_equal(SUM(unused), 0);
	assert_int_equal(SUM(unchanged), 0);
	assert_int_equal(SUM(use_unknown), 4 * MIB);
}

static void uses_of(unsigned access)
{
	begin();
	uses[0].access = uses[1].access = access;
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	wait();
	host_uses(MANAGED, 2);
	found();
}

static void pages_that_are_only_written(void **state)
{
	(void)state;
	uses_of(ISA_WRITE);
	assert_int_equal(SUM(only_written), 4 * MIB);
	assert_int_equal(SUM(unchanged), 0);
}

static void pages_that_are_only_read(void **state)
{
	(void)state;
	uses_of(ISA_READ);
	assert_int_equal(SUM(only_written), 0);
	assert_int_equal(SUM(unchanged), 4 * MIB);
}

static void pages_that_are_read_and_written(void **state)
{
	(void)state;
	uses_of(ISA_READ | ISA_WRITE);
	assert_int_equal(SUM(only_written), 0);
	assert_int_equal(SUM(unchanged), 0);
}

static void pages_of_atomics(void **state)
{
	(void)state;
	uses_of(ISA_ATOMIC);
	assert_int_equal(SUM(only_written), 0);
	assert_int_equal(SUM(unchanged), 0);
}

/* ---- when the host faulted, and the calls before ---- */

static void faults_between_calls(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 1);
	tid_now = 5;
	wait();
	host_uses(MANAGED, 1);
	launch(MANAGED, OTHER);
	found();
	assert_int_equal(row(1)->by_host, true);
	assert_int_equal(row(1)->phase.before.api, HG_API_hipDeviceSynchronize);
	assert_int_equal(row(1)->phase.before.tid, 5);
	assert_int_equal(row(1)->phase.after.api, HG_API_hipLaunchKernel);
	assert_int_equal(row(1)->phase.after.tid, 5);
	assert_int_equal(row(1)->phase.within, false);
}

/* The driver's word comes when the program went on already. */
static void faults_that_are_told_late(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 1);
	wait();
	clock_ns += 100;
	launch(MANAGED, OTHER);
	prefetch(OTHER, MIB, 0, 7);
	late(6, MANAGED, 2 * MIB, 0, -1, CPU_FAULT, 0, 50);
	found();
	assert_int_equal(row(1)->phase.before.api, HG_API_hipDeviceSynchronize);
	assert_int_equal(row(1)->phase.after.api, HG_API_hipLaunchKernel);
}

static void advise(uint64_t ptr, uint64_t size, int32_t advice, int32_t target)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = ptr,
								   .size = size,
								   .advice = advice,
								   .target = target,
								   .stack_id = 12 } });
}

static void what_was_asked_of_memory(void **state)
{
	const struct migration_history *history;
	const struct migration_span *span;

	(void)state;
	begin();
	advise(MANAGED + MIB, MIB, 3, 0);
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 2 * MIB, -1, 0, PREFETCH);
	move(MANAGED + 2 * MIB, 2 * MIB, -1, 0, PREFETCH);
	host_uses(MANAGED, 2);
	found();
	history = finding_history(&findings, finding(0));
	assert_non_null(history);
	if (!history)
		return;
	assert_int_equal(history->calls->len, 2);
	assert_int_equal(g_array_index(history->calls, struct migration_advice, 0).advice, 3);
	assert_int_equal(g_array_index(history->calls, struct migration_advice, 0).offset, MIB);
	assert_int_equal(g_array_index(history->calls, struct migration_advice, 1).advice, -1);
	assert_int_equal(g_array_index(history->calls, struct migration_advice, 1).node, -1);
	assert_int_equal(history->moves->len, 2);
	span = history->moves->pdata[0];
	assert_int_equal(span->bytes, 4 * MIB);
	assert_int_equal(span->moves, 2);
	span = history->moves->pdata[1];
	assert_int_equal(span->trigger, CPU_FAULT);
	assert_int_equal(span->before.api, HG_API_hipMemPrefetchAsync);
}

/* A NUMA node is kept as such; recordings of earlier versions have no location. */
static void advice_for_a_node(void **state)
{
	static const struct {
		uint8_t location;
		int32_t node, expected;
	} cases[] = { { 3, 1, 1 }, { 4, 0, 0 }, { 4, -1, -1 }, { 2, -1, -1 }, { 0, 0, -1 } };
	const struct migration_history *history;

	(void)state;
	begin();
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hg_event event = { .type = HG_EVENT_advise,
					  .advise =
					      &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise_v2,
								      .ptr = MANAGED,
								      .size = MIB,
								      .advice = 3,
								      .target = -1,
								      .stack_id = 12,
								      .location = cases[i].location,
								      .node = cases[i].node } };

		apply(event);
	}
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	host_uses(MANAGED, 2);
	found();
	history = finding_history(&findings, finding(0));
	assert_non_null(history);
	if (!history)
		return;
	assert_int_equal(history->calls->len, G_N_ELEMENTS(cases) + 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct migration_advice *advice =
		    &g_array_index(history->calls, struct migration_advice, i);

		assert_int_equal(advice->target, -1);
		assert_int_equal(advice->node, cases[i].expected);
	}
}

/* The driver's event arrives when the memory is freed already. */
static void pages_of_the_past(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	wait();
	release(HG_API_hipFree, MANAGED);
	late(6, MANAGED, 2 * MIB, -1, 0, GPU_FAULT, 0, 3); /* before the wait was over */
	found();
	assert_int_equal(migration_result(&findings)->rows->len, 1);
	assert_int_equal(row(0)->allocation->stack_id, 8);
	assert_string_equal(row(0)->kernel, "work(float*, float*)");
}

/* munmap leaves no record of what was there. */
static void pages_of_what_was_unmapped(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_mmap, 0x500000000, 4 * MIB, 31);
	launch(0x500000000, OTHER);
	gpu_faults(0x500000000, 2);
	wait();
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free = &(struct hg_ev_free){
				     .api = HG_API_munmap, .ptr = 0x500000000, .size = 4 * MIB } });
	late(6, 0x500000000, 4 * MIB, 0, -1, CPU_FAULT, 0, 1);
	found();
	assert_int_equal(row(1)->allocation->stack_id, 31);
	assert_int_equal(row(1)->to_host[CPU_FAULT], 4 * MIB);
}

static void faults_of_no_known_kernel(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	wait();
	gpu_faults(MANAGED, 1); /* nothing was at work: a kernel that was not recorded */
	found();
	assert_int_equal(migration_result(&findings)->rows->len, 1);
	assert_null(row(0)->kernel);
}

static void no_source(const char *problem)
{
	apply((struct hg_event){ .type = HG_EVENT_smi_source,
				 .smi_source = &(struct hg_ev_smi_source){ .problem = problem } });
	apply((struct hg_event){ .type = HG_EVENT_smi_source,
				 .smi_source = &(struct hg_ev_smi_source){ .problem = "" } });
}

static void a_kernel_that_tells_nothing(void **state)
{
	(void)state;
	process("/bin/test", "");
	no_source("this kernel's driver does not report migrations");
	no_source("this kernel's driver does not report migrations");
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 1); /* reported once */
	assert_int_equal(migration_result(&findings)->rows->len, 0);
}

static void a_software_gpu_without_migration(void **state)
{
	(void)state;
	process("/bin/test", "");
	no_source("the software GPU moves no pages (SOFTGPU_MIGRATION=0)");
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(every_page_is_in_one_row),
		TEST(pages_that_come_again),
		TEST(pages_that_nothing_used),
		TEST(pages_that_were_used_before),
		TEST(pages_that_are_in_use_as_they_come),
		TEST(pages_whose_use_is_not_known),
		TEST(pages_that_are_only_written),
		TEST(pages_that_are_only_read),
		TEST(pages_that_are_read_and_written),
		TEST(pages_of_atomics),
		TEST(faults_between_calls),
		TEST(faults_that_are_told_late),
		TEST(what_was_asked_of_memory),
		TEST(advice_for_a_node),
		TEST(pages_of_the_past),
		TEST(pages_of_what_was_unmapped),
		SILENT(HG308, faults_of_no_known_kernel),
		TEST(a_kernel_that_tells_nothing),
		TEST(a_software_gpu_without_migration),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
