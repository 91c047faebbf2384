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

static struct host_block block_at(uint32_t place, uint32_t stamp)
{
	return (struct host_block){ .ptr = address_of(place),
				    .size = STEP,
				    .stack_id = stamp,
				    .ns = stamp,
				    .tid = (int32_t)stamp,
				    .api = 1,
				    .free_ns = stamp + 1,
				    .free_stack_id = stamp + 2 };
}

/* What a table of all places says of the place at or next to `from`, in steps of `step`; 0: none.
 */
static uint64_t expected(const uint32_t *stamps, uint32_t from, int step)
{
	for (int64_t at = from; at >= 0 && at < (int64_t)PLACES; at += step)
		if (stamps[at])
			return address_of((uint32_t)at);
	return 0;
}

static void check_neighbours(struct host_blocks *set, const uint32_t *stamps, uint32_t place,
			     bool released)
{
	const struct host_block *floor = host_blocks_floor(set, address_of(place) + draw(STEP));
	uint64_t below = expected(stamps, place, -1), above = expected(stamps, place, 1);
	const struct host_block *ceiling;

	assert_int_equal((uintptr_t)floor % _Alignof(struct host_block), 0);
	assert_int_equal(floor ? floor->ptr : 0, below);
	if (floor) {
		uint32_t stamp = stamps[(floor->ptr - BASE) / STEP];

		assert_int_equal(floor->stack_id, stamp);
		assert_int_equal(floor->tid, stamp);
		if (released)
			assert_int_equal(floor->free_stack_id, stamp + 2);
	}
	ceiling = host_blocks_ceiling(set, address_of(place) - draw(STEP));
	assert_int_equal((uintptr_t)ceiling % _Alignof(struct host_block), 0);
	assert_int_equal(ceiling ? ceiling->ptr : 0, above);
}

/* Phases in which more are added than removed, and the other way round. */
static void churn(bool released)
{
	struct host_blocks set;
	uint32_t stamps[PLACES] = { 0 };
	uint64_t count = 0;

	host_blocks_init(&set, released);
	assert_null(host_blocks_floor(&set, BASE));
	assert_null(host_blocks_ceiling(&set, 0));
	random_state = released;
	for (uint32_t step = 1; step <= STEPS; step++) {
		uint32_t place = draw(PLACES);
		bool wanted = draw(10) < (step / 20000 % 2 ? 1u : 9u);

		if (wanted && !stamps[place]) {
			struct host_block block = block_at(place, step);

			host_blocks_add(&set, &block);
			stamps[place] = step;
			count++;
		} else if (!wanted) {
			host_blocks_remove(&set, address_of(place)); /* also what is not there */
			count -= stamps[place] != 0;
			stamps[place] = 0;
		}
		assert_int_equal(set.count, count);
		check_neighbours(&set, stamps, draw(PLACES), released);
	}
	host_blocks_destroy(&set);
}

static void test_living(void **state)
{
	(void)state;
	churn(false);
}

static void test_released(void **state)
{
	(void)state;
	churn(true);
}

static void check_order(const struct host_block *block, void *data)
{
	uint64_t *last = data;

	assert_true(block->ptr > *last);
	*last = block->ptr;
}

static void test_each_is_in_order(void **state)
{
	struct host_blocks set;
	uint64_t last = 0;

	(void)state;
	host_blocks_init(&set, false);
	for (uint32_t i = 0; i < PLACES; i++) {
		struct host_block block = block_at(i * 7 % PLACES, i); /* each once */

		host_blocks_add(&set, &block);
	}
	host_blocks_each(&set, check_order, &last);
	assert_int_equal(last, address_of(PLACES - 1));
	host_blocks_destroy(&set);
}

/* The oldest goes when a new one comes, in random places: what each takes stays in bounds. */
static uint64_t pieces_after(uint32_t live, uint32_t rounds)
{
	struct host_blocks set;
	uint64_t places = live + live / 4u + 64u, oldest = 0, pieces;

	host_blocks_init(&set, false);
	for (uint64_t next = 0; next < (uint64_t)live * rounds; next++) {
		struct host_block block =
		    block_at((uint32_t)(next * 2654435761u % places), (uint32_t)next);

		host_blocks_add(&set, &block);
		if (next >= live) {
			host_blocks_remove(&set,
					   address_of((uint32_t)(oldest++ * 2654435761u % places)));
		}
	}
	assert_int_equal(set.count, live);
	pieces = (uint64_t)g_tree_nnodes(set.pieces);
	host_blocks_destroy(&set);
	return pieces;
}

static void test_memory(void **state)
{
	uint64_t one = pieces_after(20000, 4), two = pieces_after(40000, 4);

	(void)state;
	print_message("# %u and %u pieces\n", (unsigned)one, (unsigned)two);
	/* Of 128 records each: at least half of the room is used, however long it goes on. */
	assert_true(one * 128 <= 2 * 20000);
	assert_true(two * 128 <= 2 * 40000);
	assert_true(pieces_after(20000, 16) * 128 <= 2 * 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_living),
		cmocka_unit_test(test_released),
		cmocka_unit_test(test_each_is_in_order),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("sets of host blocks", tests, NULL, NULL);
}
