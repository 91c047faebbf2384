/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the order in which they happened, although some were recorded many at a time, and late
 * (batches: tracer/batch_events.h). While a batch is open, its process's events are held back.
 */
#ifndef HIPGRAIN_READER_ORDER_H
#define HIPGRAIN_READER_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runs.h"
#include "tracer/events.h"

/* What is done with what was held back, when its turn has come. */
struct order_calls {
	void (*item)(void *item, void *data); /* which is the callee's from then on */
	void (*records)(const struct order_records *records, void *data);
	/* Records that were found in a file instead of the trace; may be NULL. */
	void (*found)(const struct hg_open_batch *page, void *data);
};

/* Of a process's records: at most so many are missing, and of so many batches none came. */
struct order_missing {
	int32_t pid;
	uint64_t records, batches;
};

struct event_order;

struct event_order *order_new(const struct order_calls *calls, void *data);
/* Nothing may be held back any more: order_end() was called. */
void order_free(struct event_order *order);

/*
 * An event of that process at `ns`, before order_hold(); `announces`: with it the process says what
 * it is or what it has. A process that was heard before it did so is one that the trace begins in
 * the middle of (older chunks were deleted, or a ring was overwritten): batches that were opened
 * before that are still to come, so it is held back until it announces itself. What their records
 * tell of the time before its first event is left out.
 */
void order_heard(struct event_order *order, int32_t pid, int64_t ns, bool announces);

/* An event of that process at `ns`, in the order of time: true if it is held back as `item`. */
bool order_hold(struct event_order *order, int32_t pid, int64_t ns, void *item);

/* A batch of that thread's begins at `ns`. */
void order_open(struct event_order *order, int32_t pid, int32_t tid, uint32_t number, int64_t ns);

/*
 * A batch was recorded. `begin_ns` is its begin, since the clock's origin; records before
 * `since_ns` are left out.
 */
struct order_batch {
	uint32_t number;
	int32_t tid;
	uint64_t *records; /* of whole_records(); they are the order's from then on */
	uint32_t words;
};
void order_batch(struct event_order *order, int32_t pid, const struct order_batch *batch,
		 int64_t begin_ns, int64_t since_ns);

/* Returns true if something of that process has come. */
bool order_knows(struct event_order *order, int32_t pid);

/*
 * All of the process's records up to that moment were added; those that come now are passed on when
 * the next one is told. INT64_MAX: nothing follows, but maybe of another program in that process.
 */
void order_reach(struct event_order *order, int32_t pid, int64_t ns);

/* Another program runs in that process, which does not go on with what was open. */
void order_forget(struct event_order *order, int32_t pid);

/*
 * Nothing follows. What batches are still open hold is looked for in the files of `folder` (NULL:
 * nowhere), whose times are `offset_ns` before those of the clock's origin. Adds to `missing`, of
 * struct order_missing, a row for each process of which something is.
 */
void order_end(struct event_order *order, const char *folder, int64_t offset_ns, GArray *missing);

/* Most items that were held back at a time. */
uint64_t order_held_most(const struct event_order *order);

#endif
