/* SPDX-License-Identifier: Apache-2.0 */
/* A capture of HIP's runtime (hrr_file.h) to a bundle, as if hipgrain had recorded what it holds.
 */
#ifndef HIPGRAIN_IMPORT_HRR_H
#define HIPGRAIN_IMPORT_HRR_H

#include <glib.h>
#include <stdint.h>

#include "analyzer/import/hrr_calls.h"

/* The number of calls of a function whose calls were left out. */
struct hrr_left_out {
	const char *name; /* static */
	uint64_t calls;
};

/* Returns 0 if every record that is to be translated can be, or -EINVAL with *error. */
int hrr_check(const struct hrr_process *process, char **error);

/*
 * Writes a process that was checked into the directories `rings` and `code_objects`. Adds to
 * `left_out` (struct hrr_left_out). Returns 0, or -errno if it could not be written.
 */
int hrr_translate(const struct hrr_process *process, int rings, int code_objects, GArray *left_out);

#endif
