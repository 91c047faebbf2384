/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that are kept from one run to the next, by name: files in
 * $XDG_CACHE_HOME/hipgrain/analysis or ~/.cache/hipgrain/analysis. A name stands for everything
 * that its contents follow from (cache_name()), so that an entry is never out of date, and all of
 * them may be deleted at any time.
 *
 * Contents are compressed (zstd): those of code objects repeat themselves, and what is printed of
 * them even more.
 *
 * Processes share the directory without locks: an entry is written under another name and renamed.
 * Each carries a checksum; one that is damaged is deleted. A directory that belongs to another
 * user, or that others may write to, is not used; where it cannot be written to, nothing is kept.
 */
#ifndef HIPGRAIN_CACHE_H
#define HIPGRAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codeobj/codeobj.h"

/* SHA-256 in hex. */
struct cache_name {
	char text[CODEOBJ_SHA256_SIZE];
};

/*
 * Use it, from here on; it is off before. NULL, or one line on what is wrong where that is not the
 * machine's way: a directory that is not there and cannot be made is just not used.
 */
const char *cache_open(void);
void cache_close(void);

/* Returns true if there is a cache to use. */
bool cache_usable(void);

/*
 * Makes the name of all that follows from these texts in order (the last one NULL) and from this
 * build: the executable and the libraries that it is linked to. Returns false if there is none.
 */
bool cache_name(struct cache_name *name, const char *text, ...) __attribute__((sentinel));

/*
 * Stores in text[size] what identifies the build of the file that holds this address: its build ID,
 * or what else tells it from others. Returns false if that is not known.
 */
bool cache_build_of(const void *address, char *text, size_t size);

/* The contents of an entry, to be freed, and their size in *size; NULL if there is none. */
uint8_t *cache_get(const struct cache_name *name, size_t *size);

/* Keep `size` bytes, if that is possible. */
void cache_put(const struct cache_name *name, const void *data, size_t size);

#endif
