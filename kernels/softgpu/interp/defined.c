/* SPDX-License-Identifier: Apache-2.0 */
/* Tools say which memory is new; what writes to it is noted here byte by byte. */
#include <stdlib.h>
#include <sys/mman.h>

#include "defined.h"

/*
 * New memory is filled with words of this value, so that bytes are seen to have been written by
 * what is not followed: the host, and instructions without `touch`. As an index or a count it is
 * harmless.
 */
#define FILL 43u
/* Such bytes are written in pieces of this size at least. */
#define PIECE 64u

/* Larger allocations would take too long to fill, and so much altogether too much memory. */
#define ONE_MOST ((uint64_t)256 << 20)
#define ALL_MOST ((uint64_t)1 << 30)

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct sg_known *table; /* sorted, without overlap */
static size_t count, room;
static uint64_t total;

/* Returns the number of the first entry that ends behind `address`. */
static size_t position(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void forget(uint64_t first, uint64_t end)
{
	size_t from = position(first), to = from;

	for (; to < count && table[to].first < end; to++) {
		munmap(table[to].written, table[to].end - table[to].first);
		total -= table[to].end - table[to].first;
	}
	memmove(table + from, table + to, (count - to) * sizeof(*table));
	count -= to - from;
}

static uint8_t fill_byte(uint64_t address)
{
	return address % 4 ? 0 : FILL;
}

/* Makes an entry and fills the memory. Returns false if there is no memory for it. */
static bool insert(uint64_t first, uint64_t end)
{
	uint32_t *words = softgpu_host_pointer(first);
	size_t at;

	if (count == room) {
		size_t more = room ? 2 * room : 64;
		struct sg_known *grown = realloc(table, more * sizeof(*grown));

		if (!grown)
			return false;
		table = grown;
		room = more;
	}
	at = position(first);
	memmove(table + at + 1, table + at, (count - at) * sizeof(*table));
	table[at] = (struct sg_known){ first, end,
				       mmap(NULL, end - first, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) };
	if (table[at].written == MAP_FAILED) {
		memmove(table + at, table + at + 1, (count - at) * sizeof(*table));
		return false;
	}
	count++;
	total += end - first;
	for (uint64_t i = 0; i < (end - first) / 4; i++)
		words[i] = FILL;
	for (uint64_t i = (end - first) / 4 * 4; i < end - first; i++)
		((uint8_t *)words)[i] = fill_byte(i);
	return true;
}

void softgpu_check_unwritten(uint64_t address, uint64_t size)
{
	static bool told;
	bool kept = true;

	if (!(softgpu_config.check & SOFTGPU_INITCHECK) || !address || address % 4)
		return;
	pthread_rwlock_wrlock(&lock);
	forget(address, address + (size ? size : 1));
	if (size)
		kept =
		    size <= ONE_MOST && total + size <= ALL_MOST && insert(address, address + size);
	if (!kept && !told)
		fprintf(stderr,
			"softgpu: more memory than initcheck can follow; allocations from now on "
			"may count as written\n");
	told |= !kept;
	pthread_rwlock_unlock(&lock);
}

void sg_known_lock(void)
{
	pthread_rwlock_rdlock(&lock);
}

void sg_known_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

const struct sg_known *sg_known_find(uint64_t address)
{
	size_t at = position(address);

	return at < count && table[at].first <= address ? &table[at] : NULL;
}

bool sg_known_unwritten(const struct sg_known *known, uint64_t at)
{
	uint64_t from = at / PIECE * PIECE, size = known->end - known->first;
	uint64_t to = size - from < PIECE ? size : from + PIECE;
	const uint8_t *memory = softgpu_host_pointer(known->first);
	bool changed = false;

	for (uint64_t i = from; i < to; i++)
		changed |= known->written[i] == SG_UNWRITTEN && memory[i] != fill_byte(i);
	if (changed)
		memset(known->written + from, SG_WRITTEN, to - from);
	return !changed;
}

uint64_t softgpu_check_unread(uint64_t address, uint64_t size, uint64_t *first)
{
	const struct sg_known *known;
	uint64_t longest = 0, length = 0;

	if (!(softgpu_config.check & SOFTGPU_INITCHECK))
		return 0;
	sg_known_lock();
	known = sg_known_find(address);
	if (known && size > known->end - address)
		size = known->end - address;
	for (uint64_t i = 0; known && i < size; i++) {
		uint64_t byte = address - known->first + i;

		if (known->written[byte] == SG_UNWRITTEN && sg_known_unwritten(known, byte))
			length++;
		else
			length = 0;
		if (length > longest) {
			longest = length;
			*first = address + i + 1 - length;
		}
	}
	sg_known_unlock();
	return longest;
}

/* ---- what copies and fills of the driver do ---- */

/* Has the bytes of `target` from `to` on what is known of as many from `from` on. */
static void move_known(const struct sg_known *target, uint64_t to, uint64_t from, uint64_t size)
{
	uint8_t *written = target->written + (to - target->first);

	for (uint64_t i = 0; i < size; i++) {
		size_t at = position(from + i);

		if (at == count || table[at].first >= from + size)
			return;
		if (table[at].first > from + i)
			i = table[at].first - from;
		for (; i < size && from + i < table[at].end; i++) {
			uint64_t byte = from + i - table[at].first;

			if (table[at].written[byte] == SG_UNWRITTEN &&
			    sg_known_unwritten(&table[at], byte))
				written[i] = SG_UNWRITTEN;
		}
		i--;
	}
}

void softgpu_check_copied(uint64_t to, uint64_t from, uint64_t size)
{
	uint64_t n;

	if (!(softgpu_config.check & SOFTGPU_INITCHECK))
		return;
	sg_known_lock();
	for (uint64_t i = 0; i < size; i += n) {
		size_t at = position(to + i);

		if (at == count)
			break;
		if (table[at].first > to + i) {
			n = table[at].first - (to + i);
			continue;
		}
		n = table[at].end - (to + i) < size - i ? table[at].end - (to + i) : size - i;
		memset(table[at].written + (to + i - table[at].first), SG_WRITTEN, n);
		if (from)
			move_known(&table[at], to + i, from + i, n);
	}
	sg_known_unlock();
}
