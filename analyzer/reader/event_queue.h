/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoded events go through this from the thread that reads the trace to the one that analyses it,
 * so that the two work at the same time. There is one producer, one consumer, a bounded number of
 * batches.
 */
#ifndef HIPGRAIN_EVENT_QUEUE_H
#define HIPGRAIN_EVENT_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/reader/event_room.h"
#include "analyzer/reader/reader.h"

struct batch;

struct event_queue {
	/* The producer's: the next event's place, NULL without a batch, and the last one of its
	 * batch. */
	struct event_room *next, *last;
	atomic_bool stopped;
	struct event_batches *batches;
};

/* Returns a queue, never NULL. Neither thread may use it any more when it is freed. */
struct event_queue *event_queue_new(void);
void event_queue_free(struct event_queue *queue);

/* ---- the producer ---- */

/* These two do for the functions below what is needed where a batch begins or is full. */
struct event_room *event_queue_begin(struct event_queue *queue);
void event_queue_send(struct event_queue *queue);

/* Returns the next event's place, with any contents; waits while all batches are on their way. */
static inline struct event_room *event_queue_next(struct event_queue *queue)
{
	return queue->next ? queue->next : event_queue_begin(queue);
}

/* Returns a copy of `size` bytes that lives as long as the event at hand; it is aligned for 64-bit
 * words. */
void *event_queue_keep(struct event_queue *queue, const void *data, size_t size);

/* Completes the event at hand. Returns false if the consumer wants no more. */
static inline bool event_queue_commit(struct event_queue *queue)
{
	if (queue->next++ == queue->last)
		event_queue_send(queue);
	return !atomic_load_explicit(&queue->stopped, memory_order_relaxed);
}

/* Hands on what is complete, although there is room for more. */
void event_queue_flush(struct event_queue *queue);

/* Ends the queue: nothing follows. */
void event_queue_finish(struct event_queue *queue);

/* ---- the consumer ---- */

/* Returns the next events, in order, and their number, or NULL at the end. Waits for them. The
 * caller gives the batch back afterwards, unless NULL was returned. */
const struct event_room *event_queue_take(struct event_queue *queue, struct batch **batch,
					  unsigned *count);
void event_queue_give_back(struct event_queue *queue, struct batch *batch);

/* Tells the producer that the consumer will ignore events from now on, but takes them until the
 * end. */
void event_queue_stop(struct event_queue *queue);

/* Hands on everything until the end. Returns 0, or what the callback returned when it wanted no
 * more. */
int event_queue_deliver(struct event_queue *queue, reader_callback callback, void *data);

#endif
