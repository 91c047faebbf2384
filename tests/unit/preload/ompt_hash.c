/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenMP transfers carry: the hash, and how much of the time it may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "preload/ompt/ompt.h"

#define MIB ((size_t)1 << 20)
#define MS  1000000u

static void test_hash(void **state)
{
	static uint8_t bytes[300];

	(void)state;
	assert_int_equal(hg_ompt_hash(bytes, 300), hg_ompt_hash(bytes, 300));
	assert_int_not_equal(hg_ompt_hash(bytes, 299), hg_ompt_hash(bytes, 300));
	assert_int_not_equal(hg_ompt_hash(bytes, 0), 0);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		uint64_t before = hg_ompt_hash(bytes, sizeof(bytes));

		bytes[i] ^= 1;
		assert_int_not_equal(hg_ompt_hash(bytes, sizeof(bytes)), before);
	}
}

static void test_first_bytes_are_free(void **state)
{
	struct hg_ompt_reading reading = { 0 };

	(void)state;
	for (int i = 0; i < 64; i++) {
		assert_true(hg_ompt_may_read(&reading, MIB, 0));
		hg_ompt_has_read(&reading, MIB, MS);
	}
	assert_false(hg_ompt_may_read(&reading, MIB, 100 * MS));
}

static void test_bursts(void **state)
{
	struct hg_ompt_reading reading = { .bytes = 64 * MIB, .ns = 10 * MS };

	(void)state;
	assert_true(hg_ompt_may_read(&reading, 100 * MIB, 400 * MS));
	hg_ompt_has_read(&reading, 100 * MIB, 10 * MS);
	/* 20 ms of 500: over the share, and resting until they are less than a 64th. */
	assert_false(hg_ompt_may_read(&reading, 100 * MIB, 500 * MS));
	assert_false(hg_ompt_may_read(&reading, 100 * MIB, 1000 * MS));
	assert_true(hg_ompt_may_read(&reading, 100 * MIB, 1300 * MS));
	hg_ompt_has_read(&reading, 100 * MIB, 10 * MS);
	assert_true(hg_ompt_may_read(&reading, 100 * MIB, 1300 * MS));
	hg_ompt_has_read(&reading, 100 * MIB, 20 * MS);
	assert_false(hg_ompt_may_read(&reading, 100 * MIB, 1300 * MS));
}

/* Never more than the share, and one transfer, whatever the program does. */
static void test_share(void **state)
{
	struct hg_ompt_reading reading = { .bytes = 64 * MIB };
	uint64_t age = 1000 * MS;

	(void)state;
	for (int i = 0; i < 1000; i++, age += 30 * MS) {
		if (hg_ompt_may_read(&reading, 100 * MIB, age)) {
			hg_ompt_has_read(&reading, 100 * MIB, 10 * MS);
			age += 10 * MS;
		}
	}
	assert_in_range(reading.ns, age / 100, age / 32 + 10 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_first_bytes_are_free),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
