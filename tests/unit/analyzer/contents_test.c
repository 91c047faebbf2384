/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that lie in memory: what copies, fills and the host make of them, and which memory an
 * atomic through them updates.
 */
#include "contents_world.h"

#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_pointers.h"
#include "tracer/events/ev_prefetch.h"

static void read_at_the_launch(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	pointer(HG_POINTERS_READ, TABLE, 8, FINE + 4);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->address, FINE + 4);
	assert_string_equal(finding(0)->chain, "argument number 0 -> offset 8");
	limited(false);
}

static void coarse_by_the_same_way(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
	limited(false);
}

static void the_host_writes_between(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	wait();
	launch(2, TABLE, 1); /* not read: left out */
	assert_string_equal(found(), "HG101 HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(1)->confidence, CONFIDENCE_LIKELY);
}

static void another_pointer_at_the_next_launch(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch(1, TABLE, 0);
	wait();
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 1);
}

static void copied_to_the_device(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	wait();
	launch(2, TABLE, 1);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->launches, 2);
	limited(false);
}

static void moved_within_the_device(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, OTHER, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, OTHER, 16, FINE);
	copy(HG_API_hipMemcpy, TABLE, OTHER + 8, 32);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

static void by_copy(void)
{
	copy(HG_API_hipMemcpy, TABLE + 12, 0x7000, 1);
}

static void overwritten(void **state)
{
	(void)state;
	ends(by_copy);
}

static void by_fill(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_fill,
	    .fill = &(struct hg_ev_fill){
		.api = HG_API_hipMemset, .dst = TABLE, .size = SIZE, .rows = 1, .depth = 1 } });
}

static void filled(void **state)
{
	(void)state;
	ends(by_fill);
}

static void by_discard(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){
		.api = HG_API_hipMemDiscardBatchAsync, .ptr = TABLE, .size = SIZE, .text = "" } });
}

static void by_discard_and_prefetch(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_prefetch,
	    .prefetch = &(struct hg_ev_prefetch){
		.api = HG_API_hipMemDiscardAndPrefetchBatchAsync, .ptr = TABLE, .size = SIZE } });
}

static void discarded(void **state)
{
	(void)state;
	ends(by_discard);
}

static void discarded_and_prefetched(void **state)
{
	(void)state;
	ends_with(by_discard_and_prefetch, "HG108 HG304"); /* which moves no device memory */
}

static void by_kernel(void)
{
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 8, .exact = true, .repeats = false } } };
	launch(9, TABLE, 0);
	wait();
}

static void stored_to(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	by_kernel();
	launch(1, TABLE, 0);
	/* The launch that stored may have used what lay there. */
	assert_string_equal(found(), "HG108 HG101");
	assert_int_equal(finding(1)->launches, 1);
	assert_int_equal(finding(1)->confidence, CONFIDENCE_POSSIBLE);
	limited(true);
}

static void stored_beside(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 16, .exact = true, .repeats = false } } };
	launch(9, TABLE, 0);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->launches, 2);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void stored_by_an_unknown_way(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	kernel.stores_complete = false;
	atomic.origin.kind = ISA_ORIGIN_LDS;
	launch(9, TABLE, 0);
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* What the host reads while a kernel runs that stores there says nothing. */
static void read_too_early(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 8, .exact = true, .repeats = false } } };
	launch(9, TABLE, 0);
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101 HG101"));
	assert_true(finding(0)->confidence < CONFIDENCE_PROVEN);
	limited(true);
}

static void read_after_waiting(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 8, .exact = true, .repeats = false } } };
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch_storing(9, 0);
	kernel.store_count = 0;
	wait();
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

static void one_of_a_table(void **state)
{
	uint64_t words[] = { TABLE, SIZE, 2, 0, FINE, 8, COARSE };

	(void)state;
	memory(HG_API_hipMalloc);
	path.step[0] = (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){
				     .source = HG_POINTERS_COPIED, .words = words, .count = 7 } });
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(false);
}

/* Of three pointers an index chooses one of the first two. */
static void one_of_the_first(void **state)
{
	uint64_t words[] = { TABLE, SIZE, 3, 0, COARSE, 8, OTHER, 16, FINE };

	(void)state;
	memory(HG_API_hipMalloc);
	path.step[0] = (struct isa_step){ .stride = 8, .bounded = true, .first = 0, .last = 8 };
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){
				     .source = HG_POINTERS_COPIED, .words = words, .count = 9 } });
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
	limited(false);
}

static void one_of_the_last(void **state)
{
	uint64_t words[] = { TABLE, SIZE, 3, 0, COARSE, 8, OTHER, 16, FINE };

	(void)state;
	memory(HG_API_hipMalloc);
	path.step[0] = (struct isa_step){ .stride = 8, .bounded = true, .first = 16, .last = 56 };
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){
				     .source = HG_POINTERS_COPIED, .words = words, .count = 9 } });
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	limited(false);
}

/* A kernel stores numbers to one member of the structs in an array, another one has the pointer. */
static void stored_beside_at_a_stride(struct isa_step step)
{
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	stores[0].path = (struct isa_path){ .step_count = 1, .step = { step } };
	launch(1, TABLE, 0);
	launch(1, TABLE, 0);
}

static void stored_at_a_stride(void **state)
{
	(void)state;
	stored_beside_at_a_stride((struct isa_step){ .offset = 0, .stride = 16 });
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->count, 2);
	limited(false);
}

static void stored_to_a_few(void **state)
{
	(void)state;
	stored_beside_at_a_stride((struct isa_step){ .bounded = true, .first = 16, .last = 56 });
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->count, 2);
	limited(false);
}

static void stored_over_at_a_stride(void **state)
{
	(void)state;
	stored_beside_at_a_stride((struct isa_step){ .offset = 12, .stride = 16 });
	assert_non_null(strstr(found(), "HG108"));
	limited(true);
}

/* A managed variable's symbol holds a pointer to what `api` gives the address of. */
static void of_managed_variable(uint16_t api, bool managed)
{
	static char name[] = "s";

	memory(HG_API_hipMalloc);
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = api,
								 .ptr = TABLE,
								 .device_ptr = TABLE,
								 .size = SIZE,
								 .symbol = name,
								 .stack_id = 1 } });
	path = (struct isa_path){
		.symbol = name,
		.managed = managed,
		.step_count = 3,
		.step = { { .exact = true }, { .offset = 8, .exact = true }, { .exact = true } }
	};
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, OTHER, 0);
}

static void of_a_managed_variable(void **state)
{
	(void)state;
	of_managed_variable(HG_API___hipRegisterManagedVar, false);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void of_a_modules_managed_variable(void **state)
{
	(void)state;
	of_managed_variable(HG_API_hipModuleGetGlobal, true);
	assert_string_equal(found(), "HG101");
}

/* Of another variable the first word is a pointer that is loaded. */
static void of_another_variable(void **state)
{
	(void)state;
	of_managed_variable(HG_API_hipModuleGetGlobal, false);
	assert_null(strstr(found(), "HG101"));
}

/* Each node leads to the next one, and the last one to the first. */
static void a_ring(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	path = (struct isa_path){ .step_count = 4,
				  .step = { { .offset = 0, .exact = true, .repeats = false },
					    { .offset = 0, .exact = true, .repeats = true },
					    { .offset = 8, .exact = true, .repeats = false },
					    { .offset = 0, .exact = true, .repeats = false } } };
	for (unsigned i = 0; i < 4; i++) {
		uint64_t words[] = { TABLE + 16 * i, 16, 2, 0, TABLE + 16 * ((i + 1) % 4), 8,
				     FINE + 4 * i };

		apply((struct hg_event){
		    .type = HG_EVENT_pointers,
		    .pointers = &(struct hg_ev_pointers){
			.source = HG_POINTERS_READ, .words = words, .count = 7 } });
	}
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	limited(false);
}

/* Runs that lie, end early or overlap; nothing is out of bounds, and what is left is right. */
static void malformed(void **state)
{
	static const uint64_t bad[][8] = {
		{ TABLE, SIZE, UINT64_MAX, 8, FINE },
		{ TABLE, 8, 1, 8, FINE },
		{ UINT64_MAX, UINT64_MAX, 1, 0, FINE },
		{ TABLE, SIZE, 2, 8, FINE, 8, FINE },
		{ 0, 0, 0, 0, 0, 0 },
		{ TABLE, UINT64_MAX, 0 },
		{ TABLE, SIZE, 2, 16, FINE, 8, COARSE },
	};

	(void)state;
	memory(HG_API_hipMallocManaged);
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		for (uint32_t count = 0; count <= 8; count++) {
			apply((struct hg_event){
			    .type = HG_EVENT_pointers,
			    .pointers = &(struct hg_ev_pointers){
				.source = (uint8_t)i, .words = bad[i], .count = count } });
		}
	}
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
}

static void too_many(void **state)
{
	enum { COUNT = 1 << 16 };
	uint64_t *words = g_new0(uint64_t, 3 + 2 * COUNT);

	(void)state;
	memory(HG_API_hipMalloc);
	words[1] = COUNT * UINT64_C(8);
	words[2] = COUNT;
	for (uint64_t i = 0; i < COUNT; i++) {
		words[3 + 2 * i] = 8 * i;
		words[4 + 2 * i] = FINE;
	}
	for (unsigned i = 0; i < 8; i++) {
		words[0] = 0x100000000u + i * words[1];
		apply((struct hg_event){
		    .type = HG_EVENT_pointers,
		    .pointers = &(struct hg_ev_pointers){
			.source = HG_POINTERS_COPIED, .words = words, .count = 3 + 2 * COUNT } });
	}
	IF_WHOLE({
		const struct contents *contents = &replay_process(&replay, 1)->contents;

		_assert_true(contents->words->len == CONTENT_WORDS, "words", __FILE__, __LINE__);
		_assert_true(contents->left_out == 4 * COUNT, "left out", __FILE__, __LINE__);
	});
	g_free(words);
}

/* Numbers that a copy carried are known until something else is there. */
static void numbers_of_a_copy(void **state)
{
	uint64_t words[] = { TABLE, 8, 7, TABLE + 12, 4, 1 };

	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){ .type = HG_EVENT_pointers,
				 .pointers = &(struct hg_ev_pointers){
				     .source = HG_POINTERS_NUMBERS, .words = words, .count = 6 } });
	IF_WHOLE({
		const struct contents *contents = &replay_process(&replay, 1)->contents;
		struct content_stamp stamp;
		uint32_t number = 0;

		_assert_true(contents_number(contents, TABLE + 4, 4, &number, &stamp) &&
				 number == 7,
			     "the number", __FILE__, __LINE__);
		_assert_true(!contents_number(contents, TABLE + 8, 4, &number, &stamp),
			     "none between runs", __FILE__, __LINE__);
	});
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	IF_WHOLE({
		const struct contents *contents = &replay_process(&replay, 1)->contents;
		struct content_stamp stamp;
		uint32_t number = 0;

		_assert_true(!contents_number(contents, TABLE + 4, 4, &number, &stamp),
			     "none of before", __FILE__, __LINE__);
	});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG101, read_at_the_launch),
		SILENT(HG101, coarse_by_the_same_way),
		SILENT(HG108, coarse_by_the_same_way),
		FINDS(HG101, the_host_writes_between),
		FINDS(HG101, another_pointer_at_the_next_launch),
		FINDS(HG101, copied_to_the_device),
		FINDS(HG101, moved_within_the_device),
		FINDS(HG108, overwritten),
		FINDS(HG108, filled),
		FINDS(HG108, discarded),
		FINDS(HG108, discarded_and_prefetched),
		FINDS(HG108, stored_to),
		FINDS(HG101, stored_beside),
		DOUBTS(HG101, stored_by_an_unknown_way),
		DOUBTS(HG101, read_too_early),
		FINDS(HG101, read_after_waiting),
		DOUBTS(HG101, one_of_a_table),
		SILENT(HG101, one_of_the_first),
		FINDS(HG101, one_of_the_last),
		FINDS(HG101, stored_at_a_stride),
		FINDS(HG101, stored_to_a_few),
		FINDS(HG108, stored_over_at_a_stride),
		FINDS(HG101, of_a_managed_variable),
		FINDS(HG101, of_a_modules_managed_variable),
		SILENT(HG101, of_another_variable),
		FINDS(HG101, a_ring),
		SILENT(HG101, malformed),
		SILENT(HG101, numbers_of_a_copy),
		SILENT(HG101, too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
