/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoded events on their way from the thread that reads the trace to the one that analyses it, so
 * that the two work at the same time. One producer, one consumer, a bounded number of batches.
 */
#ifndef HIPGRAIN_BATCHES_H
#define HIPGRAIN_BATCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/reader/event.h"
#include "analyzer/reader/reader.h"

struct batch;
struct batches;

/* Never NULL. Neither thread may use them any more when they are freed. */
struct batches *batches_new(void);
void batches_free(struct batches *batches);

/* ---- the producer ---- */

/* The next event's place, zeroed; waits while all batches are on their way. */
struct hg_event *batches_next(struct batches *batches);

/* A copy of `size` bytes that lives as long as the event at hand; aligned for 64-bit words. */
void *batches_keep(struct batches *batches, const void *data, size_t size);

/* The event at hand is complete. False if the consumer wants no more. */
bool batches_commit(struct batches *batches);

/* Hand on what is complete, although there is room for more. */
void batches_flush(struct batches *batches);

/* Nothing follows. */
void batches_finish(struct batches *batches);

/* ---- the consumer ---- */

/* The next events, in order, and their number; NULL at the end. Give them back afterwards. */
const struct hg_event *batches_take(struct batches *batches, struct batch **batch, unsigned *count);
void batches_give_back(struct batches *batches, struct batch *batch);

/* What comes from now on will not be looked at; take on until the end all the same. */
void batches_stop(struct batches *batches);

/* Hand on everything until the end; 0, or what the callback returned when it wanted no more. */
int batches_deliver(struct batches *batches, reader_callback callback, void *data);

#endif
