/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in batches: what a record leaves out, and ids of arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "analyzer/reader/launches.h"

#define WORDS 512u

/* A batch as the preload library makes one. */
struct batch {
	uint64_t words[WORDS];
	uint32_t count;
};

static void add(struct batch *batch, uint64_t word)
{
	assert_true(batch->count < WORDS);
	batch->words[batch->count++] = word;
}

static uint64_t first(enum hg_record kind, uint32_t words, uint32_t slot, uint64_t rest)
{
	return (uint64_t)kind << 56 | (uint64_t)words << 48 | (uint64_t)slot << 40 | rest;
}

/* A launch of kernel `kernel` with the words of `args`, `length` bytes of them. */
static void add_launch(struct batch *batch, uint32_t slot, uint32_t kernel, const uint64_t *args,
		       uint32_t length)
{
	uint32_t words = (length + 7) / 8;

	add(batch, first(HG_RECORD_LAUNCH, HG_LAUNCH_HEAD + HG_LAUNCH_STATE + words, slot,
			 (uint64_t)length << 16 | 300));
	add(batch, (uint64_t)kernel << 32 | 5);
	add(batch, UINT64_C(9) << 32 | (uint32_t)-1); /* stack, device */
	add(batch, UINT64_C(2) << 32 | 1);            /* grid_y, grid_x */
	add(batch, UINT64_C(4) << 32 | 3);            /* block_x, grid_z */
	add(batch, UINT64_C(6) << 32 | 5);            /* block_z, block_y */
	add(batch, 7);
	add(batch, UINT64_C(0x123456789abc));
	for (uint32_t i = 0; i < words; i++)
		add(batch, args[i]);
}

/* The same slot again: words `bits`, which then are `value`, `value` + 1 and so on. */
static void add_changed(struct batch *batch, uint32_t slot, const int *bits, uint64_t value)
{
	uint32_t at = batch->count, count = 0;
	uint64_t low = 0, high = 0;

	for (const int *bit = bits; *bit >= 0; bit++, count++)
		*bit < (int)HG_LAUNCH_LOW_BITS ? (low |= UINT64_C(1) << *bit)
					       : (high |= UINT64_C(1) << (*bit - 40));
	add(batch, first(HG_RECORD_LAUNCH_CHANGED, HG_LAUNCH_HEAD + count, slot, low));
	add(batch, high << 32 | at);
	for (uint32_t i = 0; i < count; i++)
		add(batch, value + i);
}
#define CHANGED(batch, slot, value, ...) \
	add_changed(batch, slot, (const int[]){ __VA_ARGS__, -1 }, value)

/* The launches of a batch: "kernel@time grid_x/stream: words of the arguments;", "-" for an orphan.
 */
static char *read_words(const uint64_t *words, uint32_t count)
{
	GString *text = g_string_new(NULL);
	uint64_t *all = launches_expand(words, &count);
	uint32_t step;

	for (uint32_t at = 0; at < count && (step = hg_record_words(all[at])); at += step) {
		struct hg_ev_launch launch;
		const uint8_t *bytes;
		uint32_t length;

		assert_true(step <= count - at);
		assert_int_not_equal(all[at] >> 56, HG_RECORD_LAUNCH_CHANGED);
		if (all[at] >> 56 == HG_RECORD_RELAUNCH) {
			g_string_append(text, "- ");
			continue;
		}
		if (all[at] >> 56 != HG_RECORD_LAUNCH) {
			g_string_append(text, "other ");
			continue;
		}
		launches_read(&all[at], &launch, &bytes, &length);
		g_string_append_printf(text, "%u@%u %u/%" PRIx64 ":", launch.kernel_id,
				       (uint32_t)all[at + 1], launch.grid_x, launch.stream);
		for (uint32_t i = 0; i < length; i += 8) {
			uint64_t word = 0;

			memcpy(&word, bytes + i, MIN(8, length - i));
			g_string_append_printf(text, " %" PRIu64, word);
		}
		g_string_append(text, "; ");
	}
	g_free(all);
	return g_string_free(text, FALSE);
}

static void expect(const struct batch *batch, const char *text)
{
	char *found = read_words(batch->words, batch->count);

	assert_string_equal(found, text);
	g_free(found);
}

static const uint64_t args[] = { 10, 20, 30 };

static void test_fields(void **state)
{
	struct batch batch = { .count = 0 };
	struct hg_ev_launch launch;
	const uint8_t *bytes;
	uint32_t length;

	(void)state;
	add_launch(&batch, 255, 77, args, 20);
	launches_read(batch.words, &launch, &bytes, &length);
	assert_int_equal(launch.api, 300);
	assert_int_equal(launch.kernel_id, 77);
	assert_int_equal(launch.stack_id, 9);
	assert_int_equal(launch.device, -1);
	assert_int_equal(launch.grid_x, 1);
	assert_int_equal(launch.grid_y, 2);
	assert_int_equal(launch.grid_z, 3);
	assert_int_equal(launch.block_x, 4);
	assert_int_equal(launch.block_y, 5);
	assert_int_equal(launch.block_z, 6);
	assert_int_equal(launch.shared, 7);
	assert_int_equal(launch.stream, 0x123456789abc);
	assert_int_equal(length, 20);
	assert_int_equal(launch.launch_id, 0);
	assert_memory_equal(bytes, args, 20);
}

/* Each differs from the one before of its slot, whatever other slots and records come between. */
static void test_changes(void **state)
{
	struct batch batch = { .count = 0 };

	(void)state;
	add_launch(&batch, 0, 1, args, 24);
	add_launch(&batch, 1, 2, args, 8);
	CHANGED(&batch, 0, 100, HG_LAUNCH_STATE + 1);
	add(&batch, (uint64_t)HG_RECORD_FREE << 56);
	add(&batch, 1);
	CHANGED(&batch, 1, 50, HG_LAUNCH_GRID, HG_LAUNCH_STREAM);
	CHANGED(&batch, 0, 7, HG_LAUNCH_STATE + 2);
	CHANGED(&batch, 0, 0, -1);
	add_launch(&batch, 0, 3, args, 0);
	CHANGED(&batch, 0, 0, -1);
	expect(&batch, "1@5 1/123456789abc: 10 20 30; 2@5 1/123456789abc: 10; "
		       "1@20 1/123456789abc: 10 100 30; other 2@25 50/33: 10; "
		       "1@29 1/123456789abc: 10 100 7; 1@32 1/123456789abc: 10 100 7; "
		       "3@5 1/123456789abc:; 3@42 1/123456789abc:; ");
}

/* Bits of both words of a record; the last argument that there can be. */
static void test_many_arguments(void **state)
{
	struct batch batch = { .count = 0 };
	uint64_t many[HG_LAUNCH_ARGS] = { 0 };
	char *found;

	(void)state;
	add_launch(&batch, 3, 1, many, sizeof(many));
	CHANGED(&batch, 3, 1, HG_LAUNCH_STATE, 39, 40, 71);
	found = read_words(batch.words, batch.count);
	assert_true(g_str_has_suffix(found, " 0 0 4; "));
	assert_non_null(strstr(found, " 0 2 3 0"));
	g_free(found);
}

/* A killed process leaves a batch up to any record: what is there says the same. */
static void test_prefixes(void **state)
{
	struct batch batch = { .count = 0 };
	char *whole;

	(void)state;
	add_launch(&batch, 9, 1, args, 24);
	for (int i = 0; i < 7; i++)
		CHANGED(&batch, 9, (uint64_t)i, HG_LAUNCH_STATE + i % 2, HG_LAUNCH_STATE + 2);
	whole = read_words(batch.words, batch.count);
	for (uint32_t words = 0; words <= batch.count; words++) {
		char *part = read_words(batch.words, words);

		assert_true(g_str_has_prefix(whole, part));
		g_free(part);
	}
	g_free(whole);
}

/* What nobody should write: nothing is read past the record, and it counts as an orphan. */
static void test_hostile(void **state)
{
	struct batch batch = { .count = 0 };

	(void)state;
	CHANGED(&batch, 0, 1, HG_LAUNCH_STATE); /* of nothing */
	add_launch(&batch, 0, 1, args, 8);
	CHANGED(&batch, 0, 1, HG_LAUNCH_STATE + 1); /* an argument that it does not have */
	CHANGED(&batch, 0, 1, HG_LAUNCH_STATE);     /* of that */
	add_launch(&batch, 0, 1, args, 8);
	add(&batch, first(HG_RECORD_LAUNCH_CHANGED, HG_LAUNCH_HEAD, 0, 1)); /* without its word */
	add(&batch, 0);
	add_launch(&batch, 0, 1, args, 8);
	add(&batch, first(HG_RECORD_LAUNCH_CHANGED, HG_LAUNCH_HEAD + 1, 0, 0)); /* one too many */
	add(&batch, 0);
	add(&batch, 0);
	add_launch(&batch, 4, 1, args, 24);
	batch.words[batch.count - HG_LAUNCH_HEAD - HG_LAUNCH_STATE - 3] ^= 64 << 16; /* too long */
	expect(&batch, "- 1@5 1/123456789abc: 10; - - 1@5 1/123456789abc: 10; - "
		       "1@5 1/123456789abc: 10; - - ");
	batch.count = 0;
	add(&batch, first(HG_RECORD_LAUNCH, HG_LAUNCH_HEAD, 0, 0)); /* too short to be one */
	add(&batch, 0);
	expect(&batch, "");
	batch.count = 0;
	add(&batch, first(HG_RECORD_LAUNCH_CHANGED, 0, 0, 0));
	expect(&batch, "");
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	struct batch batch = { .count = WORDS };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (uint32_t i = 0; i < WORDS; i++) {
			batch.words[i] = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
			if (g_rand_int_range(random, 0, 2))
				batch.words[i] =
				    first(g_rand_boolean(random) ? HG_RECORD_LAUNCH
								 : HG_RECORD_LAUNCH_CHANGED,
					  (uint32_t)g_rand_int_range(random, 0, 12),
					  (uint32_t)g_rand_int_range(random, 0, 2),
					  g_rand_int(random) & 0x1f00ff);
		}
		g_free(read_words(batch.words, batch.count));
	}
	g_rand_free(random);
}

/* ---- ids ---- */

static struct launch_arguments *arguments;

/* Its id; negative if it is new. */
static int64_t id_of(int32_t pid, unsigned image, uint32_t kernel, const char *text)
{
	struct hg_ev_launch launch = { .kernel_id = kernel };
	bool fresh = launch_arguments_id(arguments, pid, image, &launch, (const uint8_t *)text,
					 (uint32_t)strlen(text));

	return fresh ? -(int64_t)launch.args_id : (int64_t)launch.args_id;
}

static void test_ids(void **state)
{
	struct hg_ev_args known = {
		.args_id = 17, .kernel_id = 2, .bytes = (const uint8_t *)"abcdefgh", .length = 8
	};
	int64_t one;

	(void)state;
	arguments = launch_arguments_new();
	one = -id_of(1, 1, 1, "abcdefgh");
	assert_true(one >= INT64_C(0x80000000));
	assert_int_equal(id_of(1, 1, 1, "abcdefgh"), one);
	assert_true(id_of(1, 1, 1, "abcdefghi") < 0);
	assert_true(id_of(1, 1, 2, "abcdefgh") < 0);
	assert_true(id_of(2, 1, 1, "abcdefgh") < 0);
	assert_true(id_of(1, 2, 1, "abcdefgh") < 0); /* another program of that process */
	launch_arguments_known(arguments, 1, 2, &known);
	assert_int_equal(id_of(1, 2, 2, "abcdefgh"), 17);
	/* Veiled bytes are not those of a launch. */
	known.kept_length = 1;
	known.kernel_id = 3;
	launch_arguments_known(arguments, 1, 2, &known);
	assert_true(id_of(1, 2, 3, "abcdefgh") < 0);
	launch_arguments_free(arguments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
