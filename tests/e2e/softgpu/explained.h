/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what `hipgrain explain memory` prints about this machine, for comparison. */
#ifndef TESTS_SOFTGPU_EXPLAINED_H
#define TESTS_SOFTGPU_EXPLAINED_H

#include <stdbool.h>

/*
 * Has the program `hipgrain` print its tables, in this process's environment. To be called before
 * HIP is up. Returns false if it fails.
 */
bool explained_read(const char *hipgrain);

/*
 * Returns the rest of the line about a call with flags, "" as `flags` where it has none:
 * granularity and where the memory is, separated by one blank; " *" follows what is not certain.
 * NULL: there is no such line. The text is valid until the next call.
 */
const char *explained_call(const char *name, const char *flags);

/*
 * Returns the cell of a line, such as "GPU access", in a column, such as "malloc"; NULL: there is
 * none. The text is valid until the next call.
 */
const char *explained_cell(const char *line, const char *column);

/* Returns a line about a call that was not asked for yet, or NULL. */
const char *explained_left(void);

#endif
