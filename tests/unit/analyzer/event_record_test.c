/* SPDX-License-Identifier: Apache-2.0 */
/* Records: what is written is read again, also of a page that was left at any point. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "tracer/event_record_reader.h"

#define RECORDS 24u

/* A page as the recorder makes it, and the records that it stands for. */
static unsigned char page[RECORDS * 256u];
static struct hg_record wanted[RECORDS];
static uint32_t wanted_count;
static struct hg_record_before before;
static char *next;

static void begin(void)
{
	memset(page, 0xa5, sizeof(page));
	memset(&before, 0, sizeof(before));
	wanted_count = 0;
	next = (char *)page;
	*next = HG_RECORD_END;
}

static struct hg_record *want(enum hg_record_kind kind, uint32_t since)
{
	struct hg_record *record = &wanted[wanted_count++];

	assert_true(wanted_count <= RECORDS);
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->since = since;
	return record;
}

static size_t add_block(uint8_t api, bool freed, uint64_t address, uint32_t size, uint32_t stack_id,
			uint32_t since)
{
	struct hg_record *record = want(HG_KIND_BLOCK, since);
	char *from = next;

	record->block.api = api;
	record->block.freed = freed;
	record->block.address = address;
	record->block.size = freed ? 0 : size;
	record->block.stack_id = stack_id;
	assert_true(hg_record_fits(api, address));
	next = hg_record_put_block(from, &before, api, freed, address / 16,
				   hg_record_fold(address / 16 - before.address), freed ? 0 : size,
				   stack_id, since);
	assert_in_range(next - from, 5, HG_RECORD_BLOCK_MOST - 1);
	assert_int_equal(*next, HG_RECORD_END);
	return (size_t)(next - from);
}

static size_t add_copy(struct hg_record_copy copy, uint32_t since)
{
	char *from = next;

	want(HG_KIND_COPY, since)->copy = copy;
	next = hg_record_put_copy(from, &before, &copy, since);
	assert_in_range(next - from, 5, HG_RECORD_COPY_MOST - 1);
	assert_int_equal(*next, HG_RECORD_END);
	return (size_t)(next - from);
}

static bool is_same(const struct hg_record *one, const struct hg_record *other)
{
	if (one->kind != other->kind || one->since != other->since)
		return false;
	if (one->kind == HG_KIND_COPY)
		return memcmp(&one->copy, &other->copy, sizeof(one->copy)) == 0;
	return one->block.api == other->block.api && one->block.freed == other->block.freed &&
	       one->block.address == other->block.address && one->block.size == other->block.size &&
	       one->block.stack_id == other->block.stack_id;
}

/* The page is read as what was added: blocks and copies. */
static void check(void)
{
	struct hg_records records = { .at = page, .end = page + sizeof(page) };
	struct hg_record record;
	uint32_t count = 0;

	while (hg_record_next(&records, &record)) {
		assert_true(count < wanted_count);
		assert_true(is_same(&record, &wanted[count]));
		count++;
	}
	assert_false(records.damaged);
	assert_int_equal(count, wanted_count);
	assert_ptr_equal(records.at, next);
}

static void test_sizes(void **state)
{
	struct hg_record_copy copy = { .dst = 0x7f0000001000,
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
			add_block(HG_RECORD_APIS - 1, false, addresses[i], numbers[j], other,
				  numbers[j]);
			add_block(1, true, addresses[(i + 1) % G_N_ELEMENTS(addresses)], 0, other,
				  numbers[j]);
			/* A time before that of the record before it. */
			add_block(2, true, addresses[i], 0, 0, other);
			add_copy((struct hg_record_copy){ .dst = addresses[i] << 16 | j,
							  .src = UINT64_MAX - addresses[i],
							  .size = (uint64_t)other << j,
							  .stream = UINT64_MAX,
							  .what = (UINT64_C(1) << 40) - 1,
							  .duration = other,
							  .stack_id = numbers[j] },
				 numbers[j]);
			add_copy((struct hg_record_copy){ .duration = numbers[j] }, other);
			check();
		}
	}
	assert_false(hg_record_fits(0, 16));
	assert_false(hg_record_fits(HG_RECORD_APIS, 16));
	assert_false(hg_record_fits(1, 8));
	assert_false(hg_record_fits(1, UINT64_C(1) << 48));
}

static uint64_t any(GRand *random)
{
	uint64_t number = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);

	return number >> g_rand_int_range(random, 0, 64);
}

static void add_any(GRand *random, struct hg_record_copy *copy)
{
	uint32_t since = before.since + (uint32_t)(any(random) >> 33);
	int what = g_rand_int_range(random, 0, 4);

	if (what < 2) {
		add_block((uint8_t)g_rand_int_range(random, 1, HG_RECORD_APIS), what,
			  any(random) >> 16 & ~UINT64_C(15), (uint32_t)any(random),
			  (uint32_t)any(random), since);
		return;
	}
	if (what == 2)
		*copy = (struct hg_record_copy){ .dst = any(random),
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
		struct hg_record_copy copy = { 0 };

		begin();
		for (uint32_t j = 0; j < RECORDS; j++)
			add_any(random, &copy);
		check();
	}
	g_rand_free(random);
}

/* An event, a stack and a new begin of times lie between blocks, whose differences go on. */
static void test_between(void **state)
{
	const uint64_t frames[] = { 0x401000, 0x7f0000001000 };
	struct hg_records records = { .at = page, .end = page + sizeof(page), .begin = 5 };
	struct hg_record record;
	uint64_t read[2];
	char *end;

	(void)state;
	begin();
	add_block(1, false, 0x1000, 32, 1, 10);
	end = hg_record_put_event(next, &before, 17, 3, 20);
	memcpy(end, "abc", 3);
	hg_record_finish(next, end + 3, HG_RECORD_EVENT);
	next = hg_stack_write(end + 3, &before, 9, frames, 2, 25);
	add_block(30, true, 0x1010, 0, 0, 30);
	next = hg_record_put_begin(next, &before, 1000);
	add_block(30, true, 0x1020, 0, 0, 7);

	assert_true(hg_record_next(&records, &record) && is_same(&record, &wanted[0]));
	assert_true(hg_record_next(&records, &record));
	assert_int_equal(record.kind, HG_KIND_EVENT);
	assert_int_equal(record.since, 20);
	assert_int_equal(record.event.type, 17);
	assert_int_equal(record.event.size, 3);
	assert_memory_equal(record.event.fields, "abc", 3);
	assert_true(hg_record_next(&records, &record));
	assert_int_equal(record.kind, HG_KIND_STACK);
	assert_int_equal(record.stack.id, 9);
	assert_int_equal(record.stack.count, 2);
	hg_stack_read(&record, read);
	assert_memory_equal(read, frames, sizeof(frames));
	assert_true(hg_record_next(&records, &record) && is_same(&record, &wanted[1]));
	assert_int_equal(records.begin, 5);
	assert_true(hg_record_next(&records, &record));
	assert_int_equal(record.kind, HG_KIND_BEGIN);
	assert_int_equal(records.begin, 1000);
	assert_true(hg_record_next(&records, &record) && is_same(&record, &wanted[2]));
	assert_false(hg_record_next(&records, &record));
	assert_false(records.damaged);
}

/* What is cut off inside of a record is damaged, and what is before it is read. */
static void test_cut_off(void **state)
{
	struct hg_record record;
	uint32_t last = 0;

	(void)state;
	begin();
	add_block(1, false, 0x1000, 32, 1, 10);
	add_copy((struct hg_record_copy){ .dst = 0x1000, .size = 1 }, 20);
	next = hg_stack_write(next, &before, 9, (const uint64_t[]){ 1, 2, UINT64_MAX / 2 }, 3, 30);
	add_block(1, true, 0x1000, 0, 0, 40);
	for (size_t cut = 0; cut <= (size_t)(next - (char *)page); cut++) {
		unsigned char *copy = g_memdup2(page, cut ? cut : 1);
		struct hg_records records = { .at = copy, .end = copy + cut };
		uint32_t count = 0;

		while (hg_record_next(&records, &record))
			count++;
		assert_true(count >= last);
		assert_int_equal(records.damaged, records.at != records.end);
		last = count;
		g_free(copy);
	}
	assert_int_equal(last, 4);
}

/* Of any bytes nothing outside of them is read, and each step goes on. */
static void test_any_bytes(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	uint64_t frames[HG_STACK_FRAMES_MAX];
	unsigned kinds[HG_KIND_BEGIN + 1] = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t size = (size_t)g_rand_int_range(random, 1, 700);
		unsigned char *input = g_malloc(size);
		struct hg_records records = { .at = input, .end = input + size };
		struct hg_record record;

		for (size_t j = 0; j < size; j++)
			input[j] = (unsigned char)g_rand_int_range(random, 0, 256);
		if (i % 2)
			input[0] = (unsigned char)g_rand_int_range(random, HG_RECORD_EVENT,
								   HG_RECORD_LAUNCH_CHANGED + 1);
		for (const unsigned char *at = input; hg_record_next(&records, &record);
		     at = records.at) {
			assert_true(records.at > at && records.at <= records.end);
			kinds[record.kind]++;
			if (record.kind == HG_KIND_STACK)
				hg_stack_read(&record, frames);
		}
		g_free(input);
	}
	for (unsigned kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
		assert_true(kinds[kind] > 20);
	g_rand_free(random);
}

/* ---- stacks ---- */

#define STACK_BYTES (HG_RECORD_STACK_HEAD + 12u * HG_STACK_FRAMES_MAX + 8u)

/* Writes these frames; returns how many bytes. What is read must be the same. */
static uint32_t check_stack(const uint64_t *frames, uint32_t count)
{
	unsigned char bytes[STACK_BYTES];
	uint64_t read[HG_STACK_FRAMES_MAX];
	struct hg_record record;
	uint32_t size;

	memset(bytes, 0xa5, sizeof(bytes));
	size = (uint32_t)((unsigned char *)hg_stack_write((char *)bytes, &before, 4711, frames,
							  count, 815) -
			  bytes);
	assert_in_range(size, HG_RECORD_STACK_HEAD + 4, hg_stack_most(count));
	assert_int_equal(bytes[size], HG_RECORD_END);
	assert_int_equal(bytes[size + 1], 0xa5);
	for (uint32_t end = 0; end <= size; end++) {
		struct hg_records records = { .at = bytes, .end = bytes + end };

		assert_int_equal(hg_record_next(&records, &record), end == size);
	}
	assert_int_equal(record.kind, HG_KIND_STACK);
	assert_int_equal(record.since, 815);
	assert_int_equal(record.stack.id, 4711);
	assert_int_equal(record.stack.count, count);
	hg_stack_read(&record, read);
	assert_memory_equal(read, frames, count * sizeof(*frames));
	return size - HG_RECORD_STACK_HEAD;
}

static void test_stacks(void **state)
{
	/* A library, the program below it, and back: 12 bytes where they are far apart. */
	const uint64_t frames[] = { 0x7f0000001000, 0x7f0000002000, 0x7effffff0000, 0x401000,
				    0x402000,       0x7f0000003000, 0x7f0000003004 };
	uint64_t most[HG_STACK_FRAMES_MAX];

	(void)state;
	assert_int_equal(check_stack(frames, 1), 12);
	assert_int_equal(check_stack(frames, 2), 16);
	assert_int_equal(check_stack(frames, 3), 20);
	assert_int_equal(check_stack(frames, 4), 32);
	assert_int_equal(check_stack(frames, 7), 52);
	for (uint32_t i = 0; i < HG_STACK_FRAMES_MAX; i++)
		most[i] = i % 2 ? 0x401000 + i : UINT64_MAX - i;
	check_stack(most, HG_STACK_FRAMES_MAX);
	for (uint32_t i = 0; i < HG_STACK_FRAMES_MAX; i++)
		most[i] = (uint64_t)i << 40;
	check_stack(most, HG_STACK_FRAMES_MAX);
}

/* Differences about which 32 bits do and do not hold, also around the ends of the addresses. */
static void test_far_frames(void **state)
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

			check_stack(frames, 3);
			assert_int_equal(hg_stack_is_near(frames[0], frames[1]),
					 steps[k] > INT32_MIN && steps[k] <= INT32_MAX);
		}
	}
}

static void test_random_stacks(void **state)
{
	GRand *random = g_rand_new_with_seed(4711);
	uint64_t frames[HG_STACK_FRAMES_MAX];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint32_t count = (uint32_t)g_rand_int_range(random, 1, HG_STACK_FRAMES_MAX + 1);
		unsigned shift = (unsigned)g_rand_int_range(random, 0, 64);

		for (uint32_t i = 0; i < count; i++)
			frames[i] =
			    ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> shift;
		check_stack(frames, count);
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
	char record[STACK_BYTES], close[STACK_BYTES], *end;

	memset(close, 0xa5, sizeof(close));
	*close = HG_RECORD_END;
	end = hg_stack_write_close(close, &before, 4711, frames, count, 815);
	assert_int_equal((unsigned char)close[hg_stack_least(count) + 1], 0xa5);
	assert_int_equal(end != NULL, are_close(frames, count));
	if (!end) {
		assert_int_equal(*close, HG_RECORD_END);
		return false;
	}
	assert_true(end <= close + hg_stack_least(count));
	memset(record, 0xa5, sizeof(record));
	assert_int_equal(hg_stack_write(record, &before, 4711, frames, count, 815) - record,
			 end - close);
	assert_memory_equal(close, record, (size_t)(end - close) + 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),         cmocka_unit_test(test_edges),
		cmocka_unit_test(test_random),        cmocka_unit_test(test_between),
		cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_stacks),        cmocka_unit_test(test_far_frames),
		cmocka_unit_test(test_random_stacks), cmocka_unit_test(test_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
