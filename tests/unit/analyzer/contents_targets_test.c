/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To how many places an atomic through pointers in memory leads, and what is told of launches of
 * which that is not known.
 */
#include "contents_world.h"

#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_pointers.h"

#define CELLS     600u /* more than targets are listed of one access */
#define CELL      16u  /* bytes of the array that has a pointer for each of them */
#define CELL_DATA 1840u
#define ARRAY     0x100000
#define DATA      0x200000

/* array[i].data[k], of an array of structures, each with a pointer to its part of one block. */
static void cells(void)
{
	uint64_t words[3 + 2 * CELLS] = { ARRAY, CELLS * CELL, CELLS };

	device(0);
	alloc(HG_API_hipMallocManaged, ARRAY, CELLS * CELL, 1, 1);
	alloc(HG_API_hipMallocManaged, DATA, CELLS * CELL_DATA, 1, 2);
	for (unsigned i = 0; i < CELLS; i++) {
		words[3 + 2 * i] = i * CELL;
		words[4 + 2 * i] = DATA + i * CELL_DATA;
	}
	path.step[0] = (struct isa_step){ .stride = CELL };
	kernel.store_count = 0;
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = &(struct hg_ev_pointers){
		.source = HG_POINTERS_READ, .words = words, .count = G_N_ELEMENTS(words) } });
}

static void many_places_in_one_block(void **state)
{
	(void)state;
	cells();
	launch(1, ARRAY, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->met.first_offset, 0);
	assert_int_equal(finding(0)->met.last_offset, (CELLS - 1) * CELL_DATA);
	limited(false);
}

/* Some of its pages are of another kind: each place counts, and there are too many. */
static void many_places_on_pages_of_two_kinds(void **state)
{
	(void)state;
	cells();
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = DATA,
								   .size = 4096,
								   .advice = 100,
								   .stack_id = 9 } });
	launch(1, ARRAY, 0);
	assert_non_null(strstr(found(), "HG102"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(true);
}

/* ---- at some launches it is not known ---- */

/* The pointer is not known at a launch through `before`, and leads to `target` at a later one. */
static void launches(uint64_t before, uint64_t target)
{
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	launch(1, before, 0);
	wait();
	pointer(HG_POINTERS_READ, TABLE, 8, target);
	launch(2, TABLE, 1);
}

static void known_later(void **state)
{
	(void)state;
	launches(TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 1);
	assert_int_equal(finding(0)->unplaced, 1);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(true);
}

/* What another launch is given may hold other pointers. */
static void through_other_memory(void **state)
{
	(void)state;
	launches(OTHER, FINE);
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->unplaced, 0);
}

/* The memory that is known is none on which it is lost: of the other launch nothing is known. */
static void harmless_later(void **state)
{
	(void)state;
	launches(TABLE, COARSE);
	assert_string_equal(found(), "HG108");
	assert_int_equal(finding(0)->unplaced, 0);
	limited(true);
}

/* Of two instructions it is known of one: the finding about both stays. */
static void another_instruction(void **state)
{
	static struct isa_atomic two[2];

	(void)state;
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	two[0] = two[1] = atomic;
	two[0].offset = 16;
	two[1].offset = 32;
	kernel.atomics = two;
	kernel.atomic_count = 2;
	launch(1, TABLE, 0);
	wait();
	kernel.atomic_count = 1;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(2, TABLE, 1);
	kernel.atomic_count = 2;
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->unplaced, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG101, many_places_in_one_block),
		FINDS(HG102, many_places_on_pages_of_two_kinds),
		FINDS(HG101, known_later),
		FINDS(HG108, through_other_memory),
		SILENT(HG101, harmless_later),
		FINDS(HG108, another_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
