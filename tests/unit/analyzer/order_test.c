/* SPDX-License-Identifier: Apache-2.0 */
/* The vector clock: who is before whom, by streams, events, the null stream and the host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/replay/stream_order.h"

static struct order order;

static int setup(void **state)
{
	(void)state;
	order_init(&order);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	order_clear(&order);
	return 0;
}

static struct order_stream *create(uint64_t handle, bool non_blocking)
{
	order_stream_created(&order, handle, non_blocking, 0);
	return order_stream(&order, handle, 0, 1);
}

static struct moment work(struct order_stream *stream)
{
	return order_submit(&order, stream);
}

/* Before the next work of the stream? */
static bool before(struct moment moment, struct order_stream *stream)
{
	work(stream);
	return order_before(&order, moment, stream);
}

static void a_stream_is_in_order(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true);
	struct moment first = work(a);

	(void)state;
	assert_true(before(first, a));
	assert_false(before(first, b));
	assert_false(order_done(&order, first));
}

static void an_event_orders_what_was_before_its_record(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true),
			    *c = create(0x300, true);
	struct moment early = work(a), late;

	(void)state;
	order_event_created(&order, 0x1, 0);
	order_record(&order, 0x1, a);
	late = work(a);
	order_wait_event(&order, b, 0x1);
	assert_true(before(early, b));
	assert_false(before(late, b));
	/* From stream to stream, and what was waited for before a record. */
	order_record(&order, 0x2, b);
	order_wait_event(&order, c, 0x2);
	assert_true(before(early, c));
	assert_false(before(late, c));
	assert_false(order_done(&order, early));
}

static void a_record_names_the_latest(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true);
	struct moment moment;

	(void)state;
	order_record(&order, 0x1, a);
	moment = work(a);
	order_wait_event(&order, b, 0x1);
	assert_false(before(moment, b));
	order_record(&order, 0x1, a);
	order_wait_event(&order, b, 0x1);
	assert_true(before(moment, b));
}

static void an_event_without_record_orders_nothing(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true);
	struct moment moment = work(a);

	(void)state;
	order_event_created(&order, 0x1, 0);
	order_wait_event(&order, b, 0x1);
	assert_false(before(moment, b));
	order_host_event(&order, 0x1);
	assert_false(order_done(&order, moment));
	/* One that another process can record orders everything: it cannot be determined. */
	order_event_created(&order, 0x2, 4);
	order_wait_event(&order, b, 0x2);
	assert_true(before(moment, b));
}

static void the_host_waits_for_streams_events_and_devices(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true),
			    *c = create(0x300, true);
	struct moment in_a = work(a), in_b, in_c, late;

	(void)state;
	order_record(&order, 0x1, a);
	late = work(a);
	order_wait_event(&order, b, 0x1);
	in_b = work(b);
	in_c = work(c);
	order_host_stream(&order, b); /* and so for what b had waited for */
	assert_true(order_done(&order, in_a));
	assert_true(order_done(&order, in_b));
	assert_false(order_done(&order, late));
	assert_false(order_done(&order, in_c));
	assert_true(before(in_b, c)); /* submitted after the host has waited */
	order_host_device(&order, 7);
	assert_false(order_done(&order, in_c));
	order_host_device(&order, 0);
	assert_true(order_done(&order, in_c));
	assert_true(order_done(&order, late));
}

static void an_event_without_fence_makes_nothing_visible(void **state)
{
	struct order_stream *a = create(0x100, false), *b = create(0x200, false);
	struct moment moment = work(b);

	(void)state;
	order_event_created(&order, 0x1, 0x20000000);
	order_record(&order, 0x2, b);
	order_wait_event(&order, a, 0x2);
	order_record(&order, 0x1, a);
	order_host_event(&order, 0x1);
	assert_true(order_done(&order, moment));
	assert_false(order_visible(&order, moment));
	moment = work(a);
	order_record(&order, 0x1, a);
	order_host_event(&order, 0x1);
	assert_true(order_done(&order, moment));
	assert_false(order_visible(&order, moment));
	order_host_stream(&order, a);
	assert_true(order_visible(&order, moment));
}

static void the_null_stream_waits_for_blocking_streams(void **state)
{
	struct order_stream *null = order_stream(&order, 0, 0, 1), *a = create(0x100, false),
			    *b = create(0x200, false), *free_one = create(0x300, true);
	struct moment in_a = work(a), in_free = work(free_one), in_null, in_b;

	(void)state;
	assert_ptr_equal(order_stream(&order, STREAM_LEGACY, 0, 2), null);
	assert_false(before(in_a, b));
	in_null = work(null);
	assert_true(order_before(&order, in_a, null));
	assert_false(order_before(&order, in_free, null));
	assert_true(before(in_null, b));
	assert_true(order_before(&order, in_a, b)); /* through the null stream */
	assert_false(before(in_null, free_one));
	in_b = work(b);
	assert_true(before(in_b, null));
	assert_true(before(in_b, null)); /* and remembered */
	/* The null stream of another device has nothing to do with it. */
	assert_false(before(in_b, order_stream(&order, 0, 1, 1)));
	/* Waiting for the null stream waits for them too. */
	in_a = work(a);
	order_host_stream(&order, null);
	assert_true(order_done(&order, in_a));
	assert_false(order_done(&order, in_free));
}

static void per_thread_streams_are_blocking_streams_of_their_thread(void **state)
{
	struct order_stream *one = order_stream(&order, STREAM_PER_THREAD, 0, 1),
			    *two = order_stream(&order, STREAM_PER_THREAD, 0, 2),
			    *null = order_stream(&order, 0, 0, 1);
	struct moment moment = work(one);

	(void)state;
	assert_ptr_not_equal(one, two);
	assert_ptr_equal(order_stream(&order, STREAM_PER_THREAD, 0, 1), one);
	assert_false(before(moment, two));
	assert_true(before(moment, null));
	assert_true(before(moment, two));
}

static void a_stream_that_was_not_created_is_blocking(void **state)
{
	struct order_stream *unknown = order_stream(&order, 0x900, 0, 1),
			    *null = order_stream(&order, 0, 0, 1);
	struct moment moment = work(unknown);

	(void)state;
	assert_int_equal(order.unknown_streams, 1);
	assert_true(before(moment, null));
}

static void handles_come_again(void **state)
{
	struct order_stream *a = create(0x100, true), *b = create(0x200, true);
	struct moment old = work(a), young;

	(void)state;
	order_stream_destroyed(&order, 0x100); /* taken for a wait */
	assert_true(order_done(&order, old));
	a = create(0x100, true);
	young = work(a);
	assert_false(before(young, b));
	assert_true(before(old, b));
}

static void slots_are_given_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100 * ORDER_SLOTS; i++) {
		uint64_t handle = 0x1000 + i % 50;

		work(create(handle, i & 1));
		if (i % 10 == 0)
			order_host_everything(&order);
	}
	assert_true(order.slots <= 64);
	assert_int_equal(order.overflows, 0);
}

static void too_many_streams_are_taken_as_waited_for(void **state)
{
	struct moment first = work(create(1000, true)), last = first;

	(void)state;
	for (unsigned i = 1; i <= ORDER_SLOTS; i++) {
		assert_false(order_done(&order, first));
		last = work(create(1000 + i, true));
	}
	assert_int_equal(order.overflows, 1);
	assert_true(order_done(&order, first));
	assert_false(order_done(&order, last));
}

/* ---- against a model that keeps everything: each moment's set of predecessors, as bits ---- */

#define STREAMS 5
#define MOMENTS 600

static void agrees_with_sets_of_predecessors(void **state)
{
	static uint64_t prior[STREAMS][MOMENTS / 64 + 1], event[4][MOMENTS / 64 + 1],
	    host[MOMENTS / 64 + 1], null_prior[MOMENTS / 64 + 1];
	static struct moment moments[MOMENTS];
	struct order_stream *streams[STREAMS];
	size_t bytes = sizeof(host);

	(void)state;
	srand(1);
	for (unsigned round = 0; round < 20; round++) {
		unsigned count = 0;

		teardown(NULL);
		setup(NULL);
		memset(prior, 0, sizeof(prior));
		memset(event, 0, sizeof(event));
		memset(host, 0, bytes);
		for (unsigned i = 0; i < STREAMS; i++) {
			/* 0 is the null stream, 1 and 2 wait for it, the others do not */
			streams[i] = i ? create(0x100 * i, i > 2) : order_stream(&order, 0, 0, 1);
		}
		while (count < MOMENTS) {
			unsigned s = (unsigned)rand() % STREAMS, e = (unsigned)rand() % 4;
			unsigned what = (unsigned)rand() % 16;

			/* Everything that is submitted, markers of events too, follows these. */
#define JOIN(to, from)                                         \
	for (unsigned w = 0; w < bytes / sizeof(host[0]); w++) \
		(to)[w] |= (from)[w];
#define IMPLICIT(s)                                          \
	do {                                                 \
		JOIN(prior[s], host);                        \
		if ((s) == 0) {                              \
			JOIN(prior[0], prior[1]);            \
			JOIN(prior[0], prior[2]);            \
			memcpy(null_prior, prior[0], bytes); \
		} else if ((s) <= 2) {                       \
			JOIN(prior[s], null_prior);          \
		}                                            \
	} while (0)
			if (round == 0 && count == 0)
				memset(null_prior, 0, bytes);
			if (what < 10) {
				IMPLICIT(s);
				moments[count] = work(streams[s]);
				for (unsigned i = 0; i < count; i++) {
					bool expected = prior[s][i / 64] >> i % 64 & 1;

					assert_int_equal(
					    order_before(&order, moments[i], streams[s]), expected);
					assert_int_equal(order_done(&order, moments[i]),
							 host[i / 64] >> i % 64 & 1);
				}
				prior[s][count / 64] |= 1ull << count % 64;
				if (s == 0)
					null_prior[count / 64] |= 1ull << count % 64;
				count++;
			} else if (what < 12) {
				IMPLICIT(s);
				order_record(&order, e, streams[s]);
				memcpy(event[e], prior[s], bytes);
			} else if (what < 14) {
				order_wait_event(&order, streams[s], e);
				JOIN(prior[s], event[e]);
				IMPLICIT(s);
			} else if (what == 14) {
				order_host_event(&order, e);
				JOIN(host, event[e]);
			} else if (rand() % 4 == 0) {
				if (s == 0)
					IMPLICIT(s);
				order_host_stream(&order, streams[s]);
				JOIN(host, prior[s]);
			}
		}
		memset(null_prior, 0, bytes);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_stream_is_in_order),
		TEST(an_event_orders_what_was_before_its_record),
		TEST(a_record_names_the_latest),
		TEST(an_event_without_record_orders_nothing),
		TEST(the_host_waits_for_streams_events_and_devices),
		TEST(an_event_without_fence_makes_nothing_visible),
		TEST(the_null_stream_waits_for_blocking_streams),
		TEST(per_thread_streams_are_blocking_streams_of_their_thread),
		TEST(a_stream_that_was_not_created_is_blocking),
		TEST(handles_come_again),
		TEST(slots_are_given_back),
		TEST(too_many_streams_are_taken_as_waited_for),
		TEST(agrees_with_sets_of_predecessors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
