/* SPDX-License-Identifier: Apache-2.0 */
/* Events between two threads: all of them, in order, with what belongs to them; or stopped. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/reader/event_queue.h"
#include "tracer/events/ev_process.h"

#define EVENTS     100000
#define LARGE      (300 * 1024) /* more than a batch holds */
#define EVERY_TEXT 3            /* every so many-th event has a short text ... */
#define EVERY_LONG 5000         /* ... or a long one */

static void *produce(void *data)
{
	struct event_queue *queue = data;
	char *large = g_malloc(LARGE);
	char text[32];

	memset(large, 'x', LARGE);
	for (int i = 0; i < EVENTS; i++) {
		struct event_room *room = event_queue_next(queue);
		struct hg_ev_process *process = &room->of.process;

		event_room_clear(room);
		room->event.ns = i;
		process->exe = "";
		if (i % EVERY_LONG == 0) {
			process->exe = event_queue_keep(queue, large, LARGE);
		} else if (i % EVERY_TEXT == 0) {
			int length = snprintf(text, sizeof(text), "event %d", i);

			process->exe = event_queue_keep(queue, text, (size_t)length + 1);
			process->cmdline = event_queue_keep(queue, text, (size_t)length + 1);
		}
		if (!event_queue_commit(queue))
			break;
	}
	event_queue_finish(queue);
	g_free(large);
	return NULL;
}

static void check_event(const struct hg_event *event, int64_t number)
{
	char text[32];

	assert_int_equal(event->ns, number);
	snprintf(text, sizeof(text), "event %d", (int)number);
	if (number % EVERY_LONG == 0) {
		assert_int_equal(event->process->exe[0], 'x');
		assert_int_equal(event->process->exe[LARGE - 1], 'x');
	} else if (number % EVERY_TEXT == 0) {
		assert_string_equal(event->process->exe, text);
		assert_string_equal(event->process->cmdline, text);
		assert_int_equal((uintptr_t)event->process->cmdline % 8, 0);
	} else {
		assert_string_equal(event->process->exe, "");
		assert_null(event->process->cmdline);
	}
}

static void test_all_in_order(void **state)
{
	struct event_queue *queue = event_queue_new();
	pthread_t thread;
	const struct event_room *events;
	struct batch *batch;
	int64_t number = 0;
	unsigned count;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, produce, queue), 0);
	while ((events = event_queue_take(queue, &batch, &count)) != NULL) {
		for (unsigned i = 0; i < count; i++)
			check_event(&events[i].event, number++);
		event_queue_give_back(queue, batch);
	}
	pthread_join(thread, NULL);
	assert_int_equal(number, EVENTS);
	event_queue_free(queue);
}

/* The producer must come to its end although nobody looks at what it makes. */
static void test_stopped(void **state)
{
	struct event_queue *queue = event_queue_new();
	pthread_t thread;
	struct batch *batch;
	uint64_t seen = 0;
	unsigned count;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, produce, queue), 0);
	while (event_queue_take(queue, &batch, &count)) {
		seen += count;
		event_queue_stop(queue);
		event_queue_give_back(queue, batch);
	}
	pthread_join(thread, NULL);
	assert_true(seen > 0 && seen < EVENTS);
	event_queue_free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
