/* SPDX-License-Identifier: Apache-2.0 */
/* Records in the calling thread's page (tracer/event_record.h has the form). */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/event_record.h"
#include "tracer/ring.h"

/*
 * Room for a record of at most `most` bytes in the calling thread's page, which nobody else touches
 * until hg_batch_put(). `when`, in ns of CLOCK_MONOTONIC, is the record's time, after which this
 * thread has recorded nothing; 0: now. What was put into a page of the same number is in this one,
 * ahead. Returns false if there is no page. Needs hg_enter().
 */
struct hg_batch;
struct hg_batch_room {
	struct hg_batch *batch;
	char *at;
	struct hg_record_before *before;
	uint64_t when;   /* ns of CLOCK_MONOTONIC */
	uint32_t number; /* not 0 */
	uint32_t since;  /* ns, for the record */
};
bool hg_batch_take(struct hg_batch_room *room, size_t most, uint64_t when);
/* The record is finished, and ends there; NULL: there is none. */
void hg_batch_put(const struct hg_batch_room *room, char *end, enum hg_group group);

/* Makes room for the records of the process; false: nothing can be recorded. */
bool hg_batches_init(void);

/*
 * Adds an event of the schema, whose fields take `bytes`, to the calling thread's page: returns
 * where they go, 0 bytes included; NULL: it is lost, and counted. hg_batch_put_event() follows,
 * with where they end.
 */
char *hg_batch_take_event(struct hg_batch_room *room, unsigned type, size_t bytes);
void hg_batch_put_event(const struct hg_batch_room *room, unsigned type, char *end);

#endif
