/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of pools that programs tell of (hipgrain(3)): HG601, HG606, names, nonsense. */
#include "include/hipgrain.h"
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/events/ev_annotation.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"

#define BLOCK 0x100000

static void annotate(uint8_t act, uint64_t ptr, uint64_t size, const char *name, uint32_t stack_id)
{
	apply((struct hg_event){
	    .type = HG_EVENT_annotation,
	    .annotation = &(struct hg_ev_annotation){ .act = act,
						      .ptr = ptr,
						      .size = size,
						      .pool = act == HIPGRAIN_ALLOC ? "arena" : "",
						      .name = name,
						      .stack_id = stack_id } });
}

static void take(uint64_t offset, uint64_t size, const char *name)
{
	annotate(HIPGRAIN_ALLOC, BLOCK + offset, size, name, 31);
}

static void give_back(uint64_t offset)
{
	annotate(HIPGRAIN_FREE, BLOCK + offset, 0, "", 32);
}

static void block(uint16_t api)
{
	device(0);
	alloc(api, BLOCK, 0x10000, 0, 5);
}

static void fill(uint64_t offset, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_fill,
				 .fill = &(struct hg_ev_fill){ .api = HG_API_hipMemset,
							       .dst = BLOCK + offset,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .stack_id = 9 } });
}

/* ---- HG601 ---- */

static void a_kernel_uses_what_was_given_back(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	take(0, 0x1000, "mass");
	take(0x1000, 0x1000, "energy");
	give_back(0x1000);
	launch(1, BLOCK + 0x1800, 0);
	launch(2, BLOCK, 0);
	assert_string_equal(found(), "HG601");
	IF_WHOLE(assert_string_equal(finding(0)->piece->name, "energy"));
	IF_WHOLE(assert_int_equal(finding(0)->piece_offset, 0x800));
	IF_WHOLE(assert_non_null(
	    strstr(finding(0)->message, "piece \"energy\" (4096 bytes) of pool \"arena\"")));
}

static void a_copy_or_fill_uses_what_was_given_back(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	take(0x1000, 0x1000, "energy");
	give_back(0x1000);
	fill(0x1000, 0x1000);
	assert_string_equal(found(), "HG601");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void pieces_that_are_taken_again(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	take(0x1000, 0x1000, "energy");
	give_back(0x1000);
	take(0x1800, 0x1000, "mass");
	launch(1, BLOCK + 0x1800, 0);
	launch(2, BLOCK + 0x1000, 0); /* of the first one nothing is known any more */
	fill(0, 0x10000);
	assert_string_equal(found(), "");
}

static void a_block_that_is_released_ends_its_pieces(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	take(0x1000, 0x1000, "energy");
	give_back(0x1000);
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free =
				     &(struct hg_ev_free){ .api = HG_API_hipFree, .ptr = BLOCK } });
	alloc(HG_API_hipMalloc, BLOCK, 0x10000, 0, 6);
	launch(1, BLOCK + 0x1000, 0);
	assert_string_equal(found(), "");
}

static void all_of_a_pool_s_block_is_filled(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	take(0, 0x1000, "mass");
	give_back(0);
	fill(0, 0x2000);
	assert_string_equal(found(), "");
}

/* A snapshot does not tell what came after it. */
static void pieces_that_were_only_seen(void **state)
{
	(void)state;
	kernel.atomic_count = 0;
	block(HG_API_hipMalloc);
	annotate(HIPGRAIN_SEEN, BLOCK, 0x1000, "mass", 31);
	annotate(HIPGRAIN_SEEN, BLOCK + 0x1000, 0x1000, "energy", 31);
	fill(0, 0x1800);
	give_back(0x1000);
	launch(1, BLOCK + 0x1800, 0);
	assert_string_equal(found(), "");
}

/* ---- HG606 ---- */

static void a_fill_ends_in_another_piece(void **state)
{
	(void)state;
	block(HG_API_hipMalloc);
	take(0, 0x1000, "mass");
	take(0x1000, 0x1000, "energy");
	fill(0x800, 0x1000);
	assert_string_equal(found(), "HG606");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_non_null(strstr(finding(0)->message, "4096 bytes at offset 2048 of piece \"mass\" "
						    "(4096 bytes) of pool \"arena\": 2048 bytes"));
}

static void a_fill_ends_between_pieces(void **state)
{
	(void)state;
	block(HG_API_hipMalloc);
	take(0, 0x1000, "mass");
	take(0x2000, 0x1000, "energy");
	fill(0, 0x1010);
	assert_string_equal(found(), "HG606");
}

static void fills_of_several_pieces(void **state)
{
	(void)state;
	block(HG_API_hipMalloc);
	take(0, 0x1000, "mass");
	take(0x1000, 0x1000, "energy");
	fill(0, 0x1000);
	fill(0, 0x2000);
	fill(0x800, 0x1800);
	fill(0, 0x2100); /* and the room behind them */
	fill(0, 0x10000);
	assert_string_equal(found(), "");
}

static void past_the_end_of_the_block(void **state)
{
	(void)state;
	block(HG_API_hipMalloc);
	take(0xf000, 0x1000, "last");
	fill(0xf000, 0x1001);
	assert_string_equal(found(), "HG606");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* ---- names ---- */

static void findings_name_the_piece(void **state)
{
	(void)state;
	block(HG_API_hipMallocManaged);
	take(0x1000, 64, "energy");
	launch(1, BLOCK + 0x1008, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->piece->size, 64);
	assert_int_equal(finding(0)->piece_offset, 8);
	assert_non_null(
	    strstr(finding(0)->message, "piece \"energy\" (64 bytes) of pool \"arena\""));
}

static void pieces_of_other_names_are_findings_of_their_own(void **state)
{
	(void)state;
	block(HG_API_hipMallocManaged);
	take(0x1000, 64, "energy");
	take(0x2000, 64, "mass");
	launch(1, BLOCK + 0x1000, 0);
	launch(2, BLOCK + 0x2000, 0);
	assert_string_equal(found(), "HG101 HG101");
}

static void a_piece_and_a_block_get_another_name(void **state)
{
	struct place place;

	(void)state;
	block(HG_API_hipMalloc);
	take(0x1000, 64, "energy");
	annotate(HIPGRAIN_NAME, BLOCK + 0x1000, 0, "kinetic", 0);
	annotate(HIPGRAIN_NAME, BLOCK, 0, "the\nblock", 0);
	place = process_place(replay_process(&replay, 1), BLOCK + 0x1000);
	assert_string_equal(place.piece->name, "kinetic");
	assert_string_equal(place.allocation->label, "the\\nblock");
}

/* ---- nonsense ---- */

static void nonsense_is_counted(void **state)
{
	const struct pool_pieces *pieces;

	(void)state;
	block(HG_API_hipMalloc);
	take(0, 0x10001, "too large");
	take(8, UINT64_MAX, "larger");
	take(0, 0, "empty");
	annotate(HIPGRAIN_ALLOC, 16, 64, "nowhere", 0);
	take(0x100, 0x100, "first");
	take(0x180, 0x100, "second");
	give_back(0x100);
	give_back(0x181);
	annotate(HIPGRAIN_FREE, 0, 0, "", 0);
	annotate(HIPGRAIN_NAME, BLOCK + 1, 0, "inside", 0);
	annotate(200, BLOCK, 1, "unknown", 0);
	pieces = &replay_process(&replay, 1)->pool_pieces;
	assert_int_equal(pieces->outside, 4);
	assert_int_equal(pieces->overlapping, 1);
	assert_int_equal(pieces->unknown, 2);
	assert_int_equal(pieces->unnamed, 1);
	assert_int_equal(g_tree_nnodes(pieces->live), 1);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 3);
	assert_int_equal(findings.notes->len, 1);
}

static void tell_by_library(uint8_t act, uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_annotation,
				 .annotation =
				     &(struct hg_ev_annotation){ .act = act,
								 .ptr = ptr,
								 .size = size,
								 .pool = "pool",
								 .name = "",
								 .source = HG_RANGE_POOLS } });
}

static void a_library_s_pool_may_have_memory_that_is_not_recorded(void **state)
{
	const struct pool_pieces *pieces;

	(void)state;
	block(HG_API_hipMalloc);
	tell_by_library(HIPGRAIN_ALLOC, 16, 64);
	tell_by_library(HIPGRAIN_FREE, 16, 0);
	tell_by_library(HIPGRAIN_NAME, 16, 0);
	tell_by_library(HIPGRAIN_ALLOC, BLOCK, 0x1000); /* which another pool hands on */
	tell_by_library(HIPGRAIN_ALLOC, BLOCK + 0x100, 0x100);
	tell_by_library(HIPGRAIN_FREE, BLOCK, 0);
	pieces = &replay_process(&replay, 1)->pool_pieces;
	assert_int_equal(g_tree_nnodes(pieces->live), 1);
	assert_string_equal(found(), "");
	assert_int_equal(findings.limits->len, 0);
	assert_int_equal(findings.notes->len, 0);
}

static void there_are_not_more_than_can_be_kept(void **state)
{
	const struct pool_pieces *pieces;

	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, BLOCK, 0x10000000, 0, 5);
	for (uint64_t i = 0; i <= POOL_PIECES_MOST; i++)
		take(i * 16, 16, "");
	pieces = &replay_process(&replay, 1)->pool_pieces;
	assert_int_equal(pieces->left_out, 1);
	assert_int_equal(g_tree_nnodes(pieces->live), POOL_PIECES_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG601, a_kernel_uses_what_was_given_back),
		FINDS(HG601, a_copy_or_fill_uses_what_was_given_back),
		SILENT(HG601, pieces_that_were_only_seen),
		SILENT(HG606, pieces_that_were_only_seen),
		SILENT(HG601, pieces_that_are_taken_again),
		SILENT(HG601, a_block_that_is_released_ends_its_pieces),
		SILENT(HG601, all_of_a_pool_s_block_is_filled),
		FINDS(HG606, a_fill_ends_in_another_piece),
		FINDS(HG606, a_fill_ends_between_pieces),
		SILENT(HG606, fills_of_several_pieces),
		FINDS(HG606, past_the_end_of_the_block),
		cmocka_unit_test_setup_teardown(findings_name_the_piece, setup, teardown),
		cmocka_unit_test_setup_teardown(pieces_of_other_names_are_findings_of_their_own,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_piece_and_a_block_get_another_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nonsense_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    a_library_s_pool_may_have_memory_that_is_not_recorded, setup, teardown),
		cmocka_unit_test_setup_teardown(there_are_not_more_than_can_be_kept, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
