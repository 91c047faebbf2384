/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: records of one page, as they lie there (tracer/event_record.h), from the next one on; many
 * of them, merged by time. A page that comes in parts is one run, which grows.
 */
#ifndef HIPGRAIN_READER_RUNS_H
#define HIPGRAIN_READER_RUNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "launches.h"
#include "tracer/event_record_reader.h"
#include "tracer/ring.h"

/* A record whose turn has come. */
struct order_record {
	int64_t ns; /* by the trace's clock, since its origin */
	int32_t pid, tid;
	const struct hg_record *record; /* no HG_KIND_BEGIN, and no HG_KIND_LAUNCH_CHANGED */
	const struct launch
	    *launch; /* HG_KIND_LAUNCH: all of it; NULL: what it repeats is not there */
};

struct record_run;

/*
 * Makes a run, with room for so many bytes, of a page whose times begin at `begin`, and are
 * `offset` behind those of the trace's clock.
 */
struct record_run *run_new(int32_t pid, int32_t tid, uint64_t begin, int64_t offset, size_t room);

/* Adds whole records of the page, which follow the ones before. */
void run_extend(struct record_run *run, const void *bytes, size_t size);

/* Steps over the page's first so many bytes, which are whole records. */
void run_skip(struct record_run *run, size_t bytes);

/* Leaves out memory blocks and copies from the next record on. Is called before runs_add(). */
void run_leave_out_blocks(struct record_run *run);

/* Nothing is added any more. It goes, at once or when its last record was passed on. */
void run_close(struct record_run *run);

/* Returns the time of the run's next record. */
int64_t run_ns(const struct record_run *run);

/* Returns the time as events show it; there is room for the time of a record behind it. */
int64_t run_moment(uint64_t begin, int64_t offset);

/* A heap of runs, by the times of their next records. */
GPtrArray *runs_new(void);
void runs_free(GPtrArray *runs);

/* The run has new records. */
void runs_add(GPtrArray *runs, struct record_run *run);

/* Returns the run whose record is next; NULL: there is none. */
const struct record_run *runs_first(const GPtrArray *runs);

/*
 * Passes on records of that run up to and with the moment `until`, as long as no other run has an
 * earlier one. There is a run, and its next record is not later than that.
 */
void runs_pass(GPtrArray *runs, int64_t until,
	       void (*pass)(const struct order_record *record, void *data), void *data);

#endif
