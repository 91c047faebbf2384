/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that lie in memory: what copies, fills, kernels and the host make of them, and which
 * memory an atomic through them updates.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"

#define TABLE  0x10000 /* what the argument leads to */
#define FINE   0x20000
#define COARSE 0x30000
#define OTHER  0x40000
#define SIZE   64

/* s->energy, at offset 8 of what the first argument leads to. */
static struct isa_path path = { .step_count = 2,
				.step = { { 8, true, false }, { 0, true, false } } };
static struct isa_path_use path_use;
static struct isa_store stores[2];

static int deep_setup(void **state)
{
	int status = setup(state);

	path = (struct isa_path){ .step_count = 2,
				  .step = { { 8, true, false }, { 0, true, false } } };
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	atomic.origin.paths = (struct isa_paths){ &path, 1, NULL };
	path_use = (struct isa_path_use){ path, ISA_ATOMIC, true };
	use.access = ISA_READ;
	stores[0] = (struct isa_store){ path, 4 };
	kernel.uses_complete = false;
	kernel.incomplete = (char *)"global_atomic_add_f32 at address 0x40 goes through a pointer";
	kernel.path_uses = &path_use;
	kernel.path_use_count = 1;
	kernel.paths_complete = true;
	kernel.stores = stores;
	kernel.store_count = 1;
	kernel.stores_complete = true;
	return status;
}

#undef CLAIM_SETUP
#define CLAIM_SETUP deep_setup

/* ---- the trace ---- */

static void memory(uint16_t table)
{
	device(0);
	alloc(table, TABLE, SIZE, 0, 1);
	alloc(HG_API_hipMallocManaged, FINE, SIZE, 1, 2);
	alloc(HG_API_hipMalloc, COARSE, SIZE, 0, 3);
	alloc(HG_API_hipMalloc, OTHER, SIZE, 0, 4);
}

/* SIZE bytes at `base` were examined, and had one address. */
static void pointer(enum hg_pointers_source source, uint64_t base, uint64_t offset, uint64_t value)
{
	uint64_t words[] = { base, SIZE, 1, offset, value };

	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = (uint8_t)source, .words = words, .count = value ? 5 : 3 } });
}

static void copy(uint16_t api, uint64_t dst, uint64_t src, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = { .api = (uint16_t)api,
					   .dst = dst,
					   .src = src,
					   .size = size,
					   .rows = 1,
					   .depth = 1,
					   .kind = 4 } });
}

static void wait(void)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = { .api = HG_API_hipDeviceSynchronize } });
}

static void limited(bool yes)
{
	assert_int_equal(findings.limits->len, yes);
	if (yes)
		assert_non_null(strstr(findings.limits->pdata[0], "loaded from memory"));
}

/* ---- tests ---- */

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

/* What ends that knowledge; the update could then be of any memory. */
static void ends_with(void (*by)(void), const char *expected)
{
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	by();
	launch(1, TABLE, 0);
	assert_string_equal(found(), expected);
	limited(true);
}

static void ends(void (*by)(void))
{
	ends_with(by, "HG108");
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
	    .fill = {
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
	    .call = {
		.api = HG_API_hipMemDiscardBatchAsync, .ptr = TABLE, .size = SIZE, .text = "" } });
}

static void by_discard_and_prefetch(void)
{
	apply((struct hg_event){ .type = HG_EVENT_prefetch,
				 .prefetch = { .api = HG_API_hipMemDiscardAndPrefetchBatchAsync,
					       .ptr = TABLE,
					       .size = SIZE } });
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
	stores[0].path = (struct isa_path){ .step_count = 1, .step = { { 8, true, false } } };
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
	/* The launch that stored still used what lay there. */
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->launches, 1);
	limited(true);
}

static void stored_beside(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	stores[0].path = (struct isa_path){ .step_count = 1, .step = { { 16, true, false } } };
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
	stores[0].path = (struct isa_path){ .step_count = 1, .step = { { 8, true, false } } };
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
	stores[0].path = (struct isa_path){ .step_count = 1, .step = { { 8, true, false } } };
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch(9, TABLE, 0);
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
	path.step[0] = (struct isa_step){ 0, false, false };
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = HG_POINTERS_COPIED, .words = words, .count = 7 } });
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(false);
}

/* Each node leads to the next one, and the last one to the first. */
static void a_ring(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	path = (struct isa_path){ .step_count = 4,
				  .step = { { 0, true, false },
					    { 0, true, true },
					    { 8, true, false },
					    { 0, true, false } } };
	for (unsigned i = 0; i < 4; i++) {
		uint64_t words[] = { TABLE + 16 * i, 16, 2, 0, TABLE + 16 * ((i + 1) % 4), 8,
				     FINE + 4 * i };

		apply((struct hg_event){
		    .type = HG_EVENT_pointers,
		    .pointers = { .source = HG_POINTERS_READ, .words = words, .count = 7 } });
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
			apply((struct hg_event){ .type = HG_EVENT_pointers,
						 .pointers = { .source = (uint8_t)i,
							       .words = bad[i],
							       .count = count } });
		}
	}
	pointer(HG_POINTERS_READ, TABLE, 8, COARSE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
}

/* More than is kept: nothing is known of the rest, and memory stays bounded. */
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
		apply((struct hg_event){ .type = HG_EVENT_pointers,
					 .pointers = { .source = HG_POINTERS_COPIED,
						       .words = words,
						       .count = 3 + 2 * COUNT } });
	}
	IF_WHOLE({
		const struct contents *contents = &replay_process(&replay, 1)->contents;

		_assert_true(contents->words->len == CONTENT_WORDS, "words", __FILE__, __LINE__);
		_assert_true(contents->left_out == 4 * COUNT, "left out", __FILE__, __LINE__);
	});
	g_free(words);
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
		FINDS(HG101, a_ring),
		SILENT(HG101, malformed),
		SILENT(HG101, too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
