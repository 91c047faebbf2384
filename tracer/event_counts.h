/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of counts.h: what the processes of a recording counted. */
#ifndef HIPGRAIN_TRACER_EVENT_COUNTS_H
#define HIPGRAIN_TRACER_EVENT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The sum of all the files below a directory. */
struct event_counts_sum {
	uint64_t processes; /* that left a file */
	uint64_t begun;     /* of them, those that a session recorded */
	uint64_t early;     /* and those that needed no LTTng: all of their events are early ones */
	uint64_t events;
};

struct event_counts_sum event_counts_sum(const char *directory);

/*
 * The session is about to end, and the processes may continue: what they record from now on is not
 * counted.
 */
void event_counts_close(const char *directory);

/*
 * The session has ended. Files of processes that began since event_counts_close() are closed, too,
 * or removed if the session did not begin to record them; processes that begin later make none.
 */
void event_counts_end(const char *directory);

/*
 * A recording of processes that are on standby, whose files below `directory` count from their
 * start: what they had counted when its session began. event_counts_keep() puts files into the
 * bundle, of which `bundle` is the descriptor, that hold what was counted since. Files that are not
 * in `start` (NULL: none is) belong to processes that began later. Processes that no session
 * recorded are left out, and those that are not among `pids`, by their own number; of none all are
 * kept. `same_numbers` is true if the processes have these numbers here, too.
 */
struct event_counts_start;
struct event_counts_start *event_counts_start(const char *directory); /* NULL: out of memory */
void event_counts_keep(const char *directory, const struct event_counts_start *start,
		       const pid_t *pids, size_t pid_count, bool same_numbers, int bundle);
void event_counts_start_free(struct event_counts_start *start);

#endif
