/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what a record leaves out, and ids of arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "analyzer/reader/launches.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_launch.h"

#define BYTES 4096u

/* A page as the preload library makes one. */
struct batch {
	unsigned char bytes[BYTES];
	uint32_t count;
};

static void add(struct batch *batch, uint64_t number, uint32_t bytes)
{
	assert_true(batch->count + bytes <= BYTES);
	memcpy(&batch->bytes[batch->count], &number, bytes);
	batch->count += bytes;
}

/* What is ahead of both kinds. */
static void add_first(struct batch *batch, enum hg_record_first kind, uint32_t slot, uint32_t since)
{
	add(batch, kind, 1);
	add(batch, slot, 1);
	add(batch, since, 4);
}

/* A launch of kernel `kernel` with the words of `args`, `length` bytes of them. */
static void add_launch(struct batch *batch, uint32_t slot, uint32_t kernel, const uint64_t *args,
		       uint32_t length)
{
	add_first(batch, HG_RECORD_LAUNCH, slot, 5);
	add(batch, 300, 2);
	add(batch, length, 2);
	add(batch, kernel, 4);
	add(batch, UINT64_C(9) << 32 | (uint32_t)-1, 8); /* stack, device */
	add(batch, UINT64_C(2) << 32 | 1, 8);            /* grid_y, grid_x */
	add(batch, UINT64_C(4) << 32 | 3, 8);            /* block_x, grid_z */
	add(batch, UINT64_C(6) << 32 | 5, 8);            /* block_z, block_y */
	add(batch, 7, 8);
	add(batch, UINT64_C(0x123456789abc), 8);
	for (uint32_t i = 0; i < (length + 7) / 8; i++)
		add(batch, args[i], 8);
}

/* The same slot again: words `bits`, which then are `value`, `value` + 1 and so on. */
static void add_changed(struct batch *batch, uint32_t slot, const int *bits, uint64_t value)
{
	uint32_t count = 0;
	uint64_t low = 0, high = 0;

	for (const int *bit = bits; *bit >= 0; bit++, count++)
		*bit < 64 ? (low |= UINT64_C(1) << *bit) : (high |= UINT64_C(1) << (*bit - 64));
	add_first(batch, HG_RECORD_LAUNCH_CHANGED, slot, 20);
	add(batch, low, 8);
	add(batch, high, 1);
	for (uint32_t i = 0; i < count; i++)
		add(batch, value + i, 8);
}
#define CHANGED(batch, slot, value, ...) \
	add_changed(batch, slot, (const int[]){ __VA_ARGS__, -1 }, value)

/* The launches of a page: "kernel@time grid_x/stream: words of the arguments;", "-" for an orphan.
 */
static char *read_bytes(const unsigned char *bytes, uint32_t count)
{
	GString *text = g_string_new(NULL);
	unsigned char *copy = g_memdup2(bytes, count ? count : 1);
	struct hg_records records = { .at = copy, .end = copy + count };
	struct launch_slots *slots = launch_slots_new();
	struct hg_record record;

	while (hg_record_next(&records, &record)) {
		const struct launch *whole;
		struct hg_ev_launch launch;

		if (record.kind != HG_KIND_LAUNCH && record.kind != HG_KIND_LAUNCH_CHANGED) {
			g_string_append(text, "other ");
			continue;
		}
		whole = launch_slots_take(slots, &record);
		if (!whole) {
			g_string_append(text, "- ");
			continue;
		}
		launch_read(whole, &launch);
		g_string_append_printf(text, "%u@%u %u/%" PRIx64 ":", launch.kernel_id,
				       record.since, launch.grid_x, launch.stream);
		for (uint32_t i = 0; i < whole->length; i += 8) {
			uint64_t word = 0;

			memcpy(&word, launch_bytes(whole) + i, MIN(8, whole->length - i));
			g_string_append_printf(text, " %" PRIu64, word);
		}
		g_string_append(text, "; ");
	}
	launch_slots_free(slots);
	g_free(copy);
	return g_string_free(text, FALSE);
}

static void expect(const struct batch *batch, const char *text)
{
	char *found = read_bytes(batch->bytes, batch->count);

	assert_string_equal(found, text);
	g_free(found);
}

static const uint64_t args[] = { 10, 20, 30 };

static void test_fields(void **state)
{
	struct batch batch = { .count = 0 };
	struct launch_slots *slots = launch_slots_new();
	struct hg_records records;
	const struct launch *whole;
	struct hg_ev_launch launch;
	struct hg_record record;

	(void)state;
	add_launch(&batch, 255, 77, args, 20);
	records = (struct hg_records){ .at = batch.bytes, .end = batch.bytes + batch.count };
	assert_true(hg_record_next(&records, &record));
	whole = launch_slots_take(slots, &record);
	launch_read(whole, &launch);
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
	assert_int_equal(whole->length, 20);
	assert_memory_equal(launch_bytes(whole), args, 20);
	launch_slots_free(slots);
}

/* Each differs from the one before of its slot, whatever other slots and records come between. */
static void test_changes(void **state)
{
	struct batch batch = { .count = 0 };

	(void)state;
	add_launch(&batch, 0, 1, args, 24);
	add_launch(&batch, 1, 2, args, 8);
	CHANGED(&batch, 0, 100, HG_LAUNCH_STATE + 1);
	add(&batch, HG_RECORD_SMALL_FREE | 30, 5);
	CHANGED(&batch, 1, 50, HG_LAUNCH_GRID, HG_LAUNCH_STREAM);
	CHANGED(&batch, 0, 7, HG_LAUNCH_STATE + 2);
	CHANGED(&batch, 0, 0, -1);
	add_launch(&batch, 0, 3, args, 0);
	CHANGED(&batch, 0, 0, -1);
	expect(&batch, "1@5 1/123456789abc: 10 20 30; 2@5 1/123456789abc: 10; "
		       "1@20 1/123456789abc: 10 100 30; other 2@20 50/33: 10; "
		       "1@20 1/123456789abc: 10 100 7; 1@20 1/123456789abc: 10 100 7; "
		       "3@5 1/123456789abc:; 3@20 1/123456789abc:; ");
}

/* Bits of all bytes of a record; the last argument that there can be. */
static void test_many_arguments(void **state)
{
	struct batch batch = { .count = 0 };
	uint64_t many[HG_LAUNCH_ARGS] = { 0 };
	char *found;

	(void)state;
	add_launch(&batch, 3, 1, many, sizeof(many));
	CHANGED(&batch, 3, 1, HG_LAUNCH_STATE, 63, 64, 71);
	found = read_bytes(batch.bytes, batch.count);
	assert_true(g_str_has_suffix(found, " 0 0 4; "));
	assert_non_null(strstr(found, " 0 2 3 0"));
	g_free(found);
}

/* A killed process leaves a page up to any byte: what is there says the same. */
static void test_prefixes(void **state)
{
	struct batch batch = { .count = 0 };
	char *whole;

	(void)state;
	add_launch(&batch, 9, 1, args, 24);
	for (int i = 0; i < 7; i++)
		CHANGED(&batch, 9, (uint64_t)i, HG_LAUNCH_STATE + i % 2, HG_LAUNCH_STATE + 2);
	whole = read_bytes(batch.bytes, batch.count);
	for (uint32_t bytes = 0; bytes <= batch.count; bytes++) {
		char *part = read_bytes(batch.bytes, bytes);

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
	expect(&batch, "- 1@5 1/123456789abc: 10; - - 1@5 1/123456789abc: 10; ");
	batch.count = 0;
	add_launch(&batch, 4, 1, args, 24);
	batch.bytes[8] = 0xff; /* the length of the arguments: more than there are */
	expect(&batch, "");
	batch.bytes[9] = 0x10; /* more than there can be */
	expect(&batch, "");
	batch.count = 0;
	CHANGED(&batch, 0, 1, HG_LAUNCH_STATE);
	batch.count -= 8; /* without its word */
	expect(&batch, "");
}

static void test_random(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	struct batch batch = { .count = BYTES };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		batch.count = 0;
		while (batch.count < BYTES - 900) {
			uint32_t length = g_rand_int(random) % 600;

			add_first(&batch,
				  g_rand_boolean(random) ? HG_RECORD_LAUNCH
							 : HG_RECORD_LAUNCH_CHANGED,
				  g_rand_int(random) % 2, 7);
			for (uint32_t i = 0; i < 8; i++) /* few bits, or a length */
				add(&batch, i == 3 ? length >> 8 : length & g_rand_int(random), 1);
			for (uint32_t i = g_rand_int(random) % 600; i; i--)
				add(&batch, g_rand_int(random), 1);
		}
		g_free(read_bytes(batch.bytes, batch.count));
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
