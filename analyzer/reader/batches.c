/* SPDX-License-Identifier: Apache-2.0 */
#include "batches.h"

#include <glib.h>
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

struct batches {
	GAsyncQueue *empty, *full; /* struct batch; in `full`, one without events is the end */
	struct batch *at_hand;     /* the producer's */
	gint stopped;
};

static void free_batch(void *data)
{
	struct batch *batch = data;

	g_free(batch->events);
	g_free(batch->bytes);
	g_ptr_array_unref(batch->large);
	g_free(batch);
}

struct batches *batches_new(void)
{
	struct batches *batches = g_new0(struct batches, 1);

	batches->empty = g_async_queue_new_full(free_batch);
	batches->full = g_async_queue_new_full(free_batch);
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *batch = g_new0(struct batch, 1);

		batch->events = g_new(struct hg_event, BATCH_EVENTS);
		batch->bytes = g_malloc(BATCH_BYTES);
		batch->large = g_ptr_array_new_with_free_func(g_free);
		g_async_queue_push(batches->empty, batch);
	}
	return batches;
}

void batches_free(struct batches *batches)
{
	if (batches->at_hand) {
		free_batch(batches->at_hand);
	}
	g_async_queue_unref(batches->empty);
	g_async_queue_unref(batches->full);
	g_free(batches);
}

static struct batch *at_hand(struct batches *batches)
{
	if (!batches->at_hand) {
		batches->at_hand = g_async_queue_pop(batches->empty);
	}
	return batches->at_hand;
}

static void send(struct batches *batches)
{
	g_async_queue_push(batches->full, at_hand(batches));
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
	return !g_atomic_int_get(&batches->stopped);
}

void batches_finish(struct batches *batches)
{
	if (at_hand(batches)->count) {
		send(batches);
	}
	send(batches); /* empty: the end */
}

const struct hg_event *batches_take(struct batches *batches, struct batch **batch, unsigned *count)
{
	*batch = g_async_queue_pop(batches->full);
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
	g_async_queue_push(batches->empty, batch);
}

void batches_stop(struct batches *batches)
{
	g_atomic_int_set(&batches->stopped, 1);
}
