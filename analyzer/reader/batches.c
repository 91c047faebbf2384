/* SPDX-License-Identifier: Apache-2.0 */
#include "batches.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BATCHES      8
#define BATCH_EVENTS 1024
#define BATCH_BYTES \
	(256 * 1024) /* for strings and sequences; larger ones get memory of their own */

struct batch {
	struct hg_event *events;
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

struct batches {
	struct queue empty, full; /* in `full`, a batch without events is the end */
	struct batch *at_hand;    /* the producer's */
	atomic_bool stopped;
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
	while (queue->count == 0) {
		pthread_cond_wait(&queue->filled, &queue->lock);
	}
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
	while (queue->count) {
		free_batch(queue_pop(queue));
	}
	pthread_cond_destroy(&queue->filled);
	pthread_mutex_destroy(&queue->lock);
}

struct batches *batches_new(void)
{
	struct batches *batches = g_new0(struct batches, 1);

	queue_init(&batches->empty);
	queue_init(&batches->full);
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *batch = g_new0(struct batch, 1);

		batch->events = g_new(struct hg_event, BATCH_EVENTS);
		batch->bytes = g_malloc(BATCH_BYTES);
		batch->large = g_ptr_array_new_with_free_func(g_free);
		queue_push(&batches->empty, batch);
	}
	return batches;
}

void batches_free(struct batches *batches)
{
	if (batches->at_hand) {
		free_batch(batches->at_hand);
	}
	queue_clear(&batches->empty);
	queue_clear(&batches->full);
	g_free(batches);
}

static struct batch *at_hand(struct batches *batches)
{
	if (!batches->at_hand) {
		batches->at_hand = queue_pop(&batches->empty);
	}
	return batches->at_hand;
}

static void send(struct batches *batches)
{
	queue_push(&batches->full, at_hand(batches));
	batches->at_hand = NULL;
}

struct hg_event *batches_next(struct batches *batches)
{
	struct batch *batch = at_hand(batches);
	struct hg_event *event = &batch->events[batch->count];

	memset(event, 0, sizeof(*event));
	return event;
}

void *batches_keep(struct batches *batches, const void *data, size_t size)
{
	struct batch *batch = at_hand(batches);
	size_t at = (batch->used + 7) & ~(size_t)7;
	void *copy;

	if (size > BATCH_BYTES || at > BATCH_BYTES - size) {
		copy = g_malloc(size);
		g_ptr_array_add(batch->large, copy);
	} else {
		copy = batch->bytes + at;
		batch->used = at + size;
	}
	memcpy(copy, data, size);
	return copy;
}

bool batches_commit(struct batches *batches)
{
	struct batch *batch = at_hand(batches);

	batch->count++;
	if (batch->count == BATCH_EVENTS || batch->used > BATCH_BYTES / 4 * 3 ||
	    batch->large->len) {
		send(batches);
	}
	return !atomic_load_explicit(&batches->stopped, memory_order_relaxed);
}

void batches_flush(struct batches *batches)
{
	if (at_hand(batches)->count) {
		send(batches);
	}
}

void batches_finish(struct batches *batches)
{
	batches_flush(batches);
	send(batches); /* empty: the end */
}

const struct hg_event *batches_take(struct batches *batches, struct batch **batch, unsigned *count)
{
	*batch = queue_pop(&batches->full);
	*count = (*batch)->count;
	if (*count == 0) {
		batches_give_back(batches, *batch);
		return NULL;
	}
	return (*batch)->events;
}

void batches_give_back(struct batches *batches, struct batch *batch)
{
	batch->count = 0;
	batch->used = 0;
	g_ptr_array_set_size(batch->large, 0);
	queue_push(&batches->empty, batch);
}

void batches_stop(struct batches *batches)
{
	atomic_store_explicit(&batches->stopped, true, memory_order_relaxed);
}

int batches_deliver(struct batches *batches, reader_callback callback, void *data)
{
	const struct hg_event *events;
	struct batch *batch;
	unsigned count;
	int status = 0;

	while ((events = batches_take(batches, &batch, &count)) != NULL) {
		for (unsigned i = 0; i < count && status == 0; i++) {
			status = callback(&events[i], data);
		}
		batches_give_back(batches, batch);
		if (status) {
			batches_stop(batches);
		}
	}
	return status;
}
