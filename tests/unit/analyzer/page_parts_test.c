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
#include "tracer/batch_events.h"

#define PID 7

static uint64_t left_allocations;
static unsigned left_pages;

/* Counts each record as an allocation, as it lets them go. */
static void add(int32_t pid, const struct order_batch *batch, uint64_t begin, void *data)
{
	uint64_t *tally = page_parts_tally(data);

	(void)begin;
	assert_int_equal(pid, PID);
	for (uint32_t at = 0; at < batch->words; at += hg_record_words(batch->records[at]))
		tally[HG_GROUP_ALLOC]++;
	g_free((void *)(uintptr_t)batch->records);
}

static void add_left(int32_t pid, const uint64_t tally[HG_GROUPS], void *data)
{
	(void)data;
	assert_int_equal(pid, PID);
	left_allocations += tally[HG_GROUP_ALLOC];
	left_pages++;
}

static void part(struct page_parts *parts, uint32_t page, uint32_t number, uint8_t last)
{
	const uint64_t words[] = { (uint64_t)HG_RECORD_FREE << 56 | 0x1000, 1 };
	const struct hg_ev_page event = { .pid = PID,
					  .file = 1,
					  .number = page,
					  .part = number,
					  .last = last,
					  .words = last ? 0 : 2,
					  .records = words };

	page_parts_take(parts, &event, add, parts);
}

static void test_left_once(void **state)
{
	struct page_parts *parts = page_parts_new();

	(void)state;
	part(parts, 1, 1, 0);
	part(parts, 1, 2, HG_PAGE_FULL);
	assert_non_null(page_parts_full(parts));
	assert_int_equal(page_parts_full(parts)[HG_GROUP_ALLOC], 1);
	part(parts, 2, 1, 0);
	part(parts, 2, 2, 0);
	part(parts, 3, 1, 0);
	page_parts_in_file(parts, PID, 1, 3);
	for (unsigned times = 0; times < 2; times++)
		page_parts_left(parts, add_left, NULL);
	assert_int_equal(left_pages, 1);
	assert_int_equal(left_allocations, 2);
	page_parts_free(parts);
}

/* A process's file may have such a page still, where the recorder was killed. */
static void test_ended_while_open(void **state)
{
	struct page_parts *parts = page_parts_new();

	(void)state;
	part(parts, 1, 1, 0);
	assert_int_equal(page_parts_taken(parts, PID, 1, 1), 2);
	part(parts, 1, 2, HG_PAGE_OPEN);
	part(parts, 2, 1, 0);
	part(parts, 2, 2, HG_PAGE_FULL);
	assert_int_equal(page_parts_taken(parts, PID, 1, 1), UINT32_MAX);
	assert_int_equal(page_parts_taken(parts, PID, 1, 3), 0);
	page_parts_free(parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_left_once),
					    cmocka_unit_test(test_ended_while_open) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
