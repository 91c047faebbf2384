/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator for this library: blocks of powers of two, in chunks that are mapped as needed. */
#include "preload/core/pool.h"

#include <pthread.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/libc.h"

#define CHUNK       ((size_t)64 << 10)
#define LEAST_SHIFT 5u  /* the smallest block, its header included: 32 bytes */
#define MOST_SHIFT  14u /* the largest of a chunk; others have mappings of their own */
#define SHIFTS      (MOST_SHIFT + 1)

/* Right before each block. */
struct header {
	size_t total; /* bytes, with the header */
	size_t shift; /* total is 1 << shift; 0: a mapping of its own */
};
_Static_assert(sizeof(struct header) == 16, "blocks are aligned to 16 bytes");

struct spare {
	struct spare *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct spare *spares[SHIFTS];
static char *chunk_at, *chunk_end;

void hg_pool_lock(void)
{
	pthread_mutex_lock(&lock);
}

void hg_pool_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static struct header *header_of(const void *ptr)
{
	return (struct header *)(uintptr_t)ptr - 1;
}

static void *map(size_t size)
{
	int saved = errno;
	void *memory =
	    hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

/* Takes a block from the chunk, or from a new one. The rest of the old chunk is less than a block:
 * at most a quarter of it. */
static void *cut(size_t total)
{
	void *memory;

	if ((size_t)(chunk_end - chunk_at) < total) {
		chunk_at = map(CHUNK);
		chunk_end = chunk_at ? chunk_at + CHUNK : NULL;
		if (!chunk_at)
			return NULL;
	}
	memory = chunk_at;
	chunk_at += total;
	return memory;
}

static struct header *take(unsigned shift)
{
	struct spare *spare;
	struct header *header;

	pthread_mutex_lock(&lock);
	spare = spares[shift];
	if (spare)
		spares[shift] = spare->next;
	header = spare ? (struct header *)(void *)spare : cut((size_t)1 << shift);
	pthread_mutex_unlock(&lock);
	if (spare)
		memset(header, 0, (size_t)1 << shift);
	return header;
}

void *hg_pool_alloc(size_t size)
{
	unsigned shift = LEAST_SHIFT;
	struct header *header;
	size_t total;

	if (__builtin_add_overflow(size, sizeof(*header), &total))
		return NULL;
	while (shift < SHIFTS && (size_t)1 << shift < total)
		shift++;
	if (shift < SHIFTS) {
		total = (size_t)1 << shift;
		header = take(shift);
	} else {
		shift = 0;
		header = map(total);
	}
	if (!header)
		return NULL;
	*header = (struct header){ .total = total, .shift = shift };
	return header + 1;
}

void *hg_pool_calloc(size_t count, size_t size)
{
	size_t total;

	return __builtin_mul_overflow(count, size, &total) ? NULL : hg_pool_alloc(total);
}

void hg_pool_free(void *ptr)
{
	struct header *header = header_of(ptr);
	struct spare *spare = (struct spare *)(void *)header;
	size_t shift;

	if (!ptr)
		return;
	shift = header->shift;
	if (!shift) {
		int saved = errno;

		hg_libc.munmap(header, header->total);
		errno = saved;
		return;
	}
	pthread_mutex_lock(&lock);
	spare->next = spares[shift];
	spares[shift] = spare;
	pthread_mutex_unlock(&lock);
}

void *hg_pool_realloc(void *old, size_t size)
{
	size_t room = old ? header_of(old)->total - sizeof(struct header) : 0;
	void *more;

	if (old && size <= room)
		return old;
	more = hg_pool_alloc(size);
	if (more && old) {
		memcpy(more, old, room);
		hg_pool_free(old);
	}
	return more;
}

char *hg_pool_strndup(const char *text, size_t length)
{
	char *copy;

	length = strnlen(text, length);
	copy = hg_pool_alloc(length + 1);
	return copy ? memcpy(copy, text, length) : NULL;
}

char *hg_pool_strdup(const char *text)
{
	return hg_pool_strndup(text, strlen(text));
}

/* ---- sorting, in place: a heap ---- */

static void swap(char *one, char *other, size_t size)
{
	while (size--) {
		char byte = *one;

		*one++ = *other;
		*other++ = byte;
	}
}

static void sink(char *items, size_t at, size_t count, size_t size,
		 int (*compare)(const void *, const void *))
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    compare(items + child * size, items + (child + 1) * size) < 0)
			child++;
		if (compare(items + at * size, items + child * size) >= 0)
			return;
		swap(items + at * size, items + child * size, size);
	}
}

void hg_pool_sort(void *items, size_t count, size_t size,
		  int (*compare)(const void *one, const void *other))
{
	for (size_t at = count / 2; at--;)
		sink(items, at, count, size, compare);
	for (size_t left = count; left > 1; left--) {
		swap(items, (char *)items + (left - 1) * size, size);
		sink(items, 0, left - 1, size, compare);
	}
}
