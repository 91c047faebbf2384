/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for requests that arrive before the real malloc() is known: looking that up may itself
 * allocate. Blocks are never reused. Small ones come from a static arena, the others from mappings
 * of their own, so that no request is too large and none aborts the process.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"

#define ARENA_SIZE (64u << 10)
#define MIN_ALIGN  16u

/* Right before each block. */
struct header {
	size_t size;
	void *unused;
};

/* A block of its own mapping. */
struct mapping {
	struct mapping *next;
	size_t size;
};

static char arena[ARENA_SIZE] __attribute__((aligned(MIN_ALIGN)));
static _Atomic size_t arena_used;
static _Atomic(struct mapping *) mappings;

static void *place(char *start, size_t alignment, size_t size)
{
	uintptr_t block = ((uintptr_t)start + sizeof(struct header) + alignment - 1) &
			  ~((uintptr_t)alignment - 1);

	((struct header *)block)[-1].size = size;
	return (void *)block;
}

static void *from_mapping(size_t alignment, size_t size, size_t total)
{
	struct mapping *mapping;

	total += sizeof(*mapping);
	mapping = (struct mapping *)hg_syscall(SYS_mmap, NULL, total, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	mapping->size = total;
	mapping->next = atomic_load(&mappings);
	while (!atomic_compare_exchange_weak(&mappings, &mapping->next, mapping))
		;
	return place((char *)(mapping + 1), alignment, size);
}

void *hg_bootstrap_alloc(size_t alignment, size_t size)
{
	size_t total, used;

	if (alignment < MIN_ALIGN)
		alignment = MIN_ALIGN;
	if (__builtin_add_overflow(size, alignment + sizeof(struct header) + MIN_ALIGN, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	total &= ~(size_t)(MIN_ALIGN - 1);
	used = atomic_load(&arena_used);
	while (total <= ARENA_SIZE - used)
		if (atomic_compare_exchange_weak(&arena_used, &used, used + total))
			return place(arena + used, alignment, size);
	return from_mapping(alignment, size, total);
}

bool hg_bootstrap_owns(const void *ptr)
{
	const char *block = ptr;

	if (block >= arena && block < arena + ARENA_SIZE)
		return true;
	for (struct mapping *m = atomic_load(&mappings); m; m = m->next)
		if (block >= (char *)m && block < (char *)m + m->size)
			return true;
	return false;
}

size_t hg_bootstrap_size(const void *ptr)
{
	return ((const struct header *)ptr)[-1].size;
}

bool hg_bootstrap_used(void)
{
	return atomic_load(&arena_used) || atomic_load(&mappings);
}
