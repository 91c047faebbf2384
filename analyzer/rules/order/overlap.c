/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what two uses touch. */
#include "overlap.h"

/* Returns the end of the allocation, in the addresses that `start` is one of. */
static uint64_t end_of(const struct allocation *allocation, uint64_t start)
{
	uint64_t base =
	    start - allocation->ptr < allocation->size ? allocation->ptr : allocation->device_ptr;

	return base + allocation->size;
}

/*
 * Returns true if the allocation has no room behind the pointer of both kernels for an element for
 * each work-item of both. An extent of more than all of it shows that work-items share elements.
 */
static bool is_crowded(const struct allocation *allocation, const struct use *a,
		       const struct use *b)
{
	uint64_t room = end_of(allocation, a->start) - a->start;

	return a->extent && b->extent && a->extent <= room && b->extent <= room &&
	       a->extent > room - b->extent;
}

static const char *const computed = "the range that a kernel accesses is computed from its code, "
				    "arguments and launch";
static const char *const same_range = "the range that a kernel accesses from the pointer is "
				      "unknown";
static const char *const same_scalars = "the kernels may work on different parts from the same "
					"pointer";
static const char *const same_extent =
    "the kernels' scalar arguments differ and may choose different parts, which would have to be "
    "smaller than one element for each work-item";

/* Returns what a kind of access, a bit's number, touches for certain. */
static struct reached_range touched_by(const struct use *use, unsigned kind)
{
	if (!(use->access >> kind & 1))
		return (struct reached_range){ 0 };
	return use->end ? (struct reached_range){ use->start, use->end } : use->touched[kind];
}

/* Returns true if both touch the same bytes for certain, and not both of them only read these. */
static bool is_certain_overlap(const struct use *a, const struct use *b)
{
	for (unsigned i = 0; i < ISA_ACCESSES; i++) {
		struct reached_range one = touched_by(a, i);

		for (unsigned k = 0; k < ISA_ACCESSES; k++) {
			struct reached_range other = touched_by(b, k);

			if (((1u << i | 1u << k) & ACCESS_CHANGES) && one.start < other.end &&
			    other.start < one.end)
				return true;
		}
	}
	return false;
}

int uses_overlap(const struct allocation *allocation, const struct use *a, const struct use *b,
		 const char **doubt)
{
	const struct use *copy = a->end ? a : b;

	*doubt = NULL;
	if (a->end && b->end)
		return a->start < b->end && b->start < a->end ? CONFIDENCE_PROVEN : -1;
	if (is_certain_overlap(a, b)) {
		*doubt = computed;
		return CONFIDENCE_LIKELY;
	}
	if (copy->end) {
		uint64_t end = end_of(allocation, copy->start);

		*doubt = same_range;
		return copy->start == end - allocation->size && copy->end >= end ? CONFIDENCE_LIKELY
										 : -1;
	}
	if (a->start != b->start)
		return -1;
	*doubt = a->signature == b->signature ? same_range
		 : a->scalars == b->scalars   ? same_scalars
					      : same_extent;
	return *doubt != same_extent || is_crowded(allocation, a, b) ? CONFIDENCE_POSSIBLE : -1;
}

bool uses_are_atomic(const struct use *a, const struct use *b)
{
	return (a->access & ACCESS_ATOMIC) && (b->access & ACCESS_ATOMIC);
}

bool uses_are_split_atomics(const struct use *a, const struct use *b, const struct grain *grain)
{
	return uses_are_atomic(a, b) && a->device != b->device && a->start == b->start &&
	       grain->granularity == GRAIN_COARSE;
}
