/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver tells of migrations: whose pages, whose kernel, what became of them, and HG301 to
 * HG305, HG308, HG309, HG311. Each one's case, what is like it and fine, and what is not known. */
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

/* ---- bytes moved beside bytes used ---- */

static uint64_t sum(size_t member)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < findings.moves->len; i++) {
		total += *(const uint64_t *)((const char *)row(i) + member);
	}
	return total;
}
#define SUM(member) sum(offsetof(struct move_row, member))

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
	assert_int_equal(SUM(cannot_tell), 0);
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
	assert_int_equal(SUM(cannot_tell), 4 * MIB);
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

/* ---- when the host faulted, and what was asked before ---- */

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
				 .advise = { .api = HG_API_hipMemAdvise,
					     .ptr = ptr,
					     .size = size,
					     .advice = advice,
					     .target = target,
					     .stack_id = 12 } });
}

static void what_was_asked_of_memory(void **state)
{
	const struct move_history *history;
	const struct move_span *span;

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
	if (!history) {
		return;
	}
	assert_int_equal(history->calls->len, 2);
	assert_int_equal(g_array_index(history->calls, struct move_advice, 0).advice, 3);
	assert_int_equal(g_array_index(history->calls, struct move_advice, 0).offset, MIB);
	assert_int_equal(g_array_index(history->calls, struct move_advice, 1).advice, -1);
	assert_int_equal(history->moves->len, 2);
	span = history->moves->pdata[0];
	assert_int_equal(span->bytes, 4 * MIB);
	assert_int_equal(span->moves, 2);
	span = history->moves->pdata[1];
	assert_int_equal(span->trigger, CPU_FAULT);
	assert_int_equal(span->before.api, HG_API_hipMemPrefetchAsync);
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

/* munmap leaves no record of what was there. */
static void pages_of_what_was_unmapped(void **state)
{
	(void)state;
	begin();
	alloc(HG_API_mmap, 0x500000000, 4 * MIB, 31);
	launch(0x500000000, OTHER);
	gpu_faults(0x500000000, 2);
	wait();
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = { .api = HG_API_munmap, .ptr = 0x500000000, .size = 4 * MIB } });
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
	/* Not blocks, not only those after the third. */
	assert_int_equal(finding(0)->launches, 3);
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

/* ---- HG303 ---- */

#define BESIDE (MANAGED + 64ull * MIB)

/* Two allocations in one block, of which the kernel is given one; the host uses the other. */
static void neighbours(unsigned times, uint64_t given)
{
	begin();
	alloc(HG_API_malloc, BESIDE, MIB, 21);
	alloc(HG_API_malloc, BESIDE + MIB, MIB, 22);
	for (unsigned i = 0; i < times; i++) {
		launch(BESIDE, given);
		gpu_faults(BESIDE, 1);
		wait();
		move(BESIDE + MIB, MIB, 0, -1, CPU_FAULT);
	}
}

static void pages_that_go_with_others(void **state)
{
	(void)state;
	neighbours(3, OTHER);
	assert_string_equal(found(), "HG303");
	assert_int_equal(finding(0)->allocation->stack_id, 22);
	assert_int_equal(finding(0)->launches, 3);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(row(1)->kernel, "work(float*, float*)");
}

static void pages_that_go_with_others_twice(void **state)
{
	(void)state;
	neighbours(2, OTHER);
	assert_string_equal(found(), "");
}

/* To and fro, but not for the neighbour's sake. */
static void pages_that_the_kernel_was_given(void **state)
{
	(void)state;
	neighbours(3, BESIDE + MIB);
	assert_string_equal(found(), "HG302");
	assert_int_equal(finding(0)->allocation->stack_id, 22);
}

static void pages_that_the_kernel_may_use(void **state)
{
	(void)state;
	kernel.uses_complete = false;
	neighbours(3, OTHER);
	assert_string_equal(found(), "HG302");
}

/* ---- HG311 ---- */

static void prefetch_after_the_launch(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	gpu_faults(MANAGED + 4 * MIB, 1);
	wait();
	assert_string_equal(found(), "HG311");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "6291456"));
}

/* The kernel that is at work uses what it brought. */
static void prefetch_for_a_kernel_at_work(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 8 * MIB, -1, 0, PREFETCH);
	wait();
	host_uses(MANAGED, 4);
	assert_string_equal(found(), "");
}

/* A prefetch that returns at once, and launches on that stream or another. */
static void prefetch_beside_a_launch(uint64_t stream)
{
	begin();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 2 * MIB, -1, 0, PREFETCH);
	launch_on(0, stream, MANAGED, OTHER);
	gpu_faults(MANAGED + 4 * MIB, 1);
	move(MANAGED + 2 * MIB, 2 * MIB, -1, 0, PREFETCH);
	wait();
}

static void prefetch_on_another_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(5);
	assert_string_equal(found(), "HG311");
	assert_non_null(strstr(finding(0)->message, "2097152"));
}

static void prefetch_on_the_same_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(0);
	assert_string_equal(found(), "");
}

/* Done when the faults came: what they brought had left again, or was evicted. */
static void prefetch_that_was_done(void **state)
{
	(void)state;
	begin();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED, 8 * MIB, -1, 0, PREFETCH);
	launch_on(0, 5, MANAGED, OTHER);
	gpu_faults(MANAGED + 4 * MIB, 1);
	wait();
	assert_string_equal(found(), "");
}

/* Which of them moved the pages is not known. */
static void two_prefetches_on_another_stream(void **state)
{
	(void)state;
	prefetch_beside_a_launch(0);
	prefetch(OTHER, 8 * MIB, 0, 7);
	prefetch(OTHER, 8 * MIB, 0, 7);
	move(OTHER, 2 * MIB, -1, 0, PREFETCH);
	launch_on(0, 5, OTHER, OTHER);
	gpu_faults(OTHER + 4 * MIB, 1);
	move(OTHER + 2 * MIB, 2 * MIB, -1, 0, PREFETCH);
	wait();
	assert_string_equal(found(), "");
}

/* The next part, while a kernel is at work on this one. */
static void prefetch_of_another_part(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED + 8 * MIB, 8 * MIB, 0, 7);
	move(MANAGED + 8 * MIB, 8 * MIB, -1, 0, PREFETCH);
	wait();
	assert_string_equal(found(), "");
}

static void prefetch_after_the_kernel(void **state)
{
	(void)state;
	begin();
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	wait();
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED + 4 * MIB, 4 * MIB, -1, 0, PREFETCH);
	launch(MANAGED, OTHER);
	assert_string_equal(found(), "");
}

static void prefetch_that_may_be_for_another_kernel(void **state)
{
	(void)state;
	begin();
	kernel.uses_complete = false;
	launch(MANAGED, OTHER);
	gpu_faults(MANAGED, 2);
	prefetch(MANAGED, 8 * MIB, 0, 7);
	move(MANAGED + 4 * MIB, 4 * MIB, -1, 0, PREFETCH);
	wait();
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
		TEST(pages_of_the_past),
		TEST(pages_of_what_was_unmapped),
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
		FINDS(HG303, pages_that_go_with_others),
		SILENT(HG303, pages_that_go_with_others_twice),
		SILENT(HG303, pages_that_the_kernel_was_given),
		SILENT(HG303, pages_that_the_kernel_may_use),
		FINDS(HG311, prefetch_after_the_launch),
		FINDS(HG311, prefetch_on_another_stream),
		SILENT(HG311, prefetch_on_the_same_stream),
		SILENT(HG311, prefetch_that_was_done),
		SILENT(HG311, two_prefetches_on_another_stream),
		SILENT(HG311, prefetch_of_another_part),
		SILENT(HG311, prefetch_after_the_kernel),
		SILENT(HG311, prefetch_that_may_be_for_another_kernel),
		FINDS(HG304, prefetch_of_what_is_there),
		SILENT(HG304, prefetch_that_is_needed_at_times),
		SILENT(HG304, prefetch_that_moved_before_it_returned),
		TEST(prefetch_with_events_lost),
		FINDS(HG305, prefetch_before_the_host_is_done),
		SILENT(HG305, prefetch_that_the_kernel_uses_first),
		SILENT(HG305, prefetch_for_a_kernel_at_work),
		FINDS(HG308, no_room),
		FINDS(HG309, stopped_for_registered_memory),
		SILENT(HG309, stopped_once),
		SILENT(HG309, stopped_for_something_else),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
