/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hashes of a file's code objects, which take long to compute in a large one. They are kept in
 * the cache for the file as it is: device, inode, size, and the times at which contents and inode
 * were changed last. A file that was changed in the last seconds is not, since it may change again
 * within what these times can tell.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_SCAN_SUMS_H
#define HIPGRAIN_ANALYZER_CMDS_SCAN_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "analyzer/cache/cache.h"

struct scan_sum {
	uint64_t offset, size; /* in the file */
	char sha256[CODEOBJ_SHA256_SIZE];
};

struct scan_sums {
	bool use;
	struct stat file;
	struct cache_name name;
	struct scan_sum *row; /* ascending by offset */
	size_t count, room;
	bool changed;
};

/* Recalls what is known of an open file, before it is read. */
void scan_sums_begin(struct scan_sums *sums, int file);

/* Returns the hash, valid until the next call; NULL if it is not known. */
const char *scan_sums_find(const struct scan_sums *sums, uint64_t offset, uint64_t size);
void scan_sums_add(struct scan_sums *sums, uint64_t offset, uint64_t size, const char *sha256);

/* Keep them, if the file is as it was at the beginning. */
void scan_sums_end(struct scan_sums *sums, int file);

#endif
