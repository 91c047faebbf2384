/* SPDX-License-Identifier: Apache-2.0 */
/* Which program is executed, and if the preload library enters it. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_EXECUTABLE_H
#define HIPGRAIN_PRELOAD_CONTROL_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "preload/trace/missed.h"

/* Which program is about to be executed. */
struct hg_image {
	enum hg_missed why;
	bool foreign;     /* its loader complains of the preload library */
	const char *name; /* of its file, within the path that was given */
	struct hg_missed_row *row;
};

/*
 * `path` with a slash, or to be searched as execvp(3) does; NULL: it is `fd`. Allocates nothing,
 * and may run in a child by vfork().
 */
struct hg_image hg_image_of(const char *path, int fd, bool search, char *const env[]);

/* The same, and it is counted, as process `pid`. */
struct hg_image hg_image_add(const char *path, int fd, bool search, char *const env[], pid_t pid);

/*
 * `env` without the preload library in LD_PRELOAD, in `list`, which has its length, and `text`, of
 * hg_image_preload_length() bytes.
 */
size_t hg_image_preload_length(char *const env[]);
char **hg_image_environment(char *const env[], char **list, char *text);

#endif
