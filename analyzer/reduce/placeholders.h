/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders for the names of a recording that is given away: each name has one, everywhere. */
#ifndef HIPGRAIN_REDUCE_PLACEHOLDERS_H
#define HIPGRAIN_REDUCE_PLACEHOLDERS_H

#include <glib.h>
#include <stdbool.h>

enum name_kind {
	NAME_FILE, /* a path */
	NAME_KERNEL,
	NAME_FUNCTION,
	NAME_TEXT,
	NAME_BUILD_ID,
	NAME_RANGE, /* its digits stay, since reports join ranges that differ in nothing else */
	NAME_KINDS,
};

struct names {
	GHashTable *placeholders; /* by name */
	unsigned counts[NAME_KINDS];
};

void names_init(struct names *names);
void names_clear(struct names *names);

/* Makes `placeholder` that of `name`. */
void names_set(struct names *names, const char *name, const char *placeholder);

/*
 * Returns the placeholder of a name, borrowed: a new one as long as the name if it has none and
 * `same_length` is true. Names of the system, of compilers and runtimes, and "" are returned as
 * they are.
 */
const char *names_of(struct names *names, const char *name, enum name_kind kind, bool same_length);

/* Returns true for the path of a file of the system, which is no secret. */
bool names_is_system_file(const char *path);

/* Overwrites the `length` bytes of a name by its placeholder; a NUL need not follow. */
void names_overwrite(struct names *names, char *name, size_t length, enum name_kind kind);

/* Replaces values in "NAME=value" lines, except numbers and short words such as "yes". */
void names_hide_values(char *lines, size_t length);

#endif
