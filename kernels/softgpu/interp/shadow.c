/* SPDX-License-Identifier: Apache-2.0 */
/* Tools say which bytes around and in allocations no kernel may access. */
#include <stdlib.h>

#include "check.h"

/* An allocation and the bytes behind it, up to `last`, that belong to nothing else. */
struct range {
	uint64_t first, end, last;
	bool freed, loaded; /* loaded: a kernel has loaded a pointer there (atomic) */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges; /* sorted, without overlap */
static size_t count, room;
/* The upper halves of the least address, and what the greatest one's has more; atomic, both. */
static uint64_t heights;

/* Returns the number of the first range that ends behind `address`. */
static size_t position(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].last > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void forget(uint64_t first, uint64_t last)
{
	size_t from = position(first), to = from;

	while (to < count && ranges[to].first < last)
		to++;
	memmove(ranges + from, ranges + to, (count - to) * sizeof(*ranges));
	count -= to - from;
}

static void insert(struct range range)
{
	size_t at;

	if (count == room) {
		size_t more = room ? 2 * room : 64;
		struct range *grown = realloc(ranges, more * sizeof(*grown));

		if (!grown) {
			fprintf(stderr, "softgpu: no memory to check that of an allocation\n");
			return;
		}
		ranges = grown;
		room = more;
	}
	at = position(range.first);
	memmove(ranges + at + 1, ranges + at, (count - at) * sizeof(*ranges));
	ranges[at] = range;
	count++;
}

static void find_heights(void)
{
	uint64_t least = count ? ranges[0].first >> 32 : 0;
	uint64_t span = count ? (ranges[count - 1].last >> 32) - least : 0;

	__atomic_store_n(&heights, least << 32 | span, __ATOMIC_RELAXED);
}

void softgpu_check_memory(uint64_t address, uint64_t size, uint64_t whole,
			  enum softgpu_memory_state state)
{
	struct range range = { address, address + size, address + whole,
			       state == SOFTGPU_MEMORY_FREED, false };

	if (!softgpu_config.check || range.end < address || range.last < range.end ||
	    range.last == address)
		return;
	pthread_rwlock_wrlock(&lock);
	forget(range.first, range.last);
	if (state != SOFTGPU_MEMORY_UNKNOWN)
		insert(range);
	find_heights();
	pthread_rwlock_unlock(&lock);
}

void sg_shadow_lock(void)
{
	pthread_rwlock_rdlock(&lock);
}

void sg_shadow_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

bool sg_shadow_find(uint64_t address, unsigned size, enum softgpu_check_kind *kind)
{
	size_t at = position(address);

	/* An access that begins in front of a range is another allocation's, or unknown. */
	if (at == count || ranges[at].first > address)
		return false;
	if (!ranges[at].freed && address + size <= ranges[at].end)
		return false;
	*kind = ranges[at].freed ? SOFTGPU_CHECK_FREED : SOFTGPU_CHECK_PAST_END;
	return true;
}

bool sg_shadow_live(uint64_t address, uint64_t last, struct sg_live *live)
{
	size_t at = position(address);
	const struct range *range = &ranges[at];

	if (at == count || range->first > address || range->end < last || range->freed)
		return false;
	live->first = range->first;
	live->end = range->end;
	live->loaded = __atomic_load_n(&range->loaded, __ATOMIC_RELAXED);
	return true;
}

enum sg_pointer sg_shadow_pointer(uint64_t value, bool loaded)
{
	uint32_t least, span;
	size_t at;

	if (!sg_shadow_heights(&least, &span) || (uint32_t)(value >> 32) - least > span)
		return SG_POINTER_NONE;
	at = position(value);
	if (at == count || ranges[at].first > value || ranges[at].end < value)
		return SG_POINTER_UNKNOWN;
	if (loaded)
		__atomic_store_n(&ranges[at].loaded, true, __ATOMIC_RELAXED);
	return SG_POINTER_KNOWN;
}

bool sg_shadow_heights(uint32_t *least, uint32_t *span)
{
	uint64_t both = __atomic_load_n(&heights, __ATOMIC_RELAXED);

	*least = (uint32_t)(both >> 32);
	*span = (uint32_t)both;
	return both != 0;
}
