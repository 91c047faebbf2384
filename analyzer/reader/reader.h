/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the CTF traces of a bundle in time order, through libbabeltrace2. */
#ifndef HIPGRAIN_READER_H
#define HIPGRAIN_READER_H

#include <glib.h>
#include <stdbool.h>

#include "analyzer/reader/counts.h"
#include "analyzer/reader/event.h"

struct reader_stats {
	uint64_t events;       /* delivered */
	uint64_t lost;         /* discarded by the tracer, as far as it counted them */
	uint64_t lost_packets; /* overwritten or missing packets */
	uint64_t orphans;      /* launches that repeat one which is not there */
	uint64_t unpublished;  /* threads whose open calls are unknown (read_open_calls.h) */
	int64_t
	    clock_origin_ns; /* is added to the recording's CLOCK_MONOTONIC for its events' times */
	char *truncated;     /* why reading stopped early, NULL if it did not; caller frees */
	struct counts *counts; /* of what processes recorded and what was read; caller frees */
};

/* Frees what the statistics hold. */
void reader_stats_clear(struct reader_stats *stats);

/* Returns true if there is a CTF trace anywhere below a directory. */
bool holds_trace(const char *directory);

/*
 * Is called for each event of the provider hipgrain, in the thread that called read_trace() while
 * another one reads on; an event of a type that this version does not know has type HG_EVENT_TYPES
 * and nothing but its time, process and thread. Returns 0 to go on, or a negative errno to stop,
 * which read_trace() then returns.
 */
typedef int (*reader_callback)(const struct hg_event *event, void *data);

/*
 * Reads every trace below `directory` (the bundle's ctf/, or where a relay wrote it; without
 * `bundle`, the directory above). Damage in the middle of a trace is not an error: what could be
 * read is delivered and stats->truncated says where it ended. Returns 0; -ENOENT if there is no
 * trace; another negative errno with a one-line message in *error, which the caller frees.
 */
int read_trace(const char *directory, const char *bundle, reader_callback callback, void *data,
	       struct reader_stats *stats, char **error);

/* Does what read_trace() does, but leaves out the memory blocks and copies that are in the files of
 * processes: those define nothing, and are most of what a long recording has. */
int read_definitions(const char *directory, const char *bundle, reader_callback callback,
		     void *data, struct reader_stats *stats, char **error);

#endif
