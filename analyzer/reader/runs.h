/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: whole records of one thread that follow one another; many of them, merged by time. */
#ifndef HIPGRAIN_READER_RUNS_H
#define HIPGRAIN_READER_RUNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Records of one thread, whole ones, that follow one another. */
struct order_records {
	int32_t pid, tid;
	int64_t begin_ns;      /* of their batch, by the trace's clock, since its origin */
	const uint64_t *words; /* of whole_records() */
	uint32_t count;        /* of words */
};

/* The records of a batch or page, from the next one on. */
struct record_run {
	int64_t ns; /* of the next record */
	int64_t begin;
	int32_t pid, tid;
	uint32_t at, words;
	uint64_t *records; /* of whole_records() */
};

/* Returns true if a record is next in the run; then run->ns is its time. */
bool run_look(struct record_run *run);

/* A heap of struct record_run, by the times of their next records; for g_ptr_array_free(). */
GPtrArray *runs_new(void);

/* Adds a copy of the run, whose records are the heap's from then on. */
void runs_add(GPtrArray *runs, const struct record_run *run);

/* Returns the run whose record is next; NULL: there is none. */
const struct record_run *runs_first(const GPtrArray *runs);

/*
 * Passes on records of that run up to and with the moment `until`, as long as no other run has an
 * earlier one. There is a run, and its next record is not later than that. Returns the time of the
 * last record that was passed on.
 */
int64_t runs_pass(GPtrArray *runs, int64_t until,
		  void (*pass)(const struct order_records *records, void *data), void *data);

#endif
