/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and notes of a parallel job: the same line of several ranks is one, which names them. */
#ifndef HIPGRAIN_RANK_LINES_H
#define HIPGRAIN_RANK_LINES_H

#include <glib.h>

/* Lines that are being united. */
struct rank_lines;

struct rank_lines *rank_lines_new(void);

/*
 * Adds a line. One that begins with "process 12: " is of the rank that `rank_of` returns for that
 * number (-1: none, and it stays as it is); one that rank_lines_finish() made is of the ranks that
 * it names, and any other line of `ranks` (int, sorted; NULL: not known whose it is).
 */
void rank_lines_add(struct rank_lines *lines, const char *text, const GArray *ranks,
		    int (*rank_of)(int pid, void *data), void *data);

/*
 * Returns the lines (char *) in their order, and frees what was collected: "rank 3 (process 12): ",
 * or "ranks 0-63: " of lines that differ in numbers at most; other lines end with " (ranks 1,3)"
 * unless they are of all ranks (int, sorted).
 */
GPtrArray *rank_lines_finish(struct rank_lines *lines, const GArray *all);

#endif
