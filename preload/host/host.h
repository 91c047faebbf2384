/* SPDX-License-Identifier: Apache-2.0 */
/* Recording of host memory, called behind the interposed functions of malloc.c and map.c. */
#ifndef HIPGRAIN_PRELOAD_HOST_HOST_H
#define HIPGRAIN_PRELOAD_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An allocation returned: `ptr` (NULL: it failed with errno) of `size` requested bytes. Recorded
 * if its usable size reaches the threshold. `api` gives way to operator new, when that called.
 */
void hg_host_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);

/* Blocks (not NULL) that block.h leaves: block.c. Both keep errno. */
void hg_host_block(uint16_t api, void *ptr, size_t size, void *caller);
void hg_host_block_free(uint16_t api, void *ptr, void *caller);

/* A block is about to be freed. Recorded by the same measure, so without a table of blocks. */
void hg_host_free(uint16_t api, void *ptr, void *caller);

/*
 * realloc() of a block that is not recorded: what its totals know of it, taken out before; after
 * the call the block is freed, or still live.
 */
uint32_t hg_host_take(void *ptr);
void hg_host_taken(void *ptr, uint32_t taken, bool freed);

/* A call on `ptr` failed after its hg_host_free(): the block lives on. */
void hg_host_failed(uint16_t api, void *ptr, size_t size, int code, void *caller);

/* The same for mappings, which are all recorded, but for those that an allocator makes. */
void hg_map_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);
void hg_map_free(uint16_t api, void *ptr, size_t size, void *caller);
void hg_map_failed(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);
/* The kernel accepted the advice to use huge pages. */
void hg_map_advised(void *ptr, size_t size, int advice, void *caller);
void hg_map_freed(void); /* what hg_map_free() was about succeeded */

/* Ours (malloc.c); headers before C23 do not declare them. */
void free_sized(void *ptr, size_t size);
void free_aligned_sized(void *ptr, size_t alignment, size_t size);

#endif
