/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the calls that threads had not returned from (tracer/open_calls.h). */
#ifndef HIPGRAIN_READER_READ_OPEN_CALLS_H
#define HIPGRAIN_READER_READ_OPEN_CALLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/open_calls.h"

struct open_call {
	struct hg_open_call call; /* with an id, a thread and a start */
	int32_t pid;
	bool ended; /* the process ended by itself, or executed another program */
	char program[HG_OPEN_CALLS_PROGRAM + 1];
};

/*
 * Returns the calls in the files of a directory, sorted by their starts: struct open_call, to be
 * freed by g_array_unref(). Files that are something else, and slots that change while they are
 * read, are left out; a directory that does not exist has none. `without`, which may be NULL,
 * becomes the number of threads that could not publish theirs.
 */
GArray *open_calls_read(const char *folder, uint64_t *without);

#endif
