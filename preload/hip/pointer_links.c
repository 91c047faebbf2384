/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the pointers that copies put into device memory. */
#include "preload/hip/pointer_links.h"

#include "preload/hip/hip_memory.h"

#define LINKS HG_POINTER_LINKS

/* Atomic. */
static struct {
	uint64_t block, to;
} links[LINKS];
uint32_t hg_pointer_links_added;

static uint32_t in_use(void)
{
	uint32_t added = __atomic_load_n(&hg_pointer_links_added, __ATOMIC_RELAXED);

	return added < LINKS ? added : LINKS;
}

uint64_t hg_pointer_links_next(uint64_t block, uint32_t *at)
{
	uint32_t all = in_use();

	while (*at < all) {
		uint32_t i = (*at)++;
		uint64_t to = __atomic_load_n(&links[i].to, __ATOMIC_RELAXED);

		if (to && __atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == block)
			return to;
	}
	return 0;
}

void hg_pointer_links_add(uint64_t block, uint64_t to)
{
	uint32_t all = in_use(), at;

	for (uint32_t i = 0; i < all; i++)
		if (__atomic_load_n(&links[i].to, __ATOMIC_RELAXED) == to &&
		    __atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == block)
			return;
	at = __atomic_fetch_add(&hg_pointer_links_added, 1, __ATOMIC_RELAXED) % LINKS;
	__atomic_store_n(&links[at].block, block, __ATOMIC_RELAXED);
	__atomic_store_n(&links[at].to, to, __ATOMIC_RELAXED);
}

void hg_pointer_links_copy(uint64_t src, uint64_t dst)
{
	uint32_t all = in_use(), copied = 0;
	struct hg_hip_block from, to;

	if (!all || !hg_hip_memory_find(src, &from) || !hg_hip_memory_find(dst, &to) ||
	    from.base == to.base)
		return;
	for (uint32_t i = 0; i < all && copied < HG_POINTER_LINKS_OF_ONE; i++) {
		if (__atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == from.base) {
			hg_pointer_links_add(to.base,
					     __atomic_load_n(&links[i].to, __ATOMIC_RELAXED));
			copied++;
		}
	}
}
