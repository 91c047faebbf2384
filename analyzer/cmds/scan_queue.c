/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a scan, shared among workers. */
#include "analyzer/cmds/scan_queue.h"

#include "analyzer/cmds/scan_kept.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decompressed bytes that wait for their analysis. */
#define BUFFERS_MAX ((size_t)256 << 20)
/* Results that wait to be reported, for each thread. */
#define AHEAD 4u

struct run {
	struct scan_queue *queue;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, reported;
};

static void analyse_with(const struct scan_queue *queue, struct scan_item *item, unsigned jobs)
{
	struct isa_options options = queue->options;

	options.sha256 = *item->sha256 ? item->sha256 : NULL;
	options.jobs = jobs;
	item->status = isa_analyze(item->elf, item->size, &options, &item->object, &item->error);
}

static void analyse(const struct scan_queue *queue, size_t index)
{
	struct scan_item *item = &queue->item[index];

	item->kept = queue->recall ? queue->recall(queue->user, item) : NULL;
	/* Threads for which no code object is left help with the kernels of the last ones. */
	if (!item->kept)
		analyse_with(queue, item, (unsigned)(queue->jobs / (queue->count - index)));
}

void scan_queue_analyse(const struct scan_queue *queue, struct scan_item *item)
{
	scan_kept_free(item->kept);
	item->kept = NULL;
	analyse_with(queue, item, queue->jobs);
}

static void *worker(void *data)
{
	struct run *run = data;
	struct scan_queue *queue = run->queue;

	pthread_mutex_lock(&run->lock);
	while (run->next < queue->count) {
		size_t index = run->next;

		if (index >= run->reported + AHEAD * queue->jobs) {
			pthread_cond_wait(&run->changed, &run->lock);
			continue;
		}
		run->next++;
		pthread_mutex_unlock(&run->lock);
		analyse(queue, index);
		pthread_mutex_lock(&run->lock);
		queue->item[index].done = true;
		pthread_cond_broadcast(&run->changed);
	}
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

static void report(struct scan_queue *queue, struct scan_item *item)
{
	queue->report(queue->user, item);
	isa_code_object_free(item->object);
	scan_kept_free(item->kept);
	free(item->error);
	free(item->target);
}

/* Report each as soon as it and those before it are there. */
static void report_all(struct run *run)
{
	struct scan_queue *queue = run->queue;

	for (size_t i = 0; i < queue->count; i++) {
		pthread_mutex_lock(&run->lock);
		while (!queue->item[i].done)
			pthread_cond_wait(&run->changed, &run->lock);
		pthread_mutex_unlock(&run->lock);
		report(queue, &queue->item[i]);
		pthread_mutex_lock(&run->lock);
		run->reported = i + 1;
		pthread_cond_broadcast(&run->changed);
		pthread_mutex_unlock(&run->lock);
	}
}

void scan_queue_flush(struct scan_queue *queue)
{
	enum { MAX_THREADS = 256 };
	struct run run = { queue, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };
	pthread_t thread[MAX_THREADS];
	unsigned count = 0, wanted = queue->jobs < MAX_THREADS ? queue->jobs : MAX_THREADS;

	if (wanted > queue->count)
		wanted = (unsigned)queue->count;
	while (wanted > 1 && count < wanted && !pthread_create(&thread[count], NULL, worker, &run))
		count++;
	if (count) {
		report_all(&run);
		while (count)
			pthread_join(thread[--count], NULL);
	} else {
		for (size_t i = 0; i < queue->count; i++) {
			analyse(queue, i);
			report(queue, &queue->item[i]);
		}
	}
	for (size_t i = 0; i < queue->buffer_count; i++)
		free(queue->buffer[i]);
	queue->count = queue->buffer_count = queue->buffer_bytes = 0;
}

int scan_queue_add(struct scan_queue *queue, const void *elf, size_t size, const char *target,
		   const char *sha256)
{
	struct scan_item item = { .elf = elf, .size = size };

	if (queue->count == queue->room) {
		size_t room = queue->room ? queue->room * 2 : 64;
		struct scan_item *grown = reallocarray(queue->item, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		queue->item = grown;
		queue->room = room;
	}
	item.target = target ? strdup(target) : NULL;
	if (target && !item.target)
		return -ENOMEM;
	if (sha256)
		snprintf(item.sha256, sizeof(item.sha256), "%s", sha256);
	queue->item[queue->count++] = item;
	return 0;
}

int scan_queue_keep(struct scan_queue *queue, void *buffer, size_t size)
{
	if (queue->buffer_count == queue->buffer_room) {
		size_t room = queue->buffer_room ? queue->buffer_room * 2 : 64;
		void **grown = reallocarray(queue->buffer, room, sizeof(*grown));

		if (!grown) {
			scan_queue_flush(queue);
			free(buffer);
			return -ENOMEM;
		}
		queue->buffer = grown;
		queue->buffer_room = room;
	}
	queue->buffer[queue->buffer_count++] = buffer;
	queue->buffer_bytes += size;
	if (queue->buffer_bytes > BUFFERS_MAX)
		scan_queue_flush(queue);
	return 0;
}

void scan_queue_free(struct scan_queue *queue)
{
	free(queue->item);
	free(queue->buffer);
}
