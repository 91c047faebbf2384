/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that lie in memory and are stored there by kernels. */
#include "contents_world.h"

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

/* The kernel stores its second argument at offset 8 for certain, in a stream. */
static void replace_in(uint64_t stream, uint32_t args_id, uint64_t pointer_stored)
{
	stores[0] = stores_argument(8);
	stores[0].executes = true;
	kernel.store_count = 1;
	stream_now = stream;
	launch_storing(args_id, pointer_stored);
	kernel.store_count = 0;
}

/* What was there before is gone. */
static void replaced_for_certain(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	replace_in(0, 9, COARSE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "");
	limited(false);
}

static void replaced_by_another_one(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	replace_in(0, 9, FINE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* Nobody saw what was there. */
static void replaced_what_was_unknown(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	replace_in(0, 9, FINE);
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* Another store of the launch may come later. */
static void replaced_by_one_of_two(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, FINE);
	stores[0] = stores_argument(8);
	stores[0].executes = true;
	stores[1] = stores_word(1, 8, 16);
	kernel.store_count = 2;
	launch_storing(9, OTHER);
	kernel.store_count = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	assert_int_not_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* The launch that uses it may come before, or after. */
static void replaced_in_another_stream(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	wait();
	replace_in(7, 9, COARSE);
	stream_now = 8;
	launch(1, TABLE, 0);
	stream_now = 0;
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

static void replaced_and_waited_for(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	wait();
	replace_in(7, 9, FINE);
	wait();
	stream_now = 8;
	launch(1, TABLE, 0);
	stream_now = 0;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* The copy of another stream may come last. */
static void replaced_before_a_copy(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	replace_in(7, 9, COARSE);
	stream_now = 0;
	launch(1, TABLE, 0);
	assert_string_equal(found(), "HG101");
	assert_int_not_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

/* Both may store last. */
static void replaced_in_two_streams(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(OTHER, OTHER);
	wait();
	replace_in(7, 9, FINE);
	replace_in(8, 10, COARSE);
	wait();
	stream_now = 0;
	launch(1, TABLE, 0);
	assert_null(strstr(found(), "HG101"));
	limited(true);
}

/* The launch that uses the pointer may have stored another one before. */
static void replaced_by_the_launch_itself(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	stores[0] = stores_argument(8);
	stores[0].executes = true;
	launch(9, TABLE, COARSE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(false);
}

static void made_by_the_launch_itself(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	stores[0] = stores_argument(8);
	launch(9, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	limited(false);
}

/* It is the same pointer. */
static void stored_once_more(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	stores[0] = stores_argument(8);
	launch(9, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* Half of the pointer that the launch uses is stored by it: it may be any pointer. */
static void half_of_it_stored_by_the_launch(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	stores[0] = stores_argument(12);
	stores[0].size = 4;
	stores[0].value_known = false;
	launch(9, TABLE, COARSE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_true(finding(0)->maybe_harmless);
	limited(true);
}

/* An index chooses among pointers, and the launch stores one of them. */
static void chosen_and_stored_by_the_launch(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	path.step[0] = (struct isa_step){ .offset = 0, .exact = false, .repeats = false };
	stores[0] = stores_argument(24);
	launch(9, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

/* Every 16 bytes from offset 0 on, which the pointer is not. */
static void stored_beside_it_by_the_launch(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(FINE, OTHER);
	stores[0] = stores_argument(0);
	stores[0].path.step[0] = (struct isa_step){ .offset = 0, .stride = 16 };
	launch(9, TABLE, COARSE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

/* The work-item stores the pointer before it loads it, so that the update goes there. */
static void stores_first(uint64_t before, uint64_t own)
{
	memory(HG_API_hipMalloc);
	two_pointers(before, OTHER);
	path.step[0].stored_before = true;
	stores[0] = stores_argument(8);
	kernel.store_count = 2;
	stores[1] = (struct isa_store){ .path = path, .size = 4 };
	launch(9, TABLE, own);
}

static void stored_before_it_is_loaded(void **state)
{
	(void)state;
	stores_first(COARSE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->address, FINE);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	limited(false);
}

static void another_one_is_stored_before(void **state)
{
	(void)state;
	stores_first(FINE, COARSE);
	assert_string_equal(found(), "");
	limited(false);
}

/* Another store may be to the same word: which of both is the latest is not known. */
static void stored_before_and_again(void **state)
{
	struct isa_path first = { .step_count = 1, .step = { { .exact = true } } };

	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	path.step[0].stored_before = true;
	stores[0] = stores[1] = stores_argument(8);
	stores[1].value = &first;
	kernel.store_count = 2;
	launch(9, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

static void stored_before_and_anything(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	path.step[0].stored_before = true;
	stores[0] = stores_argument(8);
	kernel.stores_complete = false;
	launch(9, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

/* What goes through the pointer may change it. */
static void stored_before_and_through_it(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	path.step[0].stored_before = true;
	stores[0] = stores_argument(8);
	kernel.store_count = 2;
	stores[1] = (struct isa_store){ .path = path, .size = 4 };
	stores[1].path.step[1].offset = 8;
	launch(9, TABLE, TABLE);
	assert_string_equal(found(), "");
	limited(true);
}

/* Other nodes of a graph may store there in between. */
static void stored_before_in_a_graph(void **state)
{
	(void)state;
	launch_api = HG_API_hipGraphLaunch;
	stores_first(COARSE, FINE);
	launch_api = HG_API_hipLaunchKernel;
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

/* Another stream's kernel may store there in between. */
static void stored_before_in_two_streams(void **state)
{
	(void)state;
	memory(HG_API_hipMalloc);
	two_pointers(COARSE, OTHER);
	replace_in(7, 9, OTHER);
	stream_now = 8;
	stores[0] = stores_argument(8);
	kernel.store_count = 1;
	path.step[0].stored_before = true;
	launch(10, TABLE, FINE);
	assert_string_equal(found(), "HG101");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DOUBTS(HG101, exchanged_by_a_kernel),
		DOUBTS(HG101, exchanged_between_memory_of_one_kind),
		SILENT(HG101, exchanged_and_both_coarse),
		FINDS(HG101, made_on_the_device),
		FINDS(HG101, made_in_memory_that_was_filled),
		SILENT(HG101, made_in_memory_of_unknown_contents),
		DOUBTS(HG101, a_table_that_a_kernel_computes),
		SILENT(HG101, a_store_of_something_unknown),
		SILENT(HG101, too_many_values),
		SILENT(HG101, replaced_for_certain),
		FINDS(HG101, replaced_by_another_one),
		FINDS(HG101, replaced_what_was_unknown),
		DOUBTS(HG101, replaced_by_one_of_two),
		SILENT(HG101, replaced_in_another_stream),
		FINDS(HG101, replaced_and_waited_for),
		DOUBTS(HG101, replaced_before_a_copy),
		SILENT(HG101, replaced_in_two_streams),
		DOUBTS(HG101, replaced_by_the_launch_itself),
		DOUBTS(HG101, made_by_the_launch_itself),
		FINDS(HG101, stored_once_more),
		DOUBTS(HG101, half_of_it_stored_by_the_launch),
		DOUBTS(HG101, chosen_and_stored_by_the_launch),
		FINDS(HG101, stored_beside_it_by_the_launch),
		FINDS(HG101, stored_before_it_is_loaded),
		SILENT(HG101, another_one_is_stored_before),
		DOUBTS(HG101, stored_before_and_again),
		DOUBTS(HG101, stored_before_and_anything),
		SILENT(HG101, stored_before_and_through_it),
		DOUBTS(HG101, stored_before_in_a_graph),
		DOUBTS(HG101, stored_before_in_two_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
