/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges that a program names (event `range`), and in which of them each event happened.
 *
 * Pushed ranges nest on their thread, for each source by itself. Started ones hold for the whole
 * process: they come first in the paths of all threads.
 */
#ifndef HIPGRAIN_RANGES_H
#define HIPGRAIN_RANGES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"

struct process;

/* Ranges inside of one another. Equal paths of a process are the same object, which it owns. */
struct range_path {
	const struct range_path *up; /* the path around it; NULL: none */
	const char *name;            /* of the innermost range, printable */
	unsigned depth;              /* from 1 */
	/* Stands for all paths whose names differ only by numbers; its names have "*" there. */
	const struct range_path *group;
};

/* A path as a thread had it once: the innermost range is number `instance` of the process. */
struct range_place {
	const struct range_path *path; /* NULL: in no range */
	uint64_t instance;
};

/* So many ranges inside of one another are shown, and the outermost ones of more. */
#define RANGE_DEPTH_MOST 32u

struct ranges;

void ranges_free(struct ranges *ranges); /* or NULL */

/* Applies an event `range`. */
void ranges_apply(struct process *process, const struct hg_event *event);

/* Keeps the place at which an event happens for ranges_at(). */
void ranges_note(const struct process *process, const struct hg_event *event);

/* Returns where a thread is now. */
struct range_place ranges_of_thread(const struct process *process, int32_t tid);

/* Returns where an event happened, by its time, if that is still known: the latest ones' is. */
struct range_place ranges_at(const struct process *process, int64_t ns);

/* Returns how many pops of the process had no push, and whether names were left out. */
uint64_t ranges_unbalanced(const struct process *process);
bool ranges_too_many(const struct process *process);

/* Returns the names from the outermost on, with " / " between them; to be freed. */
char *range_path_text(const struct range_path *path);

#endif
