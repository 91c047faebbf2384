/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports processes that are not recorded, as far as this process can foresee or detect it:
 * tracer/missed.h.
 */
#ifndef HIPGRAIN_PRELOAD_MISSED_H
#define HIPGRAIN_PRELOAD_MISSED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracer/missed.h"

/* Map the table while the bundle can be reached. Only in a process that `record` started. */
void hg_missed_open(void);

/* Not 0 while the recorder records; NULL: unknown. Inherited by children, however they are made. */
const volatile int *hg_missed_recording(void);
long hg_missed_filters(void); /* struct hg_missed_table: filters; -1: unknown */

/* Count another process. NULL, or a row with which hg_missed_take_back() can undo this. */
struct hg_missed_row *hg_missed_add(enum hg_missed why, const char *program, pid_t pid);
void hg_missed_take_back(struct hg_missed_row *row);

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
