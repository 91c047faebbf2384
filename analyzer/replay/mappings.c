/* SPDX-License-Identifier: Apache-2.0 */
/* mmap(), munmap(), mremap() and the program break. */
#include "mappings.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"

#define DONT_UNMAP 4u /* MREMAP_DONTUNMAP, linux/mman.h */

static uint64_t whole_pages(const struct process *process, uint64_t size)
{
	return (size + process->page_size - 1) & ~((uint64_t)process->page_size - 1);
}

void mapping_drop(struct process *process, uint64_t start, uint64_t size)
{
	page_map_drop(&process->pages, start, size);
	page_map_drop(&process->attributed, start, size);
}

static struct unmapping by_event(const struct hg_event *event)
{
	return (struct unmapping){ .api = event->free->api,
				   .tid = event->tid,
				   .ns = event->ns,
				   .stack_id = event->free->stack_id };
}

static void unmap(struct process *process, uint64_t start, uint64_t size,
		  const struct unmapping *how)
{
	address_space_unmap(&process->space, start, size, how);
	mapping_drop(process, start, size);
	process->epoch++;
}

/*
 * An mremap is known when it has ended: only then is the old range unmapped, if at all. Until then
 * another thread can have been given the old addresses already.
 */
static void settle(struct process *process, uint64_t start, uint64_t size)
{
	struct remap *remap = &process->remap;

	if (remap->size && start < remap->start + remap->size && remap->start < start + size) {
		unmap(process, remap->start, remap->size, &remap->how);
		remap->size = 0;
	}
}

static bool moves_break(uint16_t api)
{
	return api == HG_API_brk || api == HG_API_sbrk;
}

/* A page is released with the break only when the break leaves it. */
static void drop_above_break(struct process *process, uint64_t start, uint64_t size)
{
	uint64_t from = whole_pages(process, start), to = whole_pages(process, start + size);

	mapping_drop(process, from, to - from);
}

static void drop_detached(void *data, uint64_t start, uint64_t size)
{
	struct process *process = data;

	mapping_drop(process, start, whole_pages(process, size));
	process->epoch++;
}

void mapping_free(struct process *process, const struct hg_event *event)
{
	uint64_t start = event->free->ptr, size = whole_pages(process, event->free->size);
	struct unmapping how = by_event(event);

	if (event->free->api == HG_API_shmdt) {
		address_space_detach(&process->space, start, &how, drop_detached, process);
		return;
	}
	if (moves_break(event->free->api)) {
		address_space_unmap(&process->space, start, event->free->size, &how);
		drop_above_break(process, start, event->free->size);
		process->epoch++;
		return;
	}
	if (start % process->page_size || size == 0)
		return; /* munmap refuses it; mremap of size 0 makes a second mapping */
	if (event->free->api == HG_API_munmap) {
		unmap(process, start, size, &how);
		return;
	}
	settle(process, process->remap.start, process->remap.size);
	process->remap = (struct remap){ start, size, event->tid, how };
}

void mapping_make_room(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_alloc *from = event->alloc;
	uint64_t size = whole_pages(process, from->size), kept = 0;
	struct remap remap = process->remap;

	if (moves_break(from->api)) {
		address_space_unmap(&process->space, from->ptr, from->size, NULL);
		drop_above_break(process, from->ptr, from->size);
		return;
	}
	if (from->api == HG_API_mremap && remap.size && remap.tid == event->tid) {
		process->remap.size = 0;
		if (from->ptr == remap.start) { /* grown or shrunk in place: what stays, stays */
			kept = MIN(size, remap.size);
			address_space_unmap(&process->space, remap.start, remap.size, NULL);
			mapping_drop(process, remap.start + kept, remap.size - kept);
		} else if (!(from->flags & DONT_UNMAP)) {
			unmap(process, remap.start, remap.size, &remap.how);
		}
	} else {
		settle(process, from->ptr, size);
	}
	/* MAP_FIXED replaces what was there, pages and all. */
	address_space_unmap(&process->space, from->ptr, size, NULL);
	mapping_drop(process, from->ptr + kept, size - kept);
}

void mapping_failed(struct process *process, const struct hg_event *event)
{
	if (process->remap.tid == event->tid)
		process->remap.size = 0;
}
