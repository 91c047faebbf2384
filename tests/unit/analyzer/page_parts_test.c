/* SPDX-License-Identifier: Apache-2.0 */
/* What was read of pages whose end is lost: it decides how many records are missing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "analyzer/reader/page_parts.h"
#include "tracer/events/ev_page.h"
#include "tracer/ring.h"

#define PID 7

static uint64_t left_frees;
static unsigned left_pages;

static void ignore_item(void *item, void *data)
{
	(void)item;
	(void)data;
}

static void ignore_record(const struct order_record *record, void *data)
{
	(void)record;
	(void)data;
}

static const struct order_calls calls = { ignore_item, ignore_record };
static struct event_order *order;
static struct page_parts *parts;

static int begin(void **state)
{
	(void)state;
	order = order_new(&calls, NULL);
	parts = page_parts_new(order);
	return 0;
}

static int end(void **state)
{
	(void)state;
	order_end(order);
	page_parts_free(parts);
	order_free(order);
	return 0;
}

/* Answers of what group events are, of which there are none here. */
static enum hg_group group_of(unsigned type, void *data)
{
	(void)type;
	(void)data;
	return HG_GROUP_OTHER;
}

static void add_left(int32_t pid, const uint64_t tally[HG_GROUPS], void *data)
{
	(void)data;
	assert_int_equal(pid, PID);
	left_frees += tally[HG_GROUP_FREE];
	left_pages++;
}

/* Takes a part with one record, or none if it is the last. Returns how many bytes it has. */
static uint32_t part(uint32_t page, uint32_t number, uint8_t last, struct page_taken *taken)
{
	struct hg_record_before before = { 0 };
	uint64_t words[4] = { 0 };
	char *behind =
	    hg_record_put_block((char *)words, &before, 30, true, 0x1000, 0, 0, 0, number);
	uint32_t size = (uint32_t)(behind - (char *)words);
	const struct hg_ev_page event = { .pid = PID,
					  .file = 1,
					  .number = page,
					  .part = number,
					  .last = last,
					  .words = last ? 0 : 4,
					  .records = words };

	page_parts_take(parts, &event, 0, group_of, NULL, taken);
	return size;
}

static void test_left_once(void **state)
{
	struct page_taken taken;

	(void)state;
	part(1, 1, 0, &taken);
	assert_false(taken.full);
	assert_int_equal(taken.records[HG_GROUP_FREE], 1);
	part(1, 2, HG_PAGE_FULL, &taken);
	assert_true(taken.full);
	assert_int_equal(taken.all[HG_GROUP_FREE], 1);
	part(2, 1, 0, &taken);
	part(2, 2, 0, &taken);
	part(3, 1, 0, &taken);
	page_parts_in_file(parts, PID, 1, 3);
	order_end(order);
	for (unsigned times = 0; times < 2; times++)
		page_parts_left(parts, add_left, NULL);
	assert_int_equal(left_pages, 1);
	assert_int_equal(left_frees, 2);
}

/* A process's file may have such a page still, where the recorder was killed. */
static void test_ended_while_open(void **state)
{
	struct page_taken taken;
	uint32_t size;

	(void)state;
	size = part(1, 1, 0, &taken);
	assert_int_equal(page_parts_taken(parts, PID, 1, 1), size);
	part(1, 2, HG_PAGE_OPEN, &taken);
	assert_true(taken.open && !taken.full);
	part(2, 1, 0, &taken);
	part(2, 2, HG_PAGE_FULL, &taken);
	assert_int_equal(page_parts_taken(parts, PID, 1, 1), UINT32_MAX);
	assert_int_equal(page_parts_taken(parts, PID, 1, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_left_once, begin, end),
		cmocka_unit_test_setup_teardown(test_ended_while_open, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
