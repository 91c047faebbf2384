/* SPDX-License-Identifier: Apache-2.0 */
/* Packed records: what is written is read again, also of a page that was left at any point. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/reader/whole_records.h"
#include "tracer/packed_record.h"

#define RECORDS 24u
#define WORDS   (RECORDS * 8u + 16u)

/* A run as the recorder makes it, and the records that it stands for. */
static uint64_t run[WORDS], wanted[WORDS];
static uint32_t wanted_words;
static struct hg_packed before;
static char *next;

static void begin(void)
{
	memset(run, 0xa5, sizeof(run));
	memset(&before, 0, sizeof(before));
	wanted_words = 0;
	next = (char *)(run + 1);
	*next = HG_PACKED_END;
}

static uint32_t run_words(void)
{
	return (uint32_t)((next - (char *)run + 7) / 8);
}

static void want(const uint64_t *words, uint32_t count)
{
	memcpy(&wanted[wanted_words], words, count * sizeof(*words));
	wanted_words += count;
}

static size_t add_block(uint8_t api, bool freed, uint64_t address, uint32_t size, uint32_t stack_id,
			uint32_t since)
{
	uint64_t kind = freed ? HG_RECORD_FREE : stack_id ? HG_RECORD_ALLOC_STACK : HG_RECORD_ALLOC;
	uint64_t words[] = { kind << 56 | (uint64_t)api << 48 | address,
			     (uint64_t)(freed ? stack_id : size) << 32 | since, stack_id };
	char *from = next;

	assert_true(hg_packed_fits(api, address));
	next = hg_packed_put_block(from, &before, api, freed, address / 16,
				   hg_packed_fold(address / 16 - before.address), freed ? 0 : size,
				   stack_id, since);
	assert_in_range(next - from, 5, HG_PACKED_BLOCK_MOST - 1);
	assert_int_equal(*next, HG_PACKED_END);
	want(words, hg_record_words(words[0]));
	return (size_t)(next - from);
}

static size_t add_copy(struct hg_packed_copy copy, uint32_t since)
{
	uint64_t words[] = { (uint64_t)HG_RECORD_COPY << 56 | copy.what,
			     (uint64_t)copy.duration << 32 | since,
			     copy.dst,
			     copy.src,
			     copy.size,
			     copy.stream,
			     copy.stack_id };
	char *from = next;

	next = hg_packed_put_copy(from, &before, &copy, since);
	assert_in_range(next - from, 5, HG_PACKED_COPY_MOST - 1);
	assert_int_equal(*next, HG_PACKED_END);
	want(words, HG_RECORD_COPY_WORDS);
	return (size_t)(next - from);
}

/* The run is read as what was added. */
static void check(void)
{
	uint32_t words = run_words();
	uint64_t *whole;
	bool damaged = false;

	run[0] = hg_packed_head(words);
	whole = whole_records(run, &words, &damaged);
	assert_false(damaged);
	assert_int_equal(words, wanted_words);
	assert_memory_equal(whole, wanted, wanted_words * sizeof(*wanted));
	g_free(whole);
}

static void test_sizes(void **state)
{
	struct hg_packed_copy copy = { .dst = 0x7f0000001000,
				       .src = 0x7f1000000000,
				       .size = 4096,
				       .stream = 0x55550000,
				       .what = 3u << 16 | 100,
				       .duration = 800,
				       .stack_id = 7 };

	(void)state;
	begin();
	/* The first has the whole address. */
	assert_int_equal(add_block(1, false, 0x555500001230, 4096, 7, 100), 1 + 2 + 1 + 6 + 2 + 1);
	assert_int_equal(add_block(30, true, 0x555500001230, 0, 0, 150), 5);
	assert_int_equal(add_block(1, false, 0x555500002230, 65535, 65535, 200), 9);
	assert_int_equal(add_block(1, false, 0x555500002230, 65536, 1, 201), 1 + 2 + 1 + 0 + 3 + 1);
	assert_int_equal(add_block(30, true, 0x555500002230, 0, 7, 202), 1 + 2 + 1 + 0 + 1);
	assert_int_equal(add_copy(copy, 300), 1 + 4 + 1 + 2 + 6 + 6 + 2 + 4 + 1 + 3);
	copy.duration = 900;
	assert_int_equal(add_copy(copy, 400), 5);
	copy.duration = 70000;
	assert_int_equal(add_copy(copy, 500), 1 + 4 + 1 + 3);
	copy.dst += 4096;
	copy.src -= 4096;
	assert_int_equal(add_copy(copy, 600), 1 + 4 + 1 + 3 + 2 + 2);
	check();
}

/* Around the ends of what fits into so many bytes. */
static void test_edges(void **state)
{
	static const uint64_t addresses[] = { 0,
					      16,
					      0x7fff0,
					      0x80000,
					      0xffff0,
					      0x100000,
					      (UINT64_C(1) << 48) - 16,
					      UINT64_C(1) << 47,
					      16 };
	static const uint32_t numbers[] = {
		0,     1,        127,       128,       255,        256,           65535,
		65536, 0xffffff, 0x1000000, INT32_MAX, UINT32_MAX, UINT32_MAX - 1
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(addresses); i++) {
		for (size_t j = 0; j < G_N_ELEMENTS(numbers); j++) {
			uint32_t other = numbers[(j + i) % G_N_ELEMENTS(numbers)];

			begin();
			add_block(HG_PACKED_APIS - 1, false, addresses[i], numbers[j], other,
				  numbers[j]);
			add_block(1, true, addresses[(i + 1) % G_N_ELEMENTS(addresses)], 0, other,
				  numbers[j]);
			/* A time before that of the record before it. */
			add_block(2, true, addresses[i], 0, 0, other);
			add_copy((struct hg_packed_copy){ .dst = addresses[i] << 16 | j,
							  .src = UINT64_MAX - addresses[i],
							  .size = (uint64_t)other << j,
							  .stream = UINT64_MAX,
							  .what = (UINT64_C(1) << 40) - 1,
							  .duration = other,
							  .stack_id = numbers[j] },
				 numbers[j]);
			add_copy((struct hg_packed_copy){ .duration = numbers[j] }, other);
			check();
		}
	}
	assert_false(hg_packed_fits(0, 16));
	assert_false(hg_packed_fits(HG_PACKED_APIS, 16));
	assert_false(hg_packed_fits(1, 8));
	assert_false(hg_packed_fits(1, UINT64_C(1) << 48));
}

static uint64_t any(GRand *random)
{
	uint64_t number = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);

	return number >> g_rand_int_range(random, 0, 64);
}

static void add_any(GRand *random, struct hg_packed_copy *copy)
{
	uint32_t since = before.since + (uint32_t)(any(random) >> 33);
	int what = g_rand_int_range(random, 0, 4);

	if (what < 2) {
		add_block((uint8_t)g_rand_int_range(random, 1, HG_PACKED_APIS), what,
			  any(random) >> 16 & ~UINT64_C(15), (uint32_t)any(random),
			  (uint32_t)any(random), since);
		return;
	}
	if (what == 2)
		*copy = (struct hg_packed_copy){ .dst = any(random),
						 .src = any(random),
						 .size = any(random),
						 .stream = any(random),
						 .what = any(random) >> 24,
						 .duration = (uint32_t)any(random),
						 .stack_id = (uint32_t)any(random) };
	add_copy(*copy, since);
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(20261125);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct hg_packed_copy copy = { 0 };

		begin();
		for (uint32_t j = 0; j < RECORDS; j++)
			add_any(random, &copy);
		check();
	}
	g_rand_free(random);
}

/* Other records lie between two runs, of which the second continues the first. */
static void test_between(void **state)
{
	uint64_t batch[16] = { 0 }, copied[16], *whole;
	bool damaged = false;
	uint32_t first, words;

	(void)state;
	begin();
	add_block(1, false, 0x1000, 32, 1, 10);
	first = run_words();
	memset(next, 0, (size_t)((char *)(run + first) - next));
	run[0] = hg_packed_head(first);
	memcpy(batch, run, first * sizeof(*batch));
	batch[first] = (uint64_t)HG_RECORD_FREE << 56 | 0x2000;
	batch[first + 1] = 20;
	want(&batch[first], 2);
	next = (char *)(run + 1);
	add_block(30, true, 0x1010, 0, 0, 30);
	assert_int_equal(next - (char *)(run + 1), 5);
	run[0] = hg_packed_head(run_words());
	memcpy(&batch[first + 2], run, run_words() * sizeof(*batch));
	words = first + 2 + run_words();
	memcpy(copied, batch, sizeof(copied));
	whole = whole_records(batch, &words, &damaged);
	assert_false(damaged);
	assert_memory_equal(copied, batch, sizeof(copied));
	assert_int_equal(words, wanted_words);
	assert_memory_equal(whole, wanted, words * sizeof(*whole));
	g_free(whole);
}

/* Of a process that was killed: the run's length was stored, and not yet the batch's. */
static void test_longer_than_batch(void **state)
{
	uint32_t words;
	uint64_t *whole;
	bool damaged = false;

	(void)state;
	begin();
	add_block(1, false, 0x1000, 32, 1, 10);
	words = run_words();
	run[0] = hg_packed_head(words + 8);
	whole = whole_records(run, &words, &damaged);
	assert_false(damaged);
	assert_int_equal(words, wanted_words);
	assert_memory_equal(whole, wanted, words * sizeof(*whole));
	g_free(whole);
}

/* What can be read of any bytes is whole records, and nothing outside of them is read. */
static void test_any_bytes(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint32_t words = (uint32_t)g_rand_int_range(random, 1, 24), step;
		uint64_t *input = g_new(uint64_t, words), *whole;
		bool damaged = false;

		for (uint32_t j = 0; j < words; j++)
			input[j] = any(random);
		if (i % 2) /* bytes of records with short times */
			for (uint32_t j = 8; j < 8 * words; j++)
				if (g_rand_boolean(random))
					((unsigned char *)input)[j] =
					    (unsigned char)g_rand_int_range(random, 0, 256);
		input[0] = (uint64_t)HG_RECORD_PACKED << 56 |
			   (uint64_t)g_rand_int_range(random, 0, 32) << 48;
		whole = whole_records(input, &words, &damaged);
		for (uint32_t at = 0; at < words; at += step) {
			step = hg_record_words(whole[at]);
			assert_in_range(step, 1, words - at);
			assert_int_not_equal(whole[at] >> 56, HG_RECORD_PACKED);
		}
		g_free(whole);
		g_free(input);
	}
	g_rand_free(random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_longer_than_batch),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
