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
#include "tracer/api/hip_modules.h"
#include "tracer/api/host.h"

#define TABLE  0x10000 /* what the argument leads to */
#define FINE   0x20000
#define COARSE 0x30000
#define OTHER  0x40000
#define SIZE   64

/* s->energy, at offset 8 of what the first argument leads to. */
static struct isa_path path = { .step_count = 2,
				.step = { { .offset = 8, .exact = true, .repeats = false },
					  { .offset = 0, .exact = true, .repeats = false } } };
static struct isa_path_use path_use;
static struct isa_store stores[2];

static int deep_setup(void **state)
{
	int status = setup(state);

	path = (struct isa_path){ .step_count = 2,
				  .step = { { .offset = 8, .exact = true, .repeats = false },
					    { .offset = 0, .exact = true, .repeats = false } } };
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	atomic.origin.paths = (struct isa_paths){ &path, 1, NULL };
	path_use = (struct isa_path_use){ path, ISA_ATOMIC, true, { 0 } };
	use.access = ISA_READ;
	stores[0] = (struct isa_store){ .path = path, .size = 4 };
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

static void copy_rows(uint64_t dst, uint64_t src, uint64_t width, uint64_t rows, uint64_t to_pitch,
		      uint64_t from_pitch)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = { .api = HG_API_hipMemcpy2D,
					   .dst = dst,
					   .src = src,
					   .size = width,
					   .rows = rows,
					   .depth = 1,
					   .dst_pitch = to_pitch,
					   .src_pitch = from_pitch,
					   .kind = 3 } });
}

static void fill(uint64_t dst, uint64_t size)
{
	apply((struct hg_event){
	    .type = HG_EVENT_fill,
	    .fill = { .api = HG_API_hipMemset, .dst = dst, .size = size, .rows = 1, .depth = 1 } });
}

static void event(uint16_t api, uint64_t handle, uint64_t stream)
{
	apply((struct hg_event){ .type = HG_EVENT_event,
				 .event = { .api = api, .event = handle, .stream = stream } });
}

static void wait_for(uint64_t handle)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = { .api = HG_API_hipEventSynchronize, .event = handle } });
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
	launch(9, TABLE, 0);
	wait();
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* A copy of the same graph may come first. */
static void launched_by_a_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	launch_api = HG_API_hipGraphLaunch;
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void graph(uint32_t work, uint32_t ordered)
{
	apply((struct hg_event){ .type = HG_EVENT_graph,
				 .graph = { .handle = 1, .work = work, .ordered = ordered } });
	launch_api = HG_API_hipGraphLaunch;
}

/* One after the other: a kernel, a copy over what it stored, then the kernel again. */
static void nodes_in_order(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, OTHER, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, OTHER, 8, FINE);
	stores[0].path =
	    (struct isa_path){ .step_count = 1,
			       .step = { { .offset = 8, .exact = true, .repeats = false } } };
	graph(2, 2);
	copy(HG_API_hipMemcpyDtoDAsync, TABLE, OTHER, SIZE);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
	/* What the kernel stored there is not known, neither after the graph. */
	launch(1, TABLE, 0);
	limited(true);
}

static void nodes_beside_each_other(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	graph(3, 1);
	copy(HG_API_hipMemcpyDtoDAsync, OTHER, COARSE, SIZE);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* What was read before the graph's launch holds for all of its kernels that none changes. */
static void read_before_the_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	graph(2, 2);
	launch(1, OTHER, 0);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	/* Of what OTHER holds nothing is known. */
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* Not for those of the next launch. */
static void read_before_another_graph(void **state)
{
	(void)state;
	memory(HG_API_hipMallocManaged);
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	graph(1, 1);
	launch(1, OTHER, 0);
	graph(1, 1);
	launch(1, TABLE, 0);
	launch_api = HG_API_hipLaunchKernel;
	/* Of what OTHER holds nothing is known. */
	assert_string_equal(found(), "HG101 HG108");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

/* Its copies were recorded ahead of the call. */
static void graph_that_fails(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	graph(2, 2);
	copy(HG_API_hipMemcpyHtoDAsync, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	launch(9, OTHER, 0);
	launch_api = HG_API_hipLaunchKernel;
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = { .api = HG_API_hipGraphLaunch, .code = 2, .ptr = 9 } });
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

static void one_of_a_table(void **state)
{
	uint64_t words[] = { TABLE, SIZE, 2, 0, FINE, 8, COARSE };

	(void)state;
	memory(HG_API_hipMalloc);
	path.step[0] = (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = HG_POINTERS_COPIED, .words = words, .count = 7 } });
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
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = HG_POINTERS_COPIED, .words = words, .count = 9 } });
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
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = HG_POINTERS_COPIED, .words = words, .count = 9 } });
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
				 .alloc = { .api = api,
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

/* ---- what kernels store ---- */

static struct isa_path value[2];

/* The kernel stores a word at `offset` of its first argument: what lies at `from` there. */
static struct isa_store stores_word(unsigned index, int64_t offset, int64_t from)
{
	value[index] =
	    (struct isa_path){ .step_count = 2,
			       .step = { { .offset = from, .exact = true, .repeats = false },
					 { .offset = 0, .exact = true, .repeats = false } } };
	return (struct isa_store){
		.path = { .step_count = 1,
			  .step = { { .offset = offset, .exact = true, .repeats = false } } },
		.size = 8,
		.value_known = true,
		.value = &value[index],
		.value_count = 1,
	};
}

/* ... or its second argument. */
static struct isa_store stores_argument(int64_t offset)
{
	value[0] =
	    (struct isa_path){ .kernarg = 8,
			       .step_count = 1,
			       .step = { { .offset = 0, .exact = true, .repeats = false } } };
	return (struct isa_store){
		.path = { .step_count = 1,
			  .step = { { .offset = offset,
				      .exact = offset >= 0,
				      .repeats = false } } },
		.size = 8,
		.value_known = true,
		.value = &value[0],
		.value_count = 1,
	};
}

static void two_pointers(uint64_t first, uint64_t second)
{
	uint64_t words[] = { TABLE, SIZE, 2, 8, first, 16, second };

	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = { .source = HG_POINTERS_COPIED, .words = words, .count = 7 } });
}

/* A launch that only stores: no atomic of its own. */
static void launch_storing(uint32_t args_id, uint64_t second)
{
	atomic.origin.kind = ISA_ORIGIN_LDS;
	kernel.uses_complete = true;
	kernel.path_use_count = 0;
	launch(args_id, TABLE, second);
	atomic.origin.kind = ISA_ORIGIN_INDIRECT;
	kernel.uses_complete = false;
	kernel.path_use_count = 1;
}

static void exchanged_by_a_kernel(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, FINE);
	stores[0] = stores_word(0, 8, 16);
	stores[1] = stores_word(1, 16, 8);
	kernel.store_count = 2;
	launch_storing(9, 0);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	/* Whether the launch executed that code is not recorded. */
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(false);
}

/* Whichever it is, it is lost. */
static void exchanged_between_memory_of_one_kind(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	alloc(HG_API_hipMallocManaged, 0x50000, SIZE, 1, 2);
	two_pointers(0x50000, FINE);
	stores[0] = stores_word(0, 8, 16);
	stores[1] = stores_word(1, 16, 8);
	kernel.store_count = 2;
	launch_storing(9, 0);
	launch_storing(9, 0);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	limited(false);
}

static void exchanged_and_both_coarse(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	stores[0] = stores_word(0, 8, 16);
	launch_storing(9, 0);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
	limited(false);
}

/* A structure that is made on the device: nothing lay there before. */
static void made_on_the_device(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	stores[0] = stores_argument(8);
	launch_storing(9, FINE);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->address, FINE);
	limited(false);
}

static void made_in_memory_that_was_filled(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	fill(TABLE, SIZE);
	stores[0] = stores_argument(8);
	launch_storing(9, FINE);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	limited(false);
}

/* Something may have been there that nobody saw, and may be there still. */
static void made_in_memory_of_unknown_contents(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	stores[0] = stores_argument(8);
	launch_storing(9, FINE);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

/* rows[i] = base + i * pitch, and rows[i] */
static void a_table_that_a_kernel_computes(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	stores[0] = stores_argument(-1);
	value[0].step[0] = (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	launch_storing(9, FINE);
	kernel.store_count = 0;
	path.step[0] = (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	limited(false);
}

static void a_store_of_something_unknown(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, FINE);
	stores[0] = stores_word(0, 8, 16);
	stores[0].value_known = false;
	launch_storing(9, 0);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

/* More than are kept: then nothing is known any more. */
static void too_many_values(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	for (unsigned i = 0; i <= CONTENT_VALUES; i++) {
		stores[0] = stores_argument(8);
		launch_storing(9 + i, FINE + 8 * (i % 8));
		alloc(HG_API_hipMalloc, 0x100000 + 0x1000 * i, SIZE, 0, 3);
		stores[0] = stores_argument(8);
		launch_storing(90 + i, 0x100000 + 0x1000 * i);
	}
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

/* ---- rows and events ---- */

static void moved_in_rows(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, OTHER, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, OTHER, 40, FINE);
	/* Its second row, of 8 bytes, goes to offset 8. */
	copy_rows(TABLE, OTHER + 8, 8, 2, 8, 32);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* What lies between the rows stays. */
static void rows_beside_it(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
	copy_rows(TABLE, OTHER, 8, 2, 16, 8);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	limited(false);
}

static void by_rows(void)
{
	copy_rows(TABLE, OTHER, 16, 2, 32, 16);
}

static void rows_over_it(void **state)
{
	(void)state;
	ends(by_rows);
}

/* A kernel in stream 7 stores there; the host reads it after waiting for `event`, if it stands for
 * that. */
static void read_after_event(void (*orders)(void), bool known)
{
	memory(HG_API_hipMallocManaged);
	stores[0] = (struct isa_store){
		.path = { .step_count = 1,
			  .step = { { .offset = 8, .exact = true, .repeats = false } } },
		.size = 8
	};
	apply((struct hg_event){ .type = HG_EVENT_stream,
				 .stream = { .api = HG_API_hipStreamCreate, .stream = 7 } });
	stream_now = 7;
	launch_storing(9, 0);
	stream_now = 0;
	orders();
	kernel.store_count = 0;
	pointer(HG_POINTERS_READ, TABLE, 8, FINE);
	launch(1, TABLE, 0);
	assert_int_equal(strstr(found(), "HG101") != NULL, known);
	limited(!known);
}

static void event_after(void)
{
	event(HG_API_hipEventRecord, 0x9000, 7);
	wait_for(0x9000);
}

static void waited_for_an_event(void **state)
{
	(void)state;
	read_after_event(event_after, true);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void event_of_another_stream(void)
{
	event(HG_API_hipEventRecord, 0x9000, 8);
	wait_for(0x9000);
}

static void waited_for_another_event(void **state)
{
	(void)state;
	read_after_event(event_of_another_stream, false);
}

static void stream_after_event(void)
{
	event(HG_API_hipEventRecord, 0x9000, 7);
	event(HG_API_hipStreamWaitEvent, 0x9000, 8);
	event(HG_API_hipEventRecord, 0x9100, 8);
	wait_for(0x9100);
}

static void waited_for_a_stream_that_waited(void **state)
{
	(void)state;
	read_after_event(stream_after_event, true);
}

static void event_recorded_before_the_wait(void)
{
	event(HG_API_hipEventRecord, 0x9100, 8);
	event(HG_API_hipEventRecord, 0x9000, 7);
	event(HG_API_hipStreamWaitEvent, 0x9000, 8);
	wait_for(0x9100);
}

static void waited_for_the_stream_before_it_waited(void **state)
{
	(void)state;
	read_after_event(event_recorded_before_the_wait, false);
}

/* ---- other rules ask for the same memory ---- */

static void two_streams(void)
{
	for (uint64_t stream = 7; stream <= 8; stream++)
		apply((struct hg_event){ .type = HG_EVENT_stream,
					 .stream = { .api = HG_API_hipStreamCreateWithFlags,
						     .stream = stream,
						     .flags = 1 } });
}

/* The same kernel in two streams writes what one pointer in memory leads to. */
static void two_streams_write(uint64_t target)
{
	memory(HG_API_hipMalloc);
	two_streams();
	two_pointers(target, OTHER);
	path_use.access = ISA_WRITE;
	stores[0] = (struct isa_store){ .path = path, .size = 4 };
	atomic.origin.kind = ISA_ORIGIN_LDS;
	stream_now = 7;
	launch(1, TABLE, 0);
	stream_now = 8;
	launch(1, TABLE, 0);
	stream_now = 0;
}

static void a_race_behind_a_pointer(void **state)
{
	(void)state;
	two_streams_write(COARSE);
	assert_string_equal(found(), "HG701");
	assert_int_equal(finding(0)->address, COARSE);
	assert_string_equal(finding(0)->chain, "argument number 0 -> offset 8");
}

static void no_race_behind_two_pointers(void **state)
{
	(void)state;
	path.step[0] = path_use.path.step[0] =
	    (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	two_streams_write(COARSE); /* one of several */
	assert_string_equal(found(), "");
}

#define LARGE      0x200000
#define LARGE_SIZE (128 << 10)

/* Memory is uploaded, a kernel uses what `target` is, and it is uploaded again. */
static void uploaded_twice(uint64_t target)
{
	memory(HG_API_hipMalloc);
	alloc(HG_API_hipMalloc, LARGE, LARGE_SIZE, 0, 5);
	alloc(HG_API_malloc, 0x7000000, LARGE_SIZE, 0, 6);
	path_use.access = ISA_READ;
	kernel.store_count = 0;
	atomic.origin.kind = ISA_ORIGIN_LDS;
	two_pointers(target, OTHER);
	copy(HG_API_hipMemcpy, LARGE, 0x7000000, LARGE_SIZE);
	launch(1, TABLE, 0);
	copy(HG_API_hipMemcpy, LARGE, 0x7000000, LARGE_SIZE);
}

static void uploaded_and_not_reached(void **state)
{
	(void)state;
	uploaded_twice(COARSE);
	assert_non_null(strstr(found(), "HG505"));
}

static void uploaded_and_read_behind_a_pointer(void **state)
{
	(void)state;
	uploaded_twice(LARGE);
	assert_null(strstr(found(), "HG505"));
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
		DOUBTS(HG101, launched_by_a_graph),
		FINDS(HG101, nodes_in_order),
		DOUBTS(HG101, nodes_beside_each_other),
		FINDS(HG101, read_before_the_graph),
		DOUBTS(HG101, read_before_another_graph),
		SILENT(HG101, graph_that_fails),
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
		DOUBTS(HG101, exchanged_by_a_kernel),
		DOUBTS(HG101, exchanged_between_memory_of_one_kind),
		SILENT(HG101, exchanged_and_both_coarse),
		FINDS(HG101, made_on_the_device),
		FINDS(HG101, made_in_memory_that_was_filled),
		SILENT(HG101, made_in_memory_of_unknown_contents),
		DOUBTS(HG101, a_table_that_a_kernel_computes),
		SILENT(HG101, a_store_of_something_unknown),
		SILENT(HG101, too_many_values),
		FINDS(HG101, moved_in_rows),
		FINDS(HG101, rows_beside_it),
		FINDS(HG108, rows_over_it),
		FINDS(HG101, waited_for_an_event),
		SILENT(HG101, waited_for_another_event),
		FINDS(HG101, waited_for_a_stream_that_waited),
		SILENT(HG101, waited_for_the_stream_before_it_waited),
		FINDS(HG701, a_race_behind_a_pointer),
		SILENT(HG701, no_race_behind_two_pointers),
		FINDS(HG505, uploaded_and_not_reached),
		SILENT(HG505, uploaded_and_read_behind_a_pointer),
		SILENT(HG101, malformed),
		SILENT(HG101, too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
