/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: forks, remapped ranges, imports, threads that pass addresses to each other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/replay/inherit.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_stack.h"

static struct replay replay;
static int64_t clock_ns;
static int32_t tid_now, pid_now;

static int setup(void **state)
{
	(void)state;
	replay_init(&replay);
	clock_ns = 1000;
	pid_now = tid_now = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	replay_destroy(&replay);
	return 0;
}

static struct process *apply(struct hg_event event)
{
	event.pid = pid_now;
	event.tid = tid_now;
	event.ns = clock_ns++;
	return replay_apply(&replay, &event);
}

static struct process *announce(int32_t pid, int32_t ppid, uint8_t forked)
{
	pid_now = pid;
	return apply((struct hg_event){ .type = HG_EVENT_process,
					.process = &(struct hg_ev_process){ .ppid = (uint32_t)ppid,
									    .page_size = 4096,
									    .forked = forked,
									    .version = "",
									    .exe = "",
									    .cmdline = "",
									    .env = "" } });
}

static struct process *alloc_by(uint16_t api, uint64_t ptr, uint64_t size, uint64_t flags,
				uint32_t stack_id)
{
	return apply(
	    (struct hg_event){ .type = HG_EVENT_alloc,
			       .alloc = &(struct hg_ev_alloc){ .api = (uint16_t)api,
							       .ptr = ptr,
							       .size = size,
							       .flags = flags,
							       .device = api < HG_HIP_APIS ? -1 : 0,
							       .symbol = "",
							       .stack_id = stack_id } });
}

static struct process *alloc(uint16_t api, uint64_t ptr, uint64_t size)
{
	return alloc_by(api, ptr, size, 0, 0);
}

static struct process *release(uint16_t api, uint64_t ptr, uint64_t size)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr, .size = size } });
}

static struct process *failure(uint16_t api, uint64_t ptr)
{
	return apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){ .api = (uint16_t)api, .ptr = ptr, .code = 12 } });
}

static void advise(uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){ .ptr = ptr, .size = size, .advice = 100 } });
}

/* The allocation at an address, NULL for anything else. */
static const struct allocation *at(const struct process *process, uint64_t address)
{
	struct place place = process_place(process, address);

	return place.kind == PLACE_ALLOCATION ? place.allocation : NULL;
}

static uint64_t coarse(const struct process *process, uint64_t start, uint64_t size)
{
	return page_map_summary(&process->pages, start, size).coarse;
}

/* ---- fork ---- */

static void stack(uint32_t id, uint64_t frame)
{
	apply((struct hg_event){
	    .type = HG_EVENT_stack,
	    .stack = &(struct hg_ev_stack){ .stack_id = id, .frames = &frame, .depth = 1 } });
}

static void a_forked_process_has_its_parents_memory(void **state)
{
	struct process *parent, *child;
	const struct call_stack *found;

	(void)state;
	announce(1, 0, 0);
	stack(1, 0xaaaa);
	alloc_by(HG_API_malloc, 0x10000, 0x1000, 0, 1);
	alloc(HG_API_mmap, 0x200000, 0x4000);
	alloc(HG_API_hipMalloc, 0x900000, 0x1000);
	child = announce(2, 1, 1);
	stack(1, 0xbbbb); /* the child's first stack has the same number */
	assert_non_null(at(child, 0x10800));
	assert_non_null(at(child, 0x200000));
	assert_null(at(child, 0x900000)); /* the GPU's mappings are the parent's */
	found = process_stack(child, at(child, 0x10800)->stack_id);
	assert_non_null(found);
	assert_int_equal(found->frames[0], 0xaaaa);
	/* Copies on write: what one of them does is its own. */
	release(HG_API_free, 0x10000, 0);
	release(HG_API_munmap, 0x201000, 0x1000);
	pid_now = 1;
	parent = alloc(HG_API_malloc, 0x300000, 0x1000);
	assert_int_equal(process_place(child, 0x10000).kind, PLACE_FREED);
	assert_non_null(at(parent, 0x10000));
	assert_null(at(child, 0x201000));
	assert_non_null(at(parent, 0x201000));
	assert_null(at(child, 0x300000));
	/* A child of the child, whose stacks are its grandparent's. */
	pid_now = 1;
	alloc_by(HG_API_malloc, 0x50000, 0x1000, 0, 1);
	child = announce(3, 1, 1);
	stack(1, 0xcccc);
	alloc_by(HG_API_malloc, 0x60000, 0x1000, 0, 1);
	child = announce(4, 3, 1);
	found = process_stack(child, at(child, 0x50000)->stack_id);
	assert_int_equal(found->frames[0], 0xaaaa);
	found = process_stack(child, at(child, 0x60000)->stack_id);
	assert_int_equal(found->frames[0], 0xcccc);
}

/* Forked by `ancestor` at `fork_ns`; its parent at its first event is another process. */
static struct process *announce_forked(int32_t pid, int32_t ancestor, int64_t fork_ns)
{
	pid_now = pid;
	return apply((struct hg_event){
	    .type = HG_EVENT_process,
	    .process = &(struct hg_ev_process){ .ppid = 77,
						.page_size = 4096,
						.forked = 1,
						.ancestor = (uint32_t)ancestor,
						.fork_age = (uint64_t)(clock_ns - fork_ns),
						.version = "",
						.exe = "",
						.cmdline = "",
						.env = "" } });
}

static void what_the_parent_did_since_the_fork_is_its_own(void **state)
{
	struct process *parent, *child;
	int64_t fork_ns;

	(void)state;
	parent = announce(1, 0, 0);
	alloc(HG_API_malloc, 0x10000, 0x1000);
	alloc(HG_API_malloc, 0x20000, 0x1000);
	alloc(HG_API_malloc, 0x30000, 0x1000);
	alloc(HG_API_malloc, 0x50000, 0x1000);
	alloc(HG_API_mmap, 0x200000, 0x4000);
	assert_non_null(at(parent, 0x20000)); /* looked up: kept in another way */
	release(HG_API_free, 0x30000, 0);
	fork_ns = clock_ns++;
	release(HG_API_free, 0x10000, 0);
	release(HG_API_free, 0x20000, 0);
	release(HG_API_free, 0x50000, 0);
	alloc(HG_API_malloc, 0x50000, 0x800);
	alloc(HG_API_malloc, 0x40000, 0x1000);
	child = announce_forked(2, 1, fork_ns);
	assert_non_null(at(child, 0x10000));
	assert_int_equal(at(child, 0x10000)->size, 0x1000);
	assert_non_null(at(child, 0x20000));
	assert_false(at(child, 0x20000)->freed);
	assert_null(at(child, 0x30000));
	assert_null(at(child, 0x40000));
	assert_non_null(at(child, 0x200000));
	assert_null(at(child, 0x50000)); /* what was there is not known any more */
	assert_int_equal(at(parent, 0x50000)->size, 0x800);
	assert_null(at(parent, 0x20000));
	release(HG_API_free, 0x20000, 0);
	assert_int_equal(process_place(child, 0x20000).kind, PLACE_FREED);
	/* A limit on what is looked at for it. */
	child = announce(3, 0, 0);
	assert_int_equal(
	    process_inherit(child, parent, fork_ns, &(struct inherit_limits){ 100, 1 }), -1);
	assert_int_equal(
	    process_inherit(child, parent, fork_ns, &(struct inherit_limits){ 2, 100 }), -1);
	assert_null(at(child, 0x20000));
}

static void the_image_that_forked_counts(void **state)
{
	struct process *child;
	int64_t fork_ns;

	(void)state;
	announce(1, 0, 0);
	alloc(HG_API_malloc, 0x10000, 0x1000);
	fork_ns = clock_ns++;
	announce(1, 0, 0); /* exec */
	alloc(HG_API_malloc, 0x20000, 0x1000);
	child = announce_forked(2, 1, fork_ns);
	assert_non_null(at(child, 0x10000));
	assert_null(at(child, 0x20000));
	child = announce_forked(3, 1, -1); /* before any that is in the trace */
	assert_null(at(child, 0x10000));
}

static void another_program_has_nothing_of_it(void **state)
{
	struct process *child;

	(void)state;
	announce(1, 0, 0);
	alloc(HG_API_malloc, 0x10000, 0x1000);
	child = announce(2, 1, 1);
	assert_non_null(at(child, 0x10000));
	assert_int_equal(replay.inherited, 1);
	child = announce(2, 1, 0); /* exec */
	assert_null(at(child, 0x10000));
	assert_int_equal(replay.inherited, 0);
	child = announce(3, 1, 0); /* posix_spawn */
	assert_null(at(child, 0x10000));
	child = announce(4, 77, 1); /* its parent is not in the trace */
	assert_null(at(child, 0x10000));
}

static void too_much_is_not_inherited(void **state)
{
	struct process *parent, *child;

	(void)state;
	parent = announce(1, 0, 0);
	alloc(HG_API_malloc, 0x10000, 0x1000);
	alloc(HG_API_malloc, 0x20000, 0x1000);
	child = announce(2, 0, 0);
	assert_int_equal(
	    process_inherit(child, parent, INT64_MAX, &(struct inherit_limits){ 1, 0 }), -1);
	assert_null(at(child, 0x10000));
	assert_int_equal(
	    process_inherit(child, parent, INT64_MAX, &(struct inherit_limits){ 2, 0 }), 2);
	assert_non_null(at(child, 0x10000));
}

/* ---- mremap ---- */

static struct process *remap(uint64_t from, uint64_t old_size, uint64_t to, uint64_t size,
			     uint64_t flags)
{
	release(HG_API_mremap, from, old_size);
	return alloc_by(HG_API_mremap, to, size, flags, 0);
}

static void a_mapping_moves_grows_and_shrinks(void **state)
{
	struct process *process = alloc(HG_API_mmap, 0x100000, 0x4000);

	(void)state;
	advise(0x100000, 0x4000);
	process = remap(0x100000, 0x4000, 0x100000, 0x8000, 1); /* grows in place */
	assert_non_null(at(process, 0x107fff));
	assert_int_equal(coarse(process, 0x100000, 0x8000), 0x4000); /* advice stays on its pages */
	process = remap(0x100000, 0x8000, 0x100000, 0x2000, 0);      /* shrinks */
	assert_non_null(at(process, 0x101fff));
	assert_null(at(process, 0x102000));
	assert_int_equal(coarse(process, 0x100000, 0x8000), 0x2000);
	process = remap(0x100000, 0x2000, 0x500000, 0x3000, 1); /* moves */
	assert_null(at(process, 0x100000));
	assert_non_null(at(process, 0x502fff));
	assert_int_equal(coarse(process, 0x100000, 0x2000), 0);
	assert_int_equal(coarse(process, 0x500000, 0x3000), 0);
}

static void a_part_of_a_mapping_moves(void **state)
{
	struct process *process = alloc(HG_API_mmap, 0x100000, 0x4000);

	(void)state;
	process = remap(0x101000, 0x1000, 0x500000, 0x1000, 3);
	assert_non_null(at(process, 0x100fff));
	assert_null(at(process, 0x101000));
	assert_non_null(at(process, 0x102000));
	assert_non_null(at(process, 0x500000));
	process = remap(0x500000, 0x1000, 0x600000, 0x1000, 5); /* MREMAP_DONTUNMAP */
	assert_non_null(at(process, 0x500000));
	assert_non_null(at(process, 0x600000));
	process = remap(0x600000, 0, 0x700000, 0x1000, 1); /* shared memory a second time */
	assert_non_null(at(process, 0x600000));
	assert_non_null(at(process, 0x700000));
}

static void an_mremap_that_failed_changes_nothing(void **state)
{
	struct process *process = alloc(HG_API_mmap, 0x100000, 0x4000);

	(void)state;
	advise(0x100000, 0x4000);
	release(HG_API_mremap, 0x100000, 0x4000);
	failure(HG_API_mremap, 0x100000);
	process = alloc(HG_API_mmap, 0x900000, 0x1000);
	assert_non_null(at(process, 0x103fff));
	assert_int_equal(coarse(process, 0x100000, 0x4000), 0x4000);
}

/* While a thread moves a mapping, another is given the old addresses before the first says so. */
static void the_old_addresses_come_again_at_once(void **state)
{
	struct process *process = alloc(HG_API_mmap, 0x100000, 0x4000);

	(void)state;
	release(HG_API_mremap, 0x100000, 0x4000);
	tid_now = 2;
	alloc_by(HG_API_mmap, 0x100000, 0x1000, 0, 9);
	tid_now = 1;
	process = alloc_by(HG_API_mremap, 0x500000, 0x4000, 1, 0);
	assert_int_equal(at(process, 0x100000)->stack_id, 9);
	assert_null(at(process, 0x101000));
	assert_non_null(at(process, 0x500000));
}

static void munmap_takes_whole_pages_and_refuses_others(void **state)
{
	struct process *process = alloc(HG_API_mmap, 0x100000, 0x4000);

	(void)state;
	process = release(HG_API_munmap, 0x100010, 0x1000); /* EINVAL */
	assert_non_null(at(process, 0x100010));
	process = release(HG_API_munmap, 0x100000, 0x1001);
	assert_null(at(process, 0x101fff));
	assert_non_null(at(process, 0x102000));
}

/* ---- imports, reservations, pieces ---- */

static void imports_and_reservations_come_and_go(void **state)
{
	struct process *process = alloc_by(HG_API_hipIpcOpenMemHandle, 0x100000, 0x1000, 0, 1);

	(void)state;
	assert_int_equal(at(process, 0x100800)->api, HG_API_hipIpcOpenMemHandle);
	process = release(HG_API_hipIpcCloseMemHandle, 0x100000, 0);
	assert_int_equal(process_place(process, 0x100800).kind, PLACE_FREED);
	process = alloc_by(HG_API_hipMemAddressReserve, 0x100000, 0x200000, 0, 2);
	assert_int_equal(at(process, 0x100800)->stack_id, 2);
	process = release(HG_API_hipMemAddressFree, 0x100000, 0x200000);
	assert_int_equal(process_place(process, 0x100800).kind, PLACE_FREED);
	process = alloc_by(HG_API_hipMalloc, 0x100000, 0x1000, 0, 3);
	assert_int_equal(at(process, 0x100800)->stack_id, 3);
}

#define RANGE 0x40000000
#define CHUNK 0x200000

static void expect_mapped(const struct process *process, uint64_t address, uint32_t stack_id)
{
	const struct place place = process_place(process, address);

	assert_int_equal(place.kind, PLACE_ALLOCATION);
	assert_int_equal(place.allocation->api,
			 stack_id ? HG_API_hipMemMap : HG_API_hipMemAddressReserve);
	if (stack_id)
		assert_int_equal(place.allocation->stack_id, stack_id);
}

/* A vector that grows: addresses are reserved once, memory comes, goes and comes again piece by
 * piece. */
static void reserved_addresses_are_mapped_anew(void **state)
{
	struct process *process = alloc_by(HG_API_hipMemAddressReserve, RANGE, 8 * CHUNK, 0, 1);

	(void)state;
	expect_mapped(process, RANGE, 0);
	alloc_by(HG_API_hipMemMap, RANGE, CHUNK, 1, 2);
	process = alloc_by(HG_API_hipMemMap, RANGE + CHUNK, 2 * CHUNK, 1, 3);
	expect_mapped(process, RANGE + 0x10, 2);
	expect_mapped(process, RANGE + CHUNK, 3);
	expect_mapped(process, RANGE + 3 * CHUNK, 0);
	/* Both in one call. */
	process = release(HG_API_hipMemUnmap, RANGE, 3 * CHUNK);
	assert_int_equal(process_place(process, RANGE + 0x10).kind, PLACE_FREED);
	assert_int_equal(process_place(process, RANGE + CHUNK).allocation->stack_id, 3);
	assert_int_equal(process_place(process, RANGE + CHUNK).kind, PLACE_FREED);
	expect_mapped(process, RANGE + 3 * CHUNK, 0);
	/* Which fails: nothing of it happened. */
	process = failure(HG_API_hipMemUnmap, RANGE);
	expect_mapped(process, RANGE + 0x10, 2);
	expect_mapped(process, RANGE + CHUNK, 3);
	/* Other memory at the same addresses. */
	release(HG_API_hipMemUnmap, RANGE, CHUNK);
	process = alloc_by(HG_API_hipMemMap, RANGE, CHUNK, 1, 4);
	expect_mapped(process, RANGE + 0x10, 4);
	release(HG_API_hipMemUnmap, RANGE, 3 * CHUNK);
	process = release(HG_API_hipMemAddressFree, RANGE, 8 * CHUNK);
	assert_int_equal(process_place(process, RANGE).kind, PLACE_FREED);
	assert_int_equal(process_place(process, RANGE).allocation->api,
			 HG_API_hipMemAddressReserve);
	/* And the addresses for something else. */
	process = alloc_by(HG_API_hipMalloc, RANGE, CHUNK, 0, 5);
	assert_int_equal(at(process, RANGE)->stack_id, 5);
}

/* What fails says nothing about the release before it. */
static void a_second_release_undoes_nothing(void **state)
{
	struct process *process = alloc(HG_API_malloc, 0x10000, 0x2000);

	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								 .ptr = 0x10000,
								 .device_ptr = 0x910000,
								 .size = 0x2000,
								 .symbol = "" } });
	assert_int_equal(at(process, 0x910000)->api, HG_API_hipHostRegister);
	release(HG_API_hipHostUnregister, 0x10000, 0);
	failure(HG_API_hipHostUnregister, 0x10000); /* this one did not happen */
	assert_non_null(at(process, 0x910000));
	release(HG_API_hipHostUnregister, 0x10000, 0);
	release(HG_API_hipHostUnregister, 0x10000, 0);
	failure(HG_API_hipHostUnregister, 0x10000);
	assert_null(at(process, 0x910000));
	assert_int_equal(at(process, 0x10000)->api, HG_API_malloc);
	alloc(HG_API_hipMalloc, 0x20000, 0x1000);
	release(HG_API_hipFree, 0x20000, 0);
	release(HG_API_hipFree, 0x20000, 0);
	failure(HG_API_hipFree, 0x20000);
	assert_null(at(process, 0x20000));
}

static void pieces_of_an_allocation_are_its_middle(void **state)
{
	struct process *process = alloc_by(HG_API_hipMalloc, 0x100000, 0x100000, 0, 7);

	(void)state;
	for (uint64_t piece = 0; piece < 0x100000; piece += 0x100) {
		struct place place = process_place(process, 0x100000 + piece);

		assert_int_equal(place.kind, PLACE_ALLOCATION);
		assert_int_equal(place.offset, piece);
		assert_int_equal(place.allocation->stack_id, 7);
	}
}

/* ---- 64 threads on the same addresses, against an array ---- */

#define THREADS 64
#define BLOCKS  256
#define STEPS   50000

static void threads_pass_addresses_to_each_other(void **state)
{
	static struct {
		bool live;
		uint32_t stack_id;
		uint64_t size;
	} blocks[BLOCKS];
	struct process *process = announce(1, 0, 0);

	(void)state;
	srand(1);
	for (uint32_t step = 1; step <= STEPS; step++) {
		unsigned i = (unsigned)rand() % BLOCKS;
		uint64_t base = 0x100000 + 0x10000ull * i;

		tid_now = 1 + rand() % THREADS;
		if (!blocks[i].live) {
			blocks[i].live = true;
			blocks[i].stack_id = step;
			blocks[i].size = 1 + (unsigned)rand() % 0x10000;
			alloc_by(HG_API_malloc, base, blocks[i].size, 0, step);
		} else if (rand() % 4 == 0) { /* realloc in place, or one that fails */
			release(HG_API_realloc, base, 0);
			if (rand() % 2) {
				failure(HG_API_realloc, base);
			} else {
				blocks[i].stack_id = step;
				blocks[i].size = 1 + (unsigned)rand() % 0x10000;
				alloc_by(HG_API_realloc, base, blocks[i].size, 0, step);
			}
		} else {
			blocks[i].live = false;
			release(HG_API_free, base, 0);
		}
		i = (unsigned)rand() % BLOCKS;
		base = 0x100000 + 0x10000ull * i;
		if (blocks[i].live) {
			const struct allocation *found = at(process, base + blocks[i].size - 1);

			assert_non_null(found);
			assert_int_equal(found->stack_id, blocks[i].stack_id);
			assert_int_equal(found->ptr, base);
		} else {
			assert_null(at(process, base));
		}
	}
	assert_int_equal(process->unresolved_frees, 0);
	assert_int_equal(process->space.overlaps, 0);
}

/* ---- shared segments, the break ---- */

static void a_segment_is_detached_as_a_whole(void **state)
{
	struct process *process = alloc(HG_API_shmat, 0x100000, 0x4800);

	(void)state;
	advise(0x100000, 0x5000);
	alloc(HG_API_shmat, 0x105000, 0x2000); /* right behind it */
	process = release(HG_API_munmap, 0x100000, 0x1000);
	process = release(HG_API_munmap, 0x102000, 0x1000);
	alloc_by(HG_API_mmap, 0x102000, 0x1000, 0, 9); /* something else in the gap */
	assert_non_null(at(process, 0x104000));
	process = release(HG_API_shmdt, 0x105800, 0); /* nothing begins there: EINVAL */
	process = release(HG_API_shmdt, 0x101000, 0); /* a piece, but not the beginning */
	assert_non_null(at(process, 0x101000));
	assert_non_null(at(process, 0x105800));
	process = release(HG_API_shmdt, 0x100000, 0);
	assert_null(at(process, 0x101000));
	assert_int_equal(at(process, 0x102000)->stack_id, 9);
	assert_null(at(process, 0x103000));
	assert_null(at(process, 0x104000));
	assert_non_null(at(process, 0x105000));
	assert_int_equal(coarse(process, 0x100000, 0x5000), 0);
}

static void a_child_has_its_parents_segments(void **state)
{
	struct process *parent, *child;

	(void)state;
	announce(1, 0, 0);
	parent = alloc(HG_API_shmat, 0x100000, 0x4000);
	announce(2, 1, 1);
	child = release(HG_API_shmdt, 0x100000, 0);
	assert_null(at(child, 0x100000));
	assert_non_null(at(parent, 0x100000));
}

static void the_break_moves_by_bytes(void **state)
{
	struct process *process = alloc(HG_API_sbrk, 0x100000, 0x1800);

	(void)state;
	advise(0x100000, 0x2000);
	process = alloc_by(HG_API_brk, 0x101800, 0x2000, 0, 9);
	assert_int_equal(coarse(process, 0x100000, 0x2000), 0x2000); /* the page was there before */
	assert_int_equal(at(process, 0x101900)->stack_id, 9);
	process = release(HG_API_sbrk, 0x101900, 0x1f00);
	assert_non_null(at(process, 0x1018ff));
	assert_null(at(process, 0x101900));
	assert_int_equal(coarse(process, 0x100000, 0x2000), 0x2000); /* in part it is still there */
	process = release(HG_API_brk, 0x100000, 0x1900);
	assert_null(at(process, 0x100000));
	assert_int_equal(coarse(process, 0x100000, 0x2000), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_forked_process_has_its_parents_memory),
		TEST(what_the_parent_did_since_the_fork_is_its_own),
		TEST(the_image_that_forked_counts),
		TEST(another_program_has_nothing_of_it),
		TEST(too_much_is_not_inherited),
		TEST(a_mapping_moves_grows_and_shrinks),
		TEST(a_part_of_a_mapping_moves),
		TEST(an_mremap_that_failed_changes_nothing),
		TEST(the_old_addresses_come_again_at_once),
		TEST(munmap_takes_whole_pages_and_refuses_others),
		TEST(imports_and_reservations_come_and_go),
		TEST(reserved_addresses_are_mapped_anew),
		TEST(a_second_release_undoes_nothing),
		TEST(pieces_of_an_allocation_are_its_middle),
		TEST(threads_pass_addresses_to_each_other),
		TEST(a_segment_is_detached_as_a_whole),
		TEST(a_child_has_its_parents_segments),
		TEST(the_break_moves_by_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
