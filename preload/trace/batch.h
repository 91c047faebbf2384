/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of host memory, gathered in a buffer per thread and recorded a buffer at a time
 * (tracer/batch_events.h has the format).
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/batch_events.h"
#include "tracer/ring.h"

/*
 * Put a record at the end of the calling thread's buffer. Its words are as in batch_events.h, but
 * for the time: that is `when`, in ns of CLOCK_MONOTONIC, after which this thread has recorded
 * nothing; 0: now. false: not now; record an event instead. Needs hg_enter(); may record an event.
 */
bool hg_batch_add(const uint64_t *words, uint32_t count, uint64_t when);

/*
 * Room for `most` words at the end of the calling thread's buffer, which nobody else touches until
 * hg_batch_put() has added as many of them as were filled. What was put into a batch of the same
 * number is in this one, ahead. The second word's lower half is to be `since`. false: not now.
 */
struct hg_batch;
struct hg_batch_room {
	struct hg_batch *batch;
	uint64_t *words;
	uint64_t when;   /* ns of CLOCK_MONOTONIC */
	uint32_t number; /* not 0 */
	uint32_t since;  /* ns, of the batch's begin */
};
bool hg_batch_take(struct hg_batch_room *room, uint32_t most, uint64_t when);
void hg_batch_put(const struct hg_batch_room *room, uint32_t words);

/*
 * The same for a packed record (tracer/packed_record.h) of at most so many bytes, which begins at
 * room->batch->packed; `end`: where it ends.
 */
bool hg_batch_take_packed(struct hg_batch_room *room, uint32_t most, uint64_t when);
void hg_batch_put_packed(const struct hg_batch_room *room, char *end, enum hg_group group);

/* Makes room for the records of the process; false: nothing can be recorded. */
bool hg_batches_init(void);

/*
 * Adds an event of the schema, whose fields take `bytes`, to the calling thread's page: returns
 * where they go, 0 bytes included; NULL: it is lost, and counted. hg_batch_put_event() follows.
 */
char *hg_batch_take_event(struct hg_batch_room *room, unsigned type, size_t bytes);
void hg_batch_put_event(const struct hg_batch_room *room);

#endif
