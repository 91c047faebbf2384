/* SPDX-License-Identifier: Apache-2.0 */
/* These record host memory. The interposed functions of malloc.c and map.c call them. */
#ifndef HIPGRAIN_PRELOAD_HOST_HOST_MEMORY_H
#define HIPGRAIN_PRELOAD_HOST_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Records that an allocation of `size` requested bytes returned `ptr` (NULL: it failed with errno),
 * if its usable size reaches the threshold. If operator new called it, that is recorded instead of
 * `api`.
 */
void hg_host_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);

/* Record blocks (not NULL) that block.h leaves: block.c. Both keep errno. */
void hg_host_block(uint16_t api, void *ptr, size_t size, void *caller);
void hg_host_block_free(uint16_t api, void *ptr, void *caller);

/* Records that a block is about to be freed. The measure is the same, so no table of blocks is
 * needed. */
void hg_host_free(uint16_t api, void *ptr, void *caller);

/*
 * These serve realloc() of a block that is not recorded. The first takes out what its totals know
 * of it, and returns that; after the call the second counts the block as freed, or puts that back
 * if it is still live.
 */
uint32_t hg_host_take(void *ptr);
void hg_host_taken(void *ptr, uint32_t taken, bool freed);

/* Records that a call on `ptr` failed with errno `code` after its hg_host_free(): the block lives
 * on. */
void hg_host_failed(uint16_t api, void *ptr, size_t size, int code, void *caller);

/* These do the same for mappings, which are all recorded, except those that an allocator makes. */
void hg_map_alloc(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);
void hg_map_free(uint16_t api, void *ptr, size_t size, void *caller);
void hg_map_failed(uint16_t api, void *ptr, size_t size, uint64_t flags, void *caller);
/* Records that the kernel accepted the advice to use huge pages. */
void hg_map_advised(void *ptr, size_t size, int advice, void *caller);
void hg_map_freed(void); /* is called when the unmapping has succeeded */

/* malloc.c defines these; headers before C23 do not declare them. */
void free_sized(void *ptr, size_t size);
void free_aligned_sized(void *ptr, size_t alignment, size_t size);

#endif
