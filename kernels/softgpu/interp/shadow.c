/* SPDX-License-Identifier: Apache-2.0 */
/* Tools say which bytes around and in allocations no kernel may access. */
#include <stdlib.h>

#include "check.h"

/* An allocation and the bytes behind it, up to `last`, that belong to nothing else. */
struct range {
	uint64_t first, end, last;
	bool freed;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges; /* sorted, without overlap */
static size_t count, room;

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

void softgpu_check_memory(uint64_t address, uint64_t size, uint64_t whole,
			  enum softgpu_memory_state state)
{
	struct range range = { address, address + size, address + whole,
			       state == SOFTGPU_MEMORY_FREED };

	if (!softgpu_config.check || range.end < address || range.last < range.end ||
	    range.last == address)
		return;
	pthread_rwlock_wrlock(&lock);
	forget(range.first, range.last);
	if (state != SOFTGPU_MEMORY_UNKNOWN)
		insert(range);
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
