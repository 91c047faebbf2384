/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver tells of migrations: whose pages, whose kernel, and HG301, HG302, HG304, HG305,
 * HG308, HG309. Each one's case, what is like it and fine, and what is not known. */
#include "trace.h"

#include "analyzer/rules/moves.h"

#define MIB     (1u << 20)
#define MANAGED 0x300000000u
#define OTHER   0x400000000u

enum { PREFETCH, GPU_FAULT, CPU_FAULT, EVICTION };

static void source(uint64_t dropped)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_smi_source,
			       .smi_source = { .sources = 1, .dropped = dropped, .problem = "" } });
}

static void begin(void)
{
	process("/bin/test", "");
	runtime(50200000, 2);
	device_of(0, "gfx90a", 1);
	device_of(1, "gfx90a", 1);
	code();
	source(0);
	alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
	alloc(HG_API_hipMallocManaged, OTHER, 64 * MIB, 9);
}

static void late(uint64_t kind, uint64_t start, uint64_t size, int32_t from, int32_t to,
		 int32_t trigger, int32_t detail, uint64_t age)
{
	apply((struct hg_event){ .type = HG_EVENT_migration,
				 .migration = { .kind = (uint8_t)kind,
						.start = start,
						.size = size,
						.from = from,
						.to = to,
						.trigger = trigger,
						.detail = detail,
						.age = age } });
}

static void move(uint64_t start, uint64_t size, int32_t from, int32_t to, int32_t trigger)
{
	late(6, start, size, from, to, trigger, 0, 0);
}

static void fault(uint64_t address, int32_t device, char how)
{
	late(8, address, 4096, device, 0, -1, how, 0);
}

static void gpu_faults(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++) {
		move(start + i * 2ull * MIB, 2 * MIB, -1, 0, GPU_FAULT);
		fault(start + i * 2ull * MIB, 0, 'M');
	}
}

static void host_uses(uint64_t start, unsigned blocks)
{
	for (unsigned i = 0; i < blocks; i++) {
		move(start + i * 2ull * MIB, 2 * MIB, 0, -1, CPU_FAULT);
	}
}

static void prefetch(uint64_t ptr, uint64_t size, int32_t target, uint32_t stack_id)
{
	apply((struct hg_event){ .type = HG_EVENT_prefetch,
				 .prefetch = { .api = HG_API_hipMemPrefetchAsync,
					       .ptr = ptr,
					       .size = size,
					       .target = target,
					       .stack_id = stack_id } });
}

static const struct move_row *row(unsigned index)
{
	return findings.moves->pdata[index];
}

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
	for (unsigned i = 0; i < findings.moves->len; i++) {
		for (unsigned t = 0; t < MOVE_TRIGGERS; t++) {
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

/* The driver's word comes when the memory is gone already. */
static void pages_of_the_past(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	wait();
	release(HG_API_hipFree, MANAGED);
	late(6, MANAGED, 2 * MIB, -1, 0, GPU_FAULT, 0, 3); /* before the wait was over */
	found();
	assert_int_equal(findings.moves->len, 1);
	assert_int_equal(row(0)->allocation->stack_id, 8);
	assert_string_equal(row(0)->kernel, "work(float*, float*)");
}

static void faults_of_no_known_kernel(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	wait();
	gpu_faults(MANAGED, 1); /* nothing was at work: a kernel that was not recorded */
	found();
	assert_int_equal(findings.moves->len, 1);
	assert_null(row(0)->kernel);
}

static void no_source(const char *problem)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_smi_source, .smi_source = { .problem = problem } });
	apply((struct hg_event){ .type = HG_EVENT_smi_source, .smi_source = { .problem = "" } });
}

static void a_kernel_that_tells_nothing(void **state)
{
	(void)state;
	process("/bin/test", "");
	no_source("this kernel's driver does not tell of migrations");
	no_source("this kernel's driver does not tell of migrations");
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 1); /* said once */
	assert_int_equal(findings.moves->len, 0);
}

static void a_software_gpu_without_migration(void **state)
{
	(void)state;
	process("/bin/test", "");
	no_source("the software GPU moves no pages (SOFTGPU_MIGRATION=0)");
	assert_string_equal(found(), "");
	assert_int_equal(findings.notes->len, 0);
}

/* ---- HG301 ---- */

static void faults_in_each_launch(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED + i * 16ull * MIB, 8);
		wait();
	}
	assert_string_equal(found(), "HG301");
	assert_int_equal(finding(0)->launches, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "work(float*, float*)");
	assert_int_equal(finding(0)->allocation->stack_id, 8);
}

static void faults_of_the_first_launch(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 32);
	wait();
	for (unsigned i = 0; i < 4; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 7);
		wait();
	}
	assert_string_equal(found(), "");
}

static void faults_that_move_nothing(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		for (unsigned j = 0; j < 20; j++) {
			fault(MANAGED + j * 4096ull, 0, 'U');
		}
		wait();
	}
	assert_string_equal(found(), "");
	assert_int_equal(row(0)->faults_kept, 60);
}

static void faults_of_one_of_several_kernels(void **state)
{
	(void)state;
	begin();
	kernel.uses_complete = false;
	for (unsigned i = 0; i < 3; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED + i * 16ull * MIB, 8);
		wait();
	}
	assert_string_equal(found(), "HG301");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* ---- HG302 ---- */

static void to_and_fro(unsigned times)
{
	begin();
	for (unsigned i = 0; i < times; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 2);
		wait();
		host_uses(MANAGED, 2);
	}
}

static void three_times_to_and_fro(void **state)
{
	(void)state;
	to_and_fro(3);
	assert_string_equal(found(), "HG302");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->stack_id, 8);
}

static void twice_to_and_fro(void **state)
{
	(void)state;
	to_and_fro(2);
	assert_string_equal(found(), "");
}

static void to_and_fro_by_prefetch(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 5; i++) {
		prefetch(MANAGED, 4 * MIB, 0, 7);
		move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
		launch(MANAGED, OTHER);
		prefetch(MANAGED, 4 * MIB, -1, 8);
		move(MANAGED, 4 * MIB, 0, -1, PREFETCH);
		wait();
	}
	assert_string_equal(found(), "");
}

static void the_same_place_but_other_memory(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 5; i++) {
		launch(MANAGED, OTHER);
		gpu_faults(MANAGED, 2);
		wait();
		host_uses(MANAGED, 2);
		release(HG_API_hipFree, MANAGED);
		alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
	}
	assert_string_equal(found(), "");
}

/* ---- HG304, HG305 ---- */

static void prefetch_of_what_is_there(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	clock_ns += 2000000000;
	prefetch(MANAGED, 4 * MIB, 0, 8);
	prefetch(MANAGED, 4 * MIB, 0, 8);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "HG304");
	assert_int_equal(finding(0)->count, 2);
	assert_int_equal(finding(0)->sites->len, 1);
}

static void prefetch_that_is_needed_at_times(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	clock_ns += 2000000000;
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

/* The two are recorded by different threads: the driver's word may even come first. */
static void prefetch_that_moved_before_it_returned(void **state)
{
	(void)state;
	begin();
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

static void prefetch_with_events_lost(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	launch(MANAGED, OTHER);
	source(3);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 1);
}

static void prefetch_before_the_host_is_done(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	host_uses(MANAGED, 1);
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 1);
	assert_string_equal(found(), "HG305");
	assert_string_equal(finding(0)->api, "hipMemPrefetchAsync");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void prefetch_that_the_kernel_uses_first(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 4 * MIB, 0, 7);
	move(MANAGED, 4 * MIB, -1, 0, PREFETCH);
	launch(MANAGED, OTHER);
	wait();
	host_uses(MANAGED, 2);
	assert_string_equal(found(), "");
}

/* ---- HG308, HG309 ---- */

static void no_room(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	move(OTHER, 2 * MIB, 0, -1, EVICTION);
	assert_string_equal(found(), "HG308");
	assert_string_equal(finding(0)->subject, "device 0");
}

static void stops(unsigned count, int32_t trigger)
{
	begin();
	for (unsigned i = 0; i < count; i++) {
		late(9, 0, 0, 0, 0, trigger, 0, 0);
	}
}

static void stopped_for_registered_memory(void **state)
{
	(void)state;
	stops(2, 1);
	assert_string_equal(found(), "HG309");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void stopped_once(void **state)
{
	(void)state;
	stops(1, 1);
	assert_string_equal(found(), "");
}

static void stopped_for_something_else(void **state)
{
	(void)state;
	stops(5, 2);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(every_page_is_in_one_row),
		TEST(pages_of_the_past),
		SILENT(HG308, faults_of_no_known_kernel),
		TEST(a_kernel_that_tells_nothing),
		TEST(a_software_gpu_without_migration),
		FINDS(HG301, faults_in_each_launch),
		SILENT(HG301, faults_of_the_first_launch),
		SILENT(HG301, faults_that_move_nothing),
		DOUBTS(HG301, faults_of_one_of_several_kernels),
		FINDS(HG302, three_times_to_and_fro),
		SILENT(HG302, twice_to_and_fro),
		SILENT(HG302, to_and_fro_by_prefetch),
		SILENT(HG302, the_same_place_but_other_memory),
		FINDS(HG304, prefetch_of_what_is_there),
		SILENT(HG304, prefetch_that_is_needed_at_times),
		SILENT(HG304, prefetch_that_moved_before_it_returned),
		TEST(prefetch_with_events_lost),
		FINDS(HG305, prefetch_before_the_host_is_done),
		SILENT(HG305, prefetch_that_the_kernel_uses_first),
		FINDS(HG308, no_room),
		FINDS(HG309, stopped_for_registered_memory),
		SILENT(HG309, stopped_once),
		SILENT(HG309, stopped_for_something_else),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
