/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks in batches: what is written is read again, and damaged records are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "tracer/stack_record.h"

#define WORDS_MAX 255u

/* Writes these frames; how many words. What is read must be the same. */
static uint32_t check(const uint64_t *frames, uint32_t count)
{
	uint64_t record[WORDS_MAX + 1], read[HG_STACK_FRAMES_MAX];
	uint32_t words = hg_stack_words(frames, count), found = 0;

	assert_true(words <= WORDS_MAX);
	memset(record, 0xa5, sizeof(record));
	hg_stack_write(record, words, 4711, frames, count, 815);
	assert_int_equal(record[words], UINT64_C(0xa5a5a5a5a5a5a5a5));
	assert_int_equal(record[0] >> 56, HG_RECORD_STACK);
	assert_int_equal(hg_record_words(record[0]), words);
	assert_int_equal((uint32_t)record[0], 4711);
	assert_int_equal(record[1], 815);
	assert_true(hg_stack_read(record, words, read, &found));
	assert_int_equal(found, count);
	assert_memory_equal(read, frames, count * sizeof(*frames));
	return words;
}

static void test_sizes(void **state)
{
	/* A library, the program below it, and back: 12 bytes where they are far apart. */
	const uint64_t frames[] = { 0x7f0000001000, 0x7f0000002000, 0x7effffff0000, 0x401000,
				    0x402000,       0x7f0000003000, 0x7f0000003004 };
	uint64_t most[HG_STACK_FRAMES_MAX];

	(void)state;
	assert_int_equal(check(frames, 1), 2 + 2);
	assert_int_equal(check(frames, 2), 2 + 2);
	assert_int_equal(check(frames, 3), 2 + 3);
	assert_int_equal(check(frames, 4), 2 + 4);
	assert_int_equal(check(frames, 7), 2 + 7);
	for (uint32_t i = 0; i < HG_STACK_FRAMES_MAX; i++)
		most[i] = i % 2 ? 0x401000 + i : UINT64_MAX - i;
	check(most, HG_STACK_FRAMES_MAX);
	for (uint32_t i = 0; i < HG_STACK_FRAMES_MAX; i++)
		most[i] = (uint64_t)i << 40;
	check(most, HG_STACK_FRAMES_MAX);
}

/* Differences about which 32 bits do and do not hold, also around the ends of the addresses. */
static void test_edges(void **state)
{
	static const int64_t steps[] = { INT32_MAX,
					 (int64_t)INT32_MAX + 1,
					 -(int64_t)INT32_MAX,
					 INT32_MIN,
					 (int64_t)INT32_MIN - 1,
					 0,
					 INT64_MAX,
					 INT64_MIN,
					 -1 };
	static const uint64_t from[] = { 0, 1, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(from); i++) {
		for (size_t k = 0; k < G_N_ELEMENTS(steps); k++) {
			uint64_t frames[] = { from[i], from[i] + (uint64_t)steps[k], from[i] };

			check(frames, 3);
			assert_int_equal(hg_stack_is_near(frames[0], frames[1]),
					 steps[k] > INT32_MIN && steps[k] <= INT32_MAX);
		}
	}
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	uint64_t frames[HG_STACK_FRAMES_MAX];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint32_t count = (uint32_t)g_rand_int_range(random, 1, HG_STACK_FRAMES_MAX + 1);
		unsigned shift = (unsigned)g_rand_int_range(random, 0, 64);

		for (uint32_t i = 0; i < count; i++)
			frames[i] =
			    ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> shift;
		check(frames, count);
	}
	g_rand_free(random);
}

/* Whether no two frames that follow one another are further apart than the fast form takes. */
static bool are_close(const uint64_t *frames, uint32_t count)
{
	const int64_t most = 1 << 30;

	for (uint32_t i = 1; i < count; i++) {
		int64_t step = (int64_t)(frames[i] - frames[i - 1]);

		if (step < -most || step >= most)
			return false;
	}
	return true;
}

/* The same bytes in one pass, and none behind them; or it says that it cannot. Whether it can. */
static bool check_close(const uint64_t *frames, uint32_t count)
{
	uint64_t record[WORDS_MAX + 1], close[WORDS_MAX + 1];
	uint32_t words = hg_stack_words_close(frames, count);
	bool written;

	assert_true(words <= hg_stack_words(frames, count));
	memset(close, 0xa5, sizeof(close));
	written = hg_stack_write_close(close, words, 4711, frames, count, 815);
	assert_int_equal(close[words], UINT64_C(0xa5a5a5a5a5a5a5a5));
	assert_int_equal(written, are_close(frames, count));
	if (!written)
		return false;
	assert_int_equal(words, hg_stack_words(frames, count));
	memset(record, 0xa5, sizeof(record));
	hg_stack_write(record, words, 4711, frames, count, 815);
	assert_memory_equal(close, record, sizeof(record));
	return true;
}

/* Of each length, with one step at each place about which it can or cannot do it. */
static void test_close(void **state)
{
	static const int64_t steps[] = { 0,
					 -1,
					 4096,
					 (1 << 30) - 1,
					 1 << 30,
					 (1 << 30) + 1,
					 -(1 << 30) + 1,
					 -(1 << 30),
					 -(1 << 30) - 1,
					 INT32_MAX,
					 INT32_MIN,
					 INT64_C(1) << 31,
					 INT64_C(1) << 32,
					 -(INT64_C(1) << 32),
					 (INT64_C(1) << 32) + 4,
					 INT64_C(0x7f0000000000) - 0x555555554000,
					 INT64_C(0x555555554000) - 0x7f0000000000,
					 INT64_MAX,
					 INT64_MIN };
	static const uint64_t from[] = { 0x401000,       0x7ffffffe, 0x7fffffff,
					 0x80000000,     UINT32_MAX, UINT64_C(1) << 32,
					 0x7f0000001000, 0,          UINT64_C(0xffffffff80000000),
					 UINT64_MAX };
	uint64_t frames[HG_STACK_FRAMES_MAX];
	unsigned written = 0, refused = 0;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(from); i++) {
		for (uint32_t count = 1; count <= HG_STACK_FRAMES_MAX; count++) {
			for (uint32_t at = 0; at < count; at++) {
				for (size_t k = 0; k < G_N_ELEMENTS(steps); k++) {
					frames[0] = from[i];
					for (uint32_t f = 1; f < count; f++)
						frames[f] =
						    frames[f - 1] + (f == at ? (uint64_t)steps[k]
								     : f % 3 ? 0x1234
									     : UINT64_MAX - 0x777);
					if (check_close(frames, count))
						written++;
					else
						refused++;
				}
			}
		}
	}
	assert_true(written > 100000 && refused > 100000);
}

/* What is too short, too long or names more frames than there are. */
static void test_damaged(void **state)
{
	const uint64_t frames[] = { 0x7f0000001000, 0x7f0000002000, 0x401000 };
	uint64_t record[WORDS_MAX] = { 0 }, read[HG_STACK_FRAMES_MAX];
	uint32_t words = hg_stack_words(frames, 3), count;
	uint64_t whole;

	(void)state;
	hg_stack_write(record, words, 1, frames, 3, 0);
	assert_true(hg_stack_read(record, words, read, &count));
	assert_false(hg_stack_read(record, words - 1, read, &count));
	assert_false(hg_stack_read(record, words + 1, read, &count));
	whole = record[0];
	for (uint32_t other = 0; other < 0x10000; other++) {
		record[0] = (whole & ~(UINT64_C(0xffff) << 32)) | (uint64_t)other << 32;
		/* The half word that is left is the value of a fourth that equals the third. */
		assert_int_equal(hg_stack_read(record, words, read, &count),
				 other == 3 || other == 4);
	}
	/* The shortest that has a length at all, and the word before the first value. */
	assert_int_equal(hg_record_words((uint64_t)HG_RECORD_STACK << 56 | UINT64_C(2) << 48), 0);
	assert_int_equal(hg_record_words((uint64_t)HG_RECORD_STACK << 56 | UINT64_C(3) << 48), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),   cmocka_unit_test(test_edges),
		cmocka_unit_test(test_random),  cmocka_unit_test(test_close),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
