/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This is memory of our own, in mappings: never the program's heap, whose allocator may be the
 * program's, may be interrupted, or may be damaged. Any thread may free what another allocated.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_POOL_H
#define HIPGRAIN_PRELOAD_CORE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* These return zeroed memory, aligned to 16 bytes, or NULL if there is none, with errno as it
 * was. */
void *hg_pool_alloc(size_t size);
void *hg_pool_calloc(size_t count, size_t size);
/* The bytes that are added need not be 0. */
void *hg_pool_realloc(void *old, size_t size);
void hg_pool_free(void *ptr); /* or NULL */
char *hg_pool_strdup(const char *text);
char *hg_pool_strndup(const char *text, size_t length);

/* The C library's qsort() allocates. */
void hg_pool_sort(void *items, size_t count, size_t size,
		  int (*compare)(const void *one, const void *other));

/* Are called around fork(), after all other locks are taken. */
void hg_pool_lock(void);
void hg_pool_unlock(void);

#endif
