/* SPDX-License-Identifier: Apache-2.0 */
/* Records of pages, as they come, against all of them by time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "analyzer/reader/record_order.h"
#include "tracer/ring.h"

#define PID 7

static GString *seen; /* "e12 r13.1 " ... : items and records by their times */

static void pass_item(void *item, void *data)
{
	(void)data;
	g_string_append_printf(seen, "e%d ", GPOINTER_TO_INT(item));
}

static void pass_record(const struct order_record *record, void *data)
{
	(void)data;
	assert_in_range(record->pid, PID, PID + 1);
	g_string_append_printf(seen, "r%d.%d ", (int)record->ns, record->tid);
}

static const struct order_calls calls = { pass_item, pass_record };
static struct event_order *order;

static int begin(void **state)
{
	(void)state;
	seen = g_string_new(NULL);
	order = order_new(&calls, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	order_free(order);
	g_string_free(seen, TRUE);
	return 0;
}

static void item(int ns)
{
	if (!order_hold(order, PID, ns, GINT_TO_POINTER(ns)))
		pass_item(GINT_TO_POINTER(ns), NULL);
}

/* Stores frees at each of the times, which -1 ends; returns how many bytes. */
static size_t put(char *bytes, struct hg_record_before *before, const int *times)
{
	char *at = bytes;

	for (; *times >= 0; times++)
		at = hg_record_put_block(at, before, 30, true, 1, 0, 0, 0, (uint32_t)*times);
	return (size_t)(at - bytes);
}

static void page_in(int32_t pid, int tid, int begin_ns, const int *times)
{
	struct record_run *run = run_new(pid, tid, (uint64_t)begin_ns, 0, HG_RING_RECORDS);
	struct hg_record_before before = { 0 };
	char bytes[32 * HG_RECORD_BLOCK_MOST];

	run_extend(run, bytes, put(bytes, &before, times));
	order_run(order, pid, run);
	run_close(run);
}

static void page_of(int tid, int begin_ns, const int *times)
{
	page_in(PID, tid, begin_ns, times);
}

static void child_page(int tid, int begin_ns, const int *times)
{
	page_in(PID + 1, tid, begin_ns, times);
}

#define PAGE(tid, begin, ...) page_of(tid, begin, (const int[]){ __VA_ARGS__, -1 })

/* Nothing is known of the process: it is not waited for. */
static void test_straight(void **state)
{
	(void)state;
	item(1);
	item(2);
	assert_string_equal(seen->str, "e1 e2 ");
	order_end(order);
}

static void test_two_threads(void **state)
{
	(void)state;
	order_reach(order, PID, INT64_MIN);
	item(12);
	PAGE(1, 10, 1, 5, 9); /* 11 15 19 */
	item(20);
	assert_string_equal(seen->str, "");
	order_reach(order, PID, 12);
	assert_string_equal(seen->str, "r11.1 e12 ");
	item(22);
	PAGE(2, 14, 0, 2, 7); /* 14 16 21 */
	order_reach(order, PID, 21);
	assert_string_equal(seen->str, "r11.1 e12 r14.2 r15.1 r16.2 r19.1 e20 r21.2 ");
	order_end(order);
	assert_true(g_str_has_suffix(seen->str, "r21.2 e22 "));
}

/* A process of which nothing has come is not waited for. */
static void test_processes(void **state)
{
	(void)state;
	order_reach(order, PID, INT64_MIN);
	item(12);
	assert_false(order_hold(order, PID + 1, 13, NULL));
	assert_string_equal(seen->str, "");
	order_end(order);
	assert_string_equal(seen->str, "e12 ");
}

/* A child's beginning comes before what its parent does later, whose pages come first. */
static void test_child(void **state)
{
	(void)state;
	PAGE(1, 10, 1, 5, 9); /* 11 15 19 */
	order_expect(order, PID + 1);
	order_reach(order, PID, 18);
	assert_string_equal(seen->str, "");
	child_page(7, 10, (const int[]){ 2, 6, -1 }); /* 12 16 */
	order_reach(order, PID + 1, 18);
	assert_string_equal(seen->str, "r11.1 r12.7 r15.1 r16.7 ");
	order_reach(order, PID + 1, INT64_MAX);
	order_reach(order, PID, 20);
	assert_string_equal(seen->str, "r11.1 r12.7 r15.1 r16.7 r19.1 ");
	order_end(order);
}

/* A process that says nothing any more holds the others back for a while only. */
static void test_silent(void **state)
{
	(void)state;
	order_expect(order, PID + 1);
	PAGE(1, 10, 1);
	order_reach(order, PID, 20);
	assert_string_equal(seen->str, "");
	order_reach(order, PID, INT64_C(6000000000));
	assert_string_equal(seen->str, "r11.1 ");
	order_end(order);
}

/* Another program of the process goes on where nothing of the first one follows. */
static void test_another_program(void **state)
{
	(void)state;
	order_reach(order, PID, INT64_MIN);
	PAGE(1, 10, 1, 5);
	order_reach(order, PID, INT64_MAX);
	assert_string_equal(seen->str, "r11.1 r15.1 ");
	PAGE(1, 20, 1);
	assert_string_equal(seen->str, "r11.1 r15.1 ");
	order_reach(order, PID, 30);
	assert_string_equal(seen->str, "r11.1 r15.1 r21.1 ");
	order_end(order);
}

/* Records that would be out of order come behind what was passed on, at its time. */
static void test_late(void **state)
{
	(void)state;
	order_reach(order, PID, INT64_MIN);
	PAGE(2, 5, 1, 15);
	order_reach(order, PID, 20);
	PAGE(1, 10, 1, 5, 11, 12);
	order_reach(order, PID, 30);
	assert_string_equal(seen->str, "r6.2 r20.2 r20.1 r20.1 r21.1 r22.1 ");
	order_end(order);
}

/* A page goes on, as its thread stores more, while some of it waits and after all was passed on. */
static void test_parts(void **state)
{
	struct record_run *run = run_new(PID, 1, 10, 0, HG_RING_RECORDS);
	struct hg_record_before before = { 0 };
	char bytes[256];

	(void)state;
	run_extend(run, bytes, put(bytes, &before, (const int[]){ 1, 5, -1 }));
	order_run(order, PID, run);
	order_reach(order, PID, 12);
	assert_string_equal(seen->str, "r11.1 ");
	run_extend(run, bytes, put(bytes, &before, (const int[]){ 7, -1 }));
	order_run(order, PID, run);
	order_reach(order, PID, 20);
	assert_string_equal(seen->str, "r11.1 r15.1 r17.1 ");
	run_extend(run, bytes, put(bytes, &before, (const int[]){ 12, -1 }));
	order_run(order, PID, run);
	run_close(run);
	order_end(order);
	assert_string_equal(seen->str, "r11.1 r15.1 r17.1 r22.1 ");
}

/* A trace whose beginning was deleted: what comes late is left out. */
static void test_dropped(void **state)
{
	(void)state;
	order_drop_late(order);
	PAGE(2, 5, 1, 15);
	order_reach(order, PID, 20);
	PAGE(1, 10, 1, 5, 11, 12);
	order_end(order);
	assert_string_equal(seen->str, "r6.2 r20.2 r21.1 r22.1 ");
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	int64_t opened[8] = { 0 }, reached = -1;
	int times[8][32], count[8] = { 0 }, records = 0, items = 0;

	(void)state;
	order_reach(order, PID, INT64_MIN);
	for (int now = 1; now < 20000; now++) {
		int thread = g_rand_int_range(random, 0, 8);

		if (g_rand_int_range(random, 0, 4) == 0) {
			item(now);
			items++;
			continue;
		}
		if (!count[thread])
			opened[thread] = now;
		times[thread][count[thread]++] = now - (int)opened[thread];
		records++;
		if (count[thread] == 31 || g_rand_int_range(random, 0, 20) == 0) {
			int64_t oldest = now + 1;

			times[thread][count[thread]] = -1;
			page_of(thread, (int)opened[thread], times[thread]);
			count[thread] = 0;
			for (int i = 0; i < 8; i++)
				oldest = count[i] ? MIN(oldest, opened[i]) : oldest;
			order_reach(order, PID, oldest - 1);
		}
	}
	for (int thread = 0; thread < 8; thread++) {
		times[thread][count[thread]] = -1;
		page_of(thread, (int)opened[thread], times[thread]);
	}
	order_end(order);
	for (char *at = seen->str; *at; at = strchr(at, ' ') + 1) {
		int64_t ns = g_ascii_strtoll(at + 1, NULL, 10);

		assert_true(ns > reached);
		reached = ns;
		*(*at == 'r' ? &records : &items) -= 1;
	}
	assert_int_equal(records, 0);
	assert_int_equal(items, 0);
	g_rand_free(random);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_straight), TEST(test_two_threads), TEST(test_processes),
		TEST(test_child),    TEST(test_silent),      TEST(test_another_program),
		TEST(test_late),     TEST(test_parts),       TEST(test_dropped),
		TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
