/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages of memory a launch uses through a pointer, where they differ. */
#include "page_reach.h"

struct looking {
	uint64_t base, from; /* addresses: of the allocation, and of the first byte used */
	uint64_t span_end;   /* address behind one element a work-item */
	bool own_fine, span_fine, coarse;
	struct pages_used found;
};

static void look(void *data, uint64_t from, uint64_t to, const struct page_call *call)
{
	struct looking *looking = data;

	if (call && call->coarse) {
		looking->coarse = true;
		return;
	}
	looking->own_fine |= from == looking->from;
	looking->span_fine |= from < looking->span_end;
	if (looking->found.fine_size &&
	    looking->found.fine_start + looking->found.fine_size == from - looking->base) {
		looking->found.fine_size += to - from;
	} else if (!looking->found.fine_size) {
		looking->found.fine_start = from - looking->base;
		looking->found.fine_size = to - from;
	}
}

struct pages_used pages_used(const struct process *process, const struct pointer_argument *pointer,
			     const struct grain *grain, uint64_t items, uint64_t element)
{
	const struct allocation *allocation = pointer->place.allocation;
	uint64_t left = allocation ? allocation->size - pointer->place.offset : 0;
	struct looking looking = { 0 };
	struct page_summary all;

	if (!grain->mixed) {
		looking.found.reach = PAGES_ALIKE;
		return looking.found;
	}
	all = allocation ? page_map_summary(&process->pages, allocation->ptr, allocation->size)
			 : (struct page_summary){ 0 };
	if (!left || all.coarse == 0 || all.coarse == allocation->size) {
		looking.found.reach = PAGES_UNKNOWN;
		return looking.found;
	}
	looking.base = allocation->ptr;
	looking.from = allocation->ptr + pointer->place.offset;
	looking.span_end = looking.from + (items < left / element ? items * element : left);
	page_map_each(&process->pages, looking.from, left, look, &looking);
	if (!looking.found.fine_size) {
		looking.found.reach = PAGES_COARSE;
	} else if (!looking.coarse) {
		looking.found.reach = PAGES_FINE;
	} else {
		looking.found.reach =
		    looking.own_fine || looking.span_fine ? PAGES_LIKELY : PAGES_POSSIBLE;
	}
	return looking.found;
}
