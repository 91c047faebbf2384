/* SPDX-License-Identifier: Apache-2.0 */
/* This opens a file in which a process recorded its events (tracer/ring.h), as it is found: maybe
 * hostile. */
#ifndef HIPGRAIN_READER_RING_FILE_H
#define HIPGRAIN_READER_RING_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "tracer/ring.h"

struct ring_file {
	char *path;
	int32_t pid;
	uint64_t id;    /* hg_ring_id() */
	int64_t origin; /* of its clock, since 1970 */
	uint64_t clock; /* files of one clock have the same number */
	uint64_t first; /* ns of its clock when its first page began; 0: none did, or pages are
			   emptied */
	int64_t ahead;  /* of this file's clock, what is added for that of the first file */
	uint32_t pages; /* that the file has room for */
	uint32_t taken; /* that must be in use; 0: this is not known */
	dev_t device;
	ino_t inode;
};

/* Times of a process's clock are at most so far from 0, 146 years: the clock may have been
 * changed. */
#define RING_TIME_MOST (INT64_MAX / 2)

/*
 * Opens the file, reads its first page and sets *file, except `ahead`. Returns a descriptor; or -1
 * if there is nothing to read. *wrong says what is wrong with the file, which may have readable
 * pages all the same; it is NULL if nothing is. The path belongs to the caller.
 */
int ring_file_open(char *path, struct ring_file *file, struct hg_ring *ring, const char **wrong);

#endif
