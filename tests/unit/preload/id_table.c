/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of contents: whose they are, for how long, and how much memory a few of them take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"

struct hg_libc hg_libc;

#define MANY  300000u
#define FEW   500u
#define SLOTS 0x112400u /* of all levels, 16 bytes each */

static struct hg_id_table set;
static uint32_t ids[MANY];

static uint64_t content(uint32_t i)
{
	return hg_mix(0x1234567, i);
}

static int setup(void **state)
{
	(void)state;
	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	return hg_id_table_init(&set);
}

/* Pages of the table that are there. */
static size_t resident(void)
{
	static const size_t sizes[] = { 1u << 14, 1u << 17, 1u << 20, 1u << 24 }; /* bytes */
	static unsigned char pages[(1u << 24) / 4096];
	size_t count = 0;

	for (size_t level = 0; level < HG_COUNT(sizes); level++) {
		if (!set.levels[level])
			continue;
		assert_int_equal(mincore(set.levels[level], sizes[level], pages), 0);
		for (size_t i = 0; i < sizes[level] / 4096; i++)
			count += pages[i] & 1;
	}
	return count;
}

static void test_few_take_little(void **state)
{
	bool fresh;

	(void)state;
	for (uint32_t i = 0; i < FEW; i++)
		hg_id_table_id(&set, content(i), &fresh);
	assert_in_range(resident(), 1, 4 + FEW / 10);
	/* Nor addresses: a process may be limited to few. */
	assert_null(set.levels[2]);
	assert_null(set.levels[3]);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

	return (first > second) - (first < second);
}

static void test_each_its_own(void **state)
{
	bool fresh;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		ids[i] = hg_id_table_id(&set, content(i), &fresh);
		assert_true(fresh);
		assert_in_range(ids[i], 1, SLOTS);
		hg_id_table_defined(&set, ids[i]);
		assert_true(hg_id_table_is_defined(&set, ids[i]));
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(hg_id_table_id(&set, content(i), &fresh), ids[i]);
		assert_false(fresh);
	}
	qsort(ids, MANY, sizeof(*ids), compare_ids);
	for (uint32_t i = 1; i < MANY; i++)
		assert_int_not_equal(ids[i], ids[i - 1]);
}

static void test_forgotten(void **state)
{
	bool fresh;
	uint32_t id = hg_id_table_id(&set, content(7), &fresh);

	(void)state;
	hg_id_table_forget(&set);
	assert_false(hg_id_table_is_defined(&set, id));
	assert_int_equal(hg_id_table_id(&set, content(7), &fresh), id);
	assert_true(fresh);
	hg_id_table_reset(&set);
	assert_int_equal(resident(), 0);
}

/* What finds no room has an id all the same, another each time. */
static void test_overflow(void **state)
{
	uint32_t first = 0, second = 0;
	bool fresh;

	(void)state;
	/* All in one place: a line in each of three levels, and 64 in the last. */
	for (uint64_t i = 1; i <= 3 * 4 + 64; i++)
		assert_in_range(hg_id_table_id(&set, i, &fresh), 1, SLOTS);
	first = hg_id_table_id(&set, 1000, &fresh);
	assert_true(fresh);
	second = hg_id_table_id(&set, 1000, &fresh);
	assert_true(fresh);
	assert_true(first > SLOTS && second > SLOTS && first != second);
	assert_null(hg_id_table_kept(&set, first));
	assert_non_null(hg_id_table_kept(&set, SLOTS));
}

#define DEPTH 16u

static int compare_sums(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

/* Those of a function that calls itself from two places, by all ways of so many calls. */
static void check_sequences(uint64_t first, uint64_t second)
{
	static uint64_t sums[1u << DEPTH];

	for (uint32_t way = 0; way < HG_COUNT(sums); way++) {
		sums[way] = 0;
		for (uint32_t i = 0; i < DEPTH; i++)
			sums[way] += hg_term(i, way >> i & 1 ? second : first);
	}
	qsort(sums, HG_COUNT(sums), sizeof(*sums), compare_sums);
	for (uint32_t i = 1; i < HG_COUNT(sums); i++)
		assert_int_not_equal(sums[i], sums[i - 1]);
}

static void test_sequences(void **state)
{
	(void)state;
	for (uint64_t apart = 5; apart < 64; apart++) {
		check_sequences(0x4011f3, 0x4011f3 + apart);
		check_sequences(0x401a08, 0x401a08 + apart);
		check_sequences(0x7f31c0a01200, 0x7f31c0a01200 + apart);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_take_little), cmocka_unit_test(test_each_its_own),
		cmocka_unit_test(test_forgotten),       cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_sequences),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
