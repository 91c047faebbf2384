/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder requests that programs on standby are recorded, by a page that they share,
 * HIPGRAIN_DIR/requests. A row says who wants which process to be recorded, and since when. A
 * process looks at the page when it makes a call, and records into a file of the directory that is
 * named after the first row that means it (HG_RINGS_OF), until the recorder stops that file
 * (tracer/ring.h). The recorder holds a lock on that directory, flock(2), as long as it lives.
 *
 * The processes count in that row the files that they have made, so that the recorder misses one
 * that was removed: a process that executes programs makes several, and those of forked processes
 * are not known otherwise. The count is in a word with the recorder, so that none is counted in a
 * row that has become another's.
 */
#ifndef HIPGRAIN_TRACER_REQUESTS_H
#define HIPGRAIN_TRACER_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#define HG_REQUESTS         "requests"
#define HG_REQUESTS_ROWS    170u
#define HG_REQUESTS_VERSION 3u

union hg_request_state {
	struct {
		int32_t recorder; /* its pid; 0: the row is free */
		uint32_t files;   /* that were made because of the row */
	};
	uint64_t word;
};

struct hg_request {
	uint64_t since; /* ns of CLOCK_MONOTONIC; no other request has the same */
	int32_t pid;    /* as the process sees it; 0: each process */
	uint32_t unused;
	union hg_request_state state; /* atomic */
};

struct hg_requests {
	uint32_t changes; /* atomic: changes after the rows have changed */
	uint32_t version; /* atomic; by the process that makes the file */
	uint32_t unused[2];
	struct hg_request rows[HG_REQUESTS_ROWS];
};
_Static_assert(sizeof(struct hg_requests) == 4096, "a page");

/* Returns true if the row is a request, and it is that process that it means. */
static inline bool hg_request_means(const struct hg_request *row, int32_t pid)
{
	return __atomic_load_n(&row->state.recorder, __ATOMIC_ACQUIRE) &&
	       (!row->pid || row->pid == pid);
}

/* Counts a file in the row, if that is still the recorder's. */
static inline void hg_request_count(struct hg_request *row, int32_t recorder)
{
	union hg_request_state now = { .word =
					   __atomic_load_n(&row->state.word, __ATOMIC_RELAXED) },
			       next = now;

	do {
		next = now;
		next.files++;
	} while (now.recorder == recorder &&
		 !__atomic_compare_exchange_n(&row->state.word, &now.word, next.word, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

#endif
