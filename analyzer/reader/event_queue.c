/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of events from the thread that reads to the one that analyses, and back. */
#include "event_queue.h"

#include <glib.h>
#include <pthread.h>
#include <string.h>

#define BATCHES      8
#define BATCH_EVENTS 1024
#define BATCH_BYTES \
	(256 * 1024) /* for strings and sequences; larger ones get memory of their own */

struct batch {
	struct event_room *events;
	unsigned count;
	char *bytes;
	size_t used;
	GPtrArray *large;
};

/* First in, first out; never full, because there are no more than BATCHES of them. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct batch *items[BATCHES];
	unsigned first, count;
};

struct event_batches {
	struct queue empty, full; /* in `full`, a batch without events is the end */
	struct batch *at_hand;    /* the producer's */
};

static void queue_push(struct queue *queue, struct batch *batch)
{
	pthread_mutex_lock(&queue->lock);
	queue->items[(queue->first + queue->count++) % BATCHES] = batch;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

static struct batch *queue_pop(struct queue *queue)
{
	struct batch *batch;

	pthread_mutex_lock(&queue->lock);
	while (queue->count == 0)
		pthread_cond_wait(&queue->filled, &queue->lock);
	batch = queue->items[queue->first];
	queue->first = (queue->first + 1) % BATCHES;
	queue->count--;
	pthread_mutex_unlock(&queue->lock);
	return batch;
}

static void free_batch(struct batch *batch)
{
	g_free(batch->events);
	g_free(batch->bytes);
	g_ptr_array_unref(batch->large);
	g_free(batch);
}

static void queue_init(struct queue *queue)
{
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->filled, NULL);
}

static void queue_clear(struct queue *queue)
{
	while (queue->count)
		free_batch(queue_pop(queue));
	pthread_cond_destroy(&queue->filled);
	pthread_mutex_destroy(&queue->lock);
}

struct event_queue *event_queue_new(void)
{
	struct event_queue *queue = g_new0(struct event_queue, 1);

	queue->batches = g_new0(struct event_batches, 1);
	queue_init(&queue->batches->empty);
	queue_init(&queue->batches->full);
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *batch = g_new0(struct batch, 1);

		batch->events = g_new(struct event_room, BATCH_EVENTS);
		batch->bytes = g_malloc(BATCH_BYTES);
		batch->large = g_ptr_array_new_with_free_func(g_free);
		queue_push(&queue->batches->empty, batch);
	}
	return queue;
}

void event_queue_free(struct event_queue *queue)
{
	if (queue->batches->at_hand)
		free_batch(queue->batches->at_hand);
	queue_clear(&queue->batches->empty);
	queue_clear(&queue->batches->full);
	g_free(queue->batches);
	g_free(queue);
}

struct event_room *event_queue_begin(struct event_queue *queue)
{
	struct batch *batch = queue_pop(&queue->batches->empty);

	queue->batches->at_hand = batch;
	queue->next = batch->events;
	queue->last = &batch->events[BATCH_EVENTS - 1];
	return queue->next;
}

void event_queue_send(struct event_queue *queue)
{
	struct batch *batch = queue->batches->at_hand;

	batch->count = (unsigned)(queue->next - batch->events);
	queue->batches->at_hand = NULL;
	queue->next = NULL;
	queue_push(&queue->batches->full, batch);
}

void *event_queue_keep(struct event_queue *queue, const void *data, size_t size)
{
	struct event_room *room = event_queue_next(queue);
	struct batch *batch = queue->batches->at_hand;
	size_t at = (batch->used + 7) & ~(size_t)7;
	void *copy;

	if (size > BATCH_BYTES || at > BATCH_BYTES - size) {
		copy = g_malloc(size);
		g_ptr_array_add(batch->large, copy);
	} else {
		copy = batch->bytes + at;
		batch->used = at + size;
	}
	if (batch->used > BATCH_BYTES / 4 * 3 || batch->large->len)
		queue->last = room;
	if (size) /* of an empty sequence there is no data */
		memcpy(copy, data, size);
	return copy;
}

void event_queue_flush(struct event_queue *queue)
{
	if (queue->next && queue->next > queue->batches->at_hand->events)
		event_queue_send(queue);
}

void event_queue_finish(struct event_queue *queue)
{
	event_queue_flush(queue);
	event_queue_next(queue);
	event_queue_send(queue); /* empty: the end */
}

const struct event_room *event_queue_take(struct event_queue *queue, struct batch **batch,
					  unsigned *count)
{
	*batch = queue_pop(&queue->batches->full);
	*count = (*batch)->count;
	if (*count == 0) {
		event_queue_give_back(queue, *batch);
		return NULL;
	}
	return (*batch)->events;
}

void event_queue_give_back(struct event_queue *queue, struct batch *batch)
{
	batch->count = 0;
	batch->used = 0;
	g_ptr_array_set_size(batch->large, 0);
	queue_push(&queue->batches->empty, batch);
}

void event_queue_stop(struct event_queue *queue)
{
	atomic_store_explicit(&queue->stopped, true, memory_order_relaxed);
}

int event_queue_deliver(struct event_queue *queue, reader_callback callback, void *data)
{
	const struct event_room *events;
	struct batch *batch;
	unsigned count;
	int status = 0;

	while ((events = event_queue_take(queue, &batch, &count)) != NULL) {
		for (unsigned i = 0; i < count && status == 0; i++)
			status = callback(&events[i].event, data);
		event_queue_give_back(queue, batch);
		if (status)
			event_queue_stop(queue);
	}
	return status;
}
