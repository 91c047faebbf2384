/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of host blocks: as a list in order of address would answer, and in little memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analyzer/replay/address_space.h"
#include "analyzer/replay/host_blocks.h"

#define PLACES 3000u
#define STEPS  200000u
#define BASE   0x7f0000001000u
#define STEP   64u

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

static uint64_t address_of(uint32_t place)
{
	return BASE + (uint64_t)place * STEP;
}

static struct host_block block_at(uint32_t place, uint32_t size, uint32_t stamp)
{
	return (struct host_block){ .ptr = address_of(place),
				    .size = size,
				    .stack_id = stamp,
				    .ns = stamp,
				    .tid = (int32_t)stamp,
				    .api = 1 };
}

static struct host_block released_at(uint32_t stamp)
{
	return (struct host_block){
		.free_api = 2, .free_ns = stamp, .free_tid = (int32_t)stamp, .free_stack_id = stamp
	};
}

/* ---- a table of all places says the same ---- */

struct table {
	uint32_t stamp[PLACES];  /* of the block that begins there; 0: none does */
	uint32_t places[PLACES]; /* that it takes up; its last one in half */
	uint32_t freed[PLACES];  /* 0: it is live */
};

static bool begins_at(const struct table *table, uint32_t place)
{
	return place < PLACES && table->stamp[place];
}

/* The place where the block begins that has that one, or PLACES. */
static uint32_t holder(const struct table *table, uint32_t place)
{
	for (uint32_t at = place + 1; at-- > 0;)
		if (begins_at(table, at))
			return at + table->places[at] > place ? at : PLACES;
	return PLACES;
}

/* Forget those of one kind that have any of these places; how many. */
static uint64_t clear(struct table *table, uint32_t first, uint32_t end, bool released)
{
	uint64_t count = 0;

	for (uint32_t place = first; place < end; place++) {
		uint32_t at = holder(table, place);

		if (at < PLACES && !table->freed[at] == !released) {
			table->stamp[at] = table->freed[at] = 0;
			count++;
		}
	}
	return count;
}

static void check_block(const struct table *table, const struct host_block *block, uint32_t at)
{
	assert_non_null(block);
	assert_int_equal(block->ptr, address_of(at));
	assert_int_equal(block->stack_id, table->stamp[at]);
	assert_int_equal(block->tid, table->stamp[at]);
	assert_int_equal(block->released, table->freed[at] != 0);
	if (block->released) {
		assert_int_equal(block->free_ns, table->freed[at]);
		assert_int_equal(block->free_stack_id, table->freed[at]);
		assert_int_equal(block->free_tid, table->freed[at]);
	}
}

static void check_place(struct host_blocks *set, const struct table *table, uint32_t place)
{
	uint32_t at = holder(table, place), end = MIN(place + 1 + draw(200), PLACES), first = place;
	const struct host_block *found;
	bool live = at < PLACES && !table->freed[at];

	found = host_blocks_holding(set, address_of(place), false);
	if (live)
		check_block(table, found, at);
	else
		assert_null(found);
	found = host_blocks_holding(set, address_of(place), true);
	if (at < PLACES && !live)
		check_block(table, found, at);
	else
		assert_null(found);
	found = host_blocks_live(set, address_of(place));
	assert_int_equal(found ? found->ptr : 0, live && at == place ? address_of(place) : 0);
	while (first < end &&
	       (holder(table, first) == PLACES || table->freed[holder(table, first)]))
		first++;
	found = host_blocks_overlapping(set, address_of(place), address_of(end));
	if (first < end)
		check_block(table, found, holder(table, first));
	else
		assert_null(found);
}

/* Adds, releases and removes in places that overlap, more of the one in one phase than in another.
 */
static void test_like_a_table(void **state)
{
	static struct table table;
	struct host_blocks set;
	uint64_t live = 0;

	(void)state;
	host_blocks_init(&set);
	for (uint32_t place = 0; place < 3; place++)
		check_place(&set, &table, place);
	for (uint32_t step = 1; step <= STEPS; step++) {
		uint32_t place = draw(PLACES), size = 1 + draw(step / 50000 % 2 ? 2 : 12);
		uint32_t end = MIN(place + size, PLACES), what = draw(100);
		struct host_block block = block_at(place, STEP * (end - place) - STEP / 2, step);
		struct host_block how = released_at(step), *found;
		uint64_t ended;

		if (what < (step / 20000 % 2 ? 30 : 60)) {
			ended = clear(&table, place, end, false);
			clear(&table, place, end, true);
			assert_int_equal(host_blocks_add(&set, &block), ended);
			table.stamp[place] = step;
			table.places[place] = end - place;
			live += 1 - ended;
		} else if (what < 97) {
			found = host_blocks_holding(&set, address_of(place), false);
			if (found && what < 80) {
				host_blocks_release(&set, found, &how);
				table.freed[holder(&table, place)] = step;
				live--;
			} else if (found) {
				host_blocks_remove(&set, found);
				table.stamp[holder(&table, place)] = 0;
				live--;
			}
		} else {
			bool released = what < 99;

			end = MIN(place + draw(300), PLACES);
			ended = clear(&table, place, end, released);
			assert_int_equal(
			    host_blocks_drop(&set, address_of(place), address_of(end), released),
			    ended);
			live -= released ? 0 : ended;
		}
		assert_int_equal(set.live, live);
		check_place(&set, &table, draw(PLACES));
		check_place(&set, &table, place);
	}
	host_blocks_destroy(&set);
}

/* What a damaged recording may say: addresses up to the last, sizes beyond it, or none. */
static void test_bounds(void **state)
{
	static const uint64_t places[] = { 0, 1, UINT64_MAX - 8, UINT64_MAX - 1, UINT64_MAX };
	struct host_blocks set;

	(void)state;
	host_blocks_init(&set);
	for (uint32_t step = 0; step < 1000; step++) {
		struct host_block block = { .ptr = places[draw(5)],
					    .size = draw(2) ? UINT32_MAX * draw(2) : draw(9) };

		host_blocks_add(&set, &block);
		assert_non_null(host_blocks_live(&set, block.ptr));
		assert_true(set.live <= G_N_ELEMENTS(places));
		if (!draw(3))
			host_blocks_remove(&set, host_blocks_live(&set, block.ptr));
	}
	host_blocks_destroy(&set);
}

static void check_order(const struct host_block *block, void *data)
{
	uint64_t *last = data;

	assert_true(block->ptr > *last);
	*last = block->ptr;
}

static void test_each_is_in_order(void **state)
{
	struct host_block how = released_at(1);
	struct host_blocks set;
	uint64_t last = 0;

	(void)state;
	host_blocks_init(&set);
	for (uint32_t i = 0; i < PLACES; i++) {
		struct host_block block = block_at(i * 7 % PLACES, STEP, i); /* each once */

		host_blocks_add(&set, &block);
	}
	host_blocks_release(&set, host_blocks_live(&set, address_of(PLACES - 1)), &how);
	host_blocks_each(&set, false, check_order, &last);
	assert_int_equal(last, address_of(PLACES - 2)); /* what is released is not among them */
	last = 0;
	host_blocks_each(&set, true, check_order, &last);
	assert_int_equal(last, address_of(PLACES - 1));
	assert_int_equal(set.released, 1);
	host_blocks_destroy(&set);
}

/* The oldest goes when a new one comes, in random places: what each takes stays in bounds. */
static uint64_t pieces_after(uint32_t live, uint32_t rounds)
{
	struct host_blocks set;
	uint64_t places = live + live / 4u + 64u, oldest = 0, pieces;

	host_blocks_init(&set);
	for (uint64_t next = 0; next < (uint64_t)live * rounds; next++) {
		struct host_block block =
		    block_at((uint32_t)(next * 2654435761u % places), STEP, (uint32_t)next);

		host_blocks_add(&set, &block);
		if (next >= live) {
			uint64_t gone = address_of((uint32_t)(oldest++ * 2654435761u % places));

			host_blocks_remove(&set, host_blocks_live(&set, gone));
		}
	}
	assert_int_equal(set.live, live);
	pieces = (uint64_t)g_tree_nnodes(set.pieces);
	host_blocks_destroy(&set);
	return pieces;
}

static void test_memory(void **state)
{
	uint64_t one = pieces_after(20000, 4), two = pieces_after(40000, 4);

	(void)state;
	print_message("# %u and %u pieces\n", (unsigned)one, (unsigned)two);
	/* Of 64 records each: at least half of the room is used, however long it goes on. */
	assert_true(one * 64 <= 2 * 20000);
	assert_true(two * 64 <= 2 * 40000);
	assert_true(pieces_after(20000, 16) * 64 <= 2 * 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_a_table),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_each_is_in_order),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("sets of host blocks", tests, NULL, NULL);
}
