/* SPDX-License-Identifier: Apache-2.0 */
/* Events and batches of records, as they come, against all of them by time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/reader/order.h"
#include "analyzer/reader/whole_records.h"

#define PID 7

static GString *seen; /* "e12 r13 " ... : items and records by their times */

static void pass_item(void *item, void *data)
{
	(void)data;
	g_string_append_printf(seen, "e%d ", GPOINTER_TO_INT(item));
}

static void pass_records(const struct order_records *records, void *data)
{
	(void)data;
	assert_int_equal(records->pid, PID);
	for (uint32_t at = 0; at < records->count; at += hg_record_words(records->words[at])) {
		int ns = (int)(records->begin_ns + (uint32_t)records->words[at + 1]);

		g_string_append_printf(seen, "r%d.%d ", ns, records->tid);
	}
}

static const struct order_calls calls = { .item = pass_item, .records = pass_records };
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

static void event(int ns)
{
	if (!order_hold(order, PID, ns, GINT_TO_POINTER(ns)))
		pass_item(GINT_TO_POINTER(ns), NULL);
}

/* A batch of frees at begin + each of the times, which -1 ends. */
static void batch_since(int tid, unsigned number, int begin_ns, int since_ns, const int *times)
{
	struct order_batch batch = { .number = number, .tid = tid };
	uint64_t words[64];

	for (; *times >= 0; times++) {
		words[batch.words++] = (uint64_t)HG_RECORD_FREE << 56;
		words[batch.words++] = (uint64_t)*times;
	}
	batch.records = whole_records(words, &batch.words);
	order_batch(order, PID, &batch, begin_ns, since_ns);
}

#define BATCH(tid, number, begin, ...) \
	batch_since(tid, number, begin, 0, (const int[]){ __VA_ARGS__, -1 })

/* What is missing of the process. */
static struct order_missing finish(const char *folder, int offset)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct order_missing));
	struct order_missing missing = { 0 };

	order_end(order, folder, offset, rows);
	if (rows->len) {
		missing = g_array_index(rows, struct order_missing, 0);
		assert_int_equal(missing.pid, PID);
	}
	g_array_free(rows, TRUE);
	return missing;
}

static void test_straight(void **state)
{
	(void)state;
	event(1);
	event(2);
	assert_string_equal(seen->str, "e1 e2 ");
	assert_int_equal(finish(NULL, 0).records, 0);
	assert_int_equal(order_held_most(order), 0);
}

static void heard(int ns, bool announces)
{
	order_heard(order, PID, ns, announces);
	event(ns);
}

/* Opened in a chunk that was deleted: 5 was there, the others are later than the first event. */
static void test_in_the_middle(void **state)
{
	(void)state;
	heard(10, false);
	heard(20, false);
	BATCH(1, 1, 0, 5, 15, 19);
	assert_string_equal(seen->str, "e10 ");
	heard(30, true);
	assert_string_equal(seen->str, "e10 r15.1 r19.1 e20 e30 ");
	heard(40, false);
	assert_string_equal(seen->str, "e10 r15.1 r19.1 e20 e30 e40 ");
	assert_int_equal(finish(NULL, 0).records, 0);
}

static void test_in_the_middle_to_the_end(void **state)
{
	(void)state;
	heard(10, false);
	BATCH(1, 1, 0, 12);
	heard(20, false);
	assert_int_equal(finish(NULL, 0).records, 0);
	assert_string_equal(seen->str, "e10 r12.1 e20 ");
}

static void test_from_the_beginning(void **state)
{
	(void)state;
	heard(10, true);
	heard(20, false);
	assert_string_equal(seen->str, "e10 e20 ");
	assert_int_equal(order_held_most(order), 0);
}

static void test_two_threads(void **state)
{
	(void)state;
	order_open(order, PID, 1, 1, 10);
	event(12);
	order_open(order, PID, 2, 2, 14);
	event(20);
	assert_string_equal(seen->str, "");
	BATCH(1, 1, 10, 1, 5, 9); /* 11 15 19 */
	/* The other owes what is after 14. */
	assert_string_equal(seen->str, "r11.1 e12 ");
	event(22);
	BATCH(2, 2, 14, 0, 2, 7); /* 14 16 21 */
	assert_string_equal(seen->str, "r11.1 e12 r14.2 r15.1 r16.2 r19.1 e20 r21.2 e22 ");
	event(30);
	assert_true(g_str_has_suffix(seen->str, "e22 e30 "));
	assert_int_equal(finish(NULL, 0).records, 0);
}

/* Other processes do not wait. */
static void test_processes(void **state)
{
	(void)state;
	order_open(order, PID, 1, 1, 10);
	event(12);
	assert_false(order_hold(order, PID + 1, 13, NULL));
	finish(NULL, 0);
	assert_string_equal(seen->str, "e12 ");
}

static void test_never_came(void **state)
{
	struct order_missing stats;

	(void)state;
	order_open(order, PID, 1, 1, 10);
	event(11);
	/* The thread has another: the first was lost. */
	order_open(order, PID, 1, 2, 20);
	assert_string_equal(seen->str, "e11 ");
	BATCH(1, 2, 20, 3);
	order_open(order, PID, 3, 3, 30);
	event(31);
	stats = finish(NULL, 0);
	assert_string_equal(seen->str, "e11 r23.1 e31 ");
	assert_int_equal(stats.batches, 2);
	assert_int_equal(stats.records, 2 * HG_BATCH_RECORDS);
}

/* A batch whose beginning was not seen: what would be out of order is moved behind what was. */
static void test_beginning_unseen(void **state)
{
	(void)state;
	order_open(order, PID, 2, 1, 5);
	BATCH(2, 1, 5, 1);
	event(20);
	BATCH(1, 2, 10, 1, 5, 11, 12);
	assert_string_equal(seen->str, "r6.2 e20 r20.1 r24.1 r30.1 r31.1 ");
	assert_int_equal(finish(NULL, 0).records, 0);
}

/* What is older than the part of the trace that counts is left out, and not lost. */
static void test_since(void **state)
{
	(void)state;
	order_open(order, PID, 1, 1, 10);
	batch_since(1, 1, 10, 13, (const int[]){ 1, 2, 3, 4, -1 });
	assert_string_equal(seen->str, "r13.1 r14.1 ");
	assert_int_equal(finish(NULL, 0).records, 0);
}

/* A lost batch does not hold back the rest of the trace. */
static void test_overdue(void **state)
{
	const int64_t second = 1000000000;

	(void)state;
	order_open(order, PID, 1, 1, 0);
	for (int i = 0; i < 10001; i++) {
		assert_int_equal(seen->len, 0);
		order_hold(order, PID, 11 * second + i, GINT_TO_POINTER(1));
		if (i == 9998)
			break;
	}
	order_hold(order, PID, 12 * second, GINT_TO_POINTER(1));
	assert_int_equal(seen->len, 3 * 10000);
	assert_int_equal(finish(NULL, 0).batches, 1);
}

/* Records that this version does not know end a batch; so does half a record. */
static void test_unknown(void **state)
{
	uint64_t words[] = { (uint64_t)HG_RECORD_FREE << 56, 1, UINT64_C(200) << 56, 2 };
	struct order_batch batch = { .number = 1, .tid = 1, .words = 4 };

	(void)state;
	batch.records = whole_records(words, &batch.words);
	order_batch(order, PID, &batch, 10, 0);
	batch.words = 1;
	batch.records = whole_records(words, &batch.words);
	order_batch(order, PID, &batch, 20, 0);
	assert_string_equal(seen->str, "r11.1 ");
	finish(NULL, 0);
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	int64_t opened[8] = { 0 }, reached = -1;
	int times[8][32], count[8] = { 0 }, records = 0, events = 0;
	unsigned number[8], last = 0;

	(void)state;
	for (int now = 1; now < 20000; now++) {
		int thread = g_rand_int_range(random, 0, 8);

		if (g_rand_int_range(random, 0, 4) == 0) {
			event(now);
			events++;
			continue;
		}
		if (!count[thread]) {
			opened[thread] = now;
			number[thread] = ++last;
			order_open(order, PID, thread, last, now);
		}
		times[thread][count[thread]++] = now - (int)opened[thread];
		records++;
		if (count[thread] == 31) {
			times[thread][31] = -1;
			batch_since(thread, number[thread], (int)opened[thread], 0, times[thread]);
			count[thread] = 0;
		}
	}
	for (int thread = 0; thread < 8; thread++) {
		times[thread][count[thread]] = -1;
		if (count[thread])
			batch_since(thread, number[thread], (int)opened[thread], 0, times[thread]);
	}
	assert_int_equal(finish(NULL, 0).records, 0);
	for (char *at = seen->str; *at; at = strchr(at, ' ') + 1) {
		int64_t ns = g_ascii_strtoll(at + 1, NULL, 10);

		assert_true(ns > reached);
		reached = ns;
		*(*at == 'r' ? &records : &events) -= 1;
	}
	assert_int_equal(records, 0);
	assert_int_equal(events, 0);
	g_rand_free(random);
}

/* What a killed process had not recorded is in a file. */
static void test_file(void **state)
{
	char *folder = g_dir_make_tmp("hipgrain-batches-XXXXXX", NULL);
	char *path = g_build_filename(folder, "7-1", NULL);
	struct hg_open_batch pages[4] = {
		{ .pid = PID, .begin = HG_OPEN_BATCHES_MAGIC },
		{ .pid = PID, .thread = 1, .number = 1, .words = 4, .begin = 110 },
		/* Of another batch of that number; and of another process. */
		{ .pid = PID, .thread = 2, .number = 2, .words = 2, .begin = 103 },
		{ .pid = PID + 1, .thread = 1, .number = 1, .words = 2, .begin = 110 },
	};
	struct order_missing stats;

	(void)state;
	for (int i = 1; i < 4; i++) {
		pages[i].records[0] = pages[i].records[2] = (uint64_t)HG_RECORD_FREE << 56;
		pages[i].records[1] = 1;
		pages[i].records[3] = 3;
	}
	assert_true(g_file_set_contents(path, (const char *)pages, sizeof(pages), NULL));
	order_open(order, PID, 1, 1, 9);
	event(12);
	order_open(order, PID, 2, 2, 9);
	stats = finish(folder, -100);
	assert_string_equal(seen->str, "r11.1 e12 r13.1 ");
	assert_int_equal(stats.batches, 1);
	g_unlink(path);
	g_rmdir(folder);
	g_free(path);
	g_free(folder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_in_the_middle),
		TEST(test_in_the_middle_to_the_end),
		TEST(test_from_the_beginning),
		TEST(test_straight),
		TEST(test_two_threads),
		TEST(test_processes),
		TEST(test_never_came),
		TEST(test_beginning_unseen),
		TEST(test_since),
		TEST(test_overdue),
		TEST(test_unknown),
		TEST(test_random),
		TEST(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
