/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of our own, in mappings: never the program's heap, whose allocator may be the program's,
 * may be interrupted, or may be damaged. Any thread may free what another allocated.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_POOL_H
#define HIPGRAIN_PRELOAD_CORE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, aligned to 16 bytes; NULL without memory, with errno as it was. */
void *hg_pool_alloc(size_t size);
void *hg_pool_calloc(size_t count, size_t size);
/* What grows is not zeroed. */
void *hg_pool_realloc(void *old, size_t size);
void hg_pool_free(void *ptr); /* or NULL */
char *hg_pool_strdup(const char *text);
char *hg_pool_strndup(const char *text, size_t length);

/* The C library's qsort() allocates. */
void hg_pool_sort(void *items, size_t count, size_t size,
		  int (*compare)(const void *one, const void *other));

/* Around fork(), after all other locks. */
void hg_pool_lock(void);
void hg_pool_unlock(void);

#endif
