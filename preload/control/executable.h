/* SPDX-License-Identifier: Apache-2.0 */
/* This finds out which program is executed, and if the preload library enters it. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_EXECUTABLE_H
#define HIPGRAIN_PRELOAD_CONTROL_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "preload/trace/count_missed.h"

/* This describes the program that is about to be executed. */
struct hg_image {
	enum hg_missed why;
	bool foreign;     /* its loader complains of the preload library */
	const char *name; /* of its file, within the path that was given */
	struct hg_missed_row *row;
};

/*
 * Looks at `path`, with a slash or to be searched as execvp(3) does, or if that is NULL at `fd`.
 * Allocates nothing, and may run in a child by vfork().
 */
struct hg_image hg_image_of(const char *path, int fd, bool search, char *const env[]);

/* Does the same, and counts a program that is not recorded, as process `pid`. */
struct hg_image hg_image_add(const char *path, int fd, bool search, char *const env[], pid_t pid);

/*
 * The first returns how many bytes the second needs in `text`. The second returns `env` without the
 * preload library in LD_PRELOAD, as `list`, which must be as long as `env`.
 */
size_t hg_image_preload_length(char *const env[]);
char **hg_image_environment(char *const env[], char **list, char *text);

#endif
