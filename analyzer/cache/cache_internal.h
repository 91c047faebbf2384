/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the files of the cache. */
#ifndef HIPGRAIN_CACHE_CACHE_INTERNAL_H
#define HIPGRAIN_CACHE_CACHE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Names of files that are being written. */
#define CACHE_TEMPORARY "new-"

/*
 * Delete the entries that were not used for the longest time until 7/8 of `most` bytes are left, if
 * there are more than `most`; and what writers that are gone left behind.
 */
void cache_trim(int directory, uint64_t most);

/*
 * Look what build this is: before other libraries are opened, so that it is the same in each
 * process. False if that is not known.
 */
bool cache_find_build(void);

/* Returns what tells this build from others; NULL if that is not known. */
const char *cache_build(void);

#endif
