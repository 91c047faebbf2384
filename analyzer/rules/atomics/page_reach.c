/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which pages of memory a launch uses through a pointer, if they differ. */
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

/*
 * Holds the bytes that are used: those that the machine code tells, else all from the pointer on.
 */
struct extent {
	uint64_t from, size; /* an offset in the allocation; size 0: outside of it */
	bool exact, known;
};

static struct extent extent_of(const struct pointer_argument *pointer, const struct isa_step *place,
			       uint64_t element)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct extent extent = { .from = pointer->place.offset };
	int64_t first, last, begin = (int64_t)extent.from;

	if (!allocation)
		return extent;
	extent.size = allocation->size - extent.from;
	extent.exact = place && place->exact;
	extent.known = extent.exact || (place && place->bounded);
	if (!extent.known)
		return extent;
	first = extent.exact ? place->offset : place->first;
	last = extent.exact ? place->offset : place->last;
	if (__builtin_add_overflow(begin, first, &first) ||
	    __builtin_add_overflow(begin, last, &last) || first > last || last < 0 ||
	    first >= (int64_t)allocation->size)
		return (struct extent){ 0 };
	extent.from = (uint64_t)MAX(first, 0);
	extent.size = MIN((uint64_t)last + element, allocation->size) - extent.from;
	return extent;
}

static enum page_reach reach_of(const struct looking *looking, const struct extent *extent)
{
	if (!looking->found.fine_size)
		return PAGES_COARSE;
	if (!looking->coarse)
		return extent->known ? PAGES_FINE : PAGES_BEHIND;
	/*
	 * An element may lie across the border of two pages, or some of several elements may not
	 * be used.
	 */
	if (extent->known)
		return PAGES_LIKELY;
	return looking->own_fine || looking->span_fine ? PAGES_LIKELY : PAGES_POSSIBLE;
}

struct pages_used pages_used(const struct process *process, const struct pointer_argument *pointer,
			     const struct grain *grain, const struct isa_step *place,
			     uint64_t items, uint64_t element)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct extent extent = extent_of(pointer, place, element);
	struct looking looking = { 0 };
	struct page_summary all;

	if (!grain->mixed) {
		looking.found.reach = PAGES_ALIKE;
		return looking.found;
	}
	all = allocation ? page_map_summary(&process->pages, allocation->ptr, allocation->size)
			 : (struct page_summary){ 0 };
	if (!extent.size || all.coarse == 0 || all.coarse == allocation->size) {
		looking.found.reach = allocation && !extent.known && extent.from == 0 &&
					      items >= allocation->size / element
					  ? PAGES_SOME_OF_ALL
					  : PAGES_UNKNOWN;
		return looking.found;
	}
	looking.base = allocation->ptr;
	looking.from = allocation->ptr + extent.from;
	looking.span_end =
	    looking.from + (items < extent.size / element ? items * element : extent.size);
	page_map_each(&process->pages, looking.from, extent.size, look, &looking);
	looking.found.reach = reach_of(&looking, &extent);
	return looking.found;
}
