/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that an evaluation of a launch reads, which count only as long as the launch stores to none
 * of them; and which pages it says that are updated.
 */
#include <errno.h>

#include "analyzer/isa/isa.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_pointers.h"

static struct isa_evaluation *evaluation_of(const struct isa_launch *launch);
#define EVALUATION_STUB evaluation_of(launch)
#include "contents_world.h"

static struct isa_evaluated evaluated;
static struct isa_store evaluated_store[2];
static struct isa_evaluation executing, idle;

static uint64_t flag = OTHER;

/* The kernel executes its atomic unless the first word of OTHER (or of another flag) is 0. */
static struct isa_evaluation *evaluation_of(const struct isa_launch *launch)
{
	uint32_t number;

	if (launch->memory(launch->user, flag, 4, &number) && !number)
		return &idle;
	return &executing;
}

static void stores_to(unsigned index, uint32_t kernarg, int64_t offset, uint32_t size)
{
	evaluated_store[index] = (struct isa_store){
		.path = { .kernarg = kernarg,
			  .step_count = 1,
			  .step = { { .offset = offset, .exact = true, .repeats = false } } },
		.size = size,
	};
}

/* The code alone may store anywhere. */
static int evaluated_setup(void **state)
{
	int status = deep_setup(state);

	kernel.stores_complete = false;
	evaluated = (struct isa_evaluated){ .kernel_offset = atomic.kernel_offset,
					    .origin = atomic.origin,
					    .executes = true };
	executing = idle = (struct isa_evaluation){ .stores = evaluated_store,
						    .store_count = 1,
						    .stores_complete = true };
	executing.atomics = &evaluated;
	executing.atomic_count = 1;
	return status;
}

#undef CLAIM_SETUP
#define CLAIM_SETUP evaluated_setup

static void flag_and_pointer(void)
{
	atomic.executes = false;
	memory(HG_API_hipMalloc);
	fill(OTHER, SIZE);
	fill(FINE, SIZE);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
}

static void launch_with_flag(const char *expected)
{
	flag_and_pointer();
	launch(1, TABLE, OTHER);
	assert_string_equal(found(), expected);
}

static void stores_elsewhere(void **state)
{
	(void)state;
	stores_to(0, 0, 16, 4);
	launch_with_flag("");
}

static void stores_beside_it(void **state)
{
	(void)state;
	stores_to(0, 8, 4, 4);
	launch_with_flag("");
}

static void stores_to_the_flag(void **state)
{
	(void)state;
	stores_to(0, 8, 0, 4);
	launch_with_flag("HG101");
}

static void may_store_anywhere(void **state)
{
	(void)state;
	idle.store_count = 0;
	idle.stores_complete = false;
	launch_with_flag("HG101");
}

/* The second store goes through a word that the first one may change. */
static void changes_a_pointer(void **state)
{
	(void)state;
	stores_to(0, 0, 8, 8);
	evaluated_store[1] = (struct isa_store){ .path = path, .size = 4 };
	idle.store_count = 2;
	launch_with_flag("HG101");
}

/* ... one half of it after the other. */
static void changes_a_pointer_in_halves(void **state)
{
	(void)state;
	stores_to(0, 0, 12, 4);
	evaluated_store[1] = (struct isa_store){ .path = path, .size = 4 };
	idle.store_count = 2;
	launch_with_flag("HG101");
}

/* A word that no pointer of a store lies in says nothing of where the stores go. */
static void stores_beside_a_pointer(void **state)
{
	(void)state;
	stores_to(0, 0, 16, 8);
	evaluated_store[1] = (struct isa_store){ .path = path, .size = 4 };
	idle.store_count = 2;
	launch_with_flag("");
}

/* The first store is to the second node of a list, which the other one is followed through. */
static void stores_to_a_node(int64_t offset, const char *expected)
{
	const struct isa_step pointer = { .offset = 8, .exact = true, .repeats = false };

	evaluated_store[0] =
	    (struct isa_store){ .path = { .step_count = 2, .step = { pointer } }, .size = 4 };
	evaluated_store[0].path.step[1] = (struct isa_step){ .offset = offset, .exact = true };
	evaluated_store[1] = (struct isa_store){ .path = path, .size = 4 };
	evaluated_store[1].path.step[0].repeats = true;
	idle.store_count = 2;
	launch_with_flag(expected);
}

static void changes_a_list(void **state)
{
	(void)state;
	stores_to_a_node(8, "HG101");
}

static void changes_what_a_list_holds(void **state)
{
	(void)state;
	stores_to_a_node(16, "");
}

/* What an earlier launch stored is known by its evaluation, too. */
static void stored_elsewhere_before(void **state)
{
	(void)state;
	stores_to(0, 0, 16, 4);
	flag_and_pointer();
	launch(1, TABLE, OTHER);
	launch(2, TABLE, FINE);
	assert_string_equal(found(), "");
}

static void stored_to_the_flag_before(void **state)
{
	(void)state;
	stores_to(0, 8, 0, 4);
	flag_and_pointer();
	executing.atomic_count = 0;
	launch(1, TABLE, OTHER);
	executing.atomic_count = 1;
	stores_to(0, 0, 16, 4);
	launch(2, TABLE, FINE);
	assert_string_equal(found(), "HG101");
}

#define MANAGED 0x60000

/* A number in managed memory, which the recorder read before a launch. */
static void number_read(uint32_t number)
{
	uint64_t words[] = { MANAGED, 4, number };

	apply((struct hg_event){
	    .type = HG_EVENT_pointers,
	    .pointers = &(struct hg_ev_pointers){
		.source = HG_POINTERS_NUMBERS_READ, .words = words, .count = 3 } });
}

static void with_a_managed_flag(void)
{
	flag = MANAGED;
	stores_to(0, 0, 16, 4);
	atomic.executes = false;
	memory(HG_API_hipMalloc);
	alloc(HG_API_hipMallocManaged, MANAGED, SIZE, 1, 6);
	copy(HG_API_hipMemcpy, TABLE, 0x7000, SIZE);
	pointer(HG_POINTERS_COPIED, TABLE, 8, FINE);
}

static void flag_read_before(void **state)
{
	(void)state;
	with_a_managed_flag();
	number_read(0);
	launch(1, TABLE, MANAGED);
	flag = OTHER;
	assert_string_equal(found(), "");
}

/* The host may have changed it since. */
static void flag_read_before_another_launch(void **state)
{
	(void)state;
	with_a_managed_flag();
	number_read(0);
	launch(1, TABLE, MANAGED);
	launch(2, TABLE, MANAGED);
	flag = OTHER;
	assert_string_equal(found(), "HG101");
}

/* An earlier kernel that is not known to be done may change it after it was read. */
static void flag_read_before_it_is_stored(void **state)
{
	(void)state;
	with_a_managed_flag();
	kernel.stores_complete = true;
	kernel.store_count = 1;
	stores[0] = (struct isa_store){
		.path = { .kernarg = 8, .step_count = 1, .step = { { .exact = true } } }, .size = 4
	};
	launch_storing(9, MANAGED);
	kernel.store_count = 0;
	number_read(0);
	launch(1, TABLE, MANAGED);
	flag = OTHER;
	assert_string_equal(found(), "HG101");
}

/* The code does not say how far from its argument the kernel updates, of which the first page is
 * coarse-grained; an evaluation does. */
static void updates_at(int64_t offset, const char *expected)
{
	const uint64_t pages = 0x50000, page = 4096;

	atomic.origin = (struct isa_origin){ .kind = ISA_ORIGIN_DIRECT,
					     .kernarg = &(uint32_t){ 0 },
					     .kernarg_count = 1 };
	evaluated.origin = atomic.origin;
	evaluated.placed = true;
	evaluated.place = (struct isa_step){ .offset = offset, .exact = true };
	stores_to(0, 0, 0, 4);
	memory(HG_API_hipMalloc);
	alloc(HG_API_hipMallocManaged, pages, 2 * page, 1, 5);
	apply((struct hg_event){
	    .type = HG_EVENT_advise,
	    .advise = &(struct hg_ev_advise){
		.api = HG_API_hipMemAdvise, .ptr = pages, .size = page, .advice = 100 } });
	launch(1, pages, FINE);
	assert_string_equal(found(), expected);
}

static void updates_the_second_page(void **state)
{
	(void)state;
	updates_at(4096, "HG102");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
}

static void updates_the_first_page(void **state)
{
	(void)state;
	updates_at(4092, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SILENT(HG101, stores_elsewhere),
		SILENT(HG101, stores_beside_it),
		FINDS(HG101, stores_to_the_flag),
		FINDS(HG101, may_store_anywhere),
		FINDS(HG101, changes_a_pointer),
		FINDS(HG101, changes_a_pointer_in_halves),
		SILENT(HG101, stores_beside_a_pointer),
		FINDS(HG101, changes_a_list),
		SILENT(HG101, changes_what_a_list_holds),
		FINDS(HG102, updates_the_second_page),
		SILENT(HG102, updates_the_first_page),
		SILENT(HG101, flag_read_before),
		SILENT(HG101, stored_elsewhere_before),
		FINDS(HG101, stored_to_the_flag_before),
		FINDS(HG101, flag_read_before_another_launch),
		FINDS(HG101, flag_read_before_it_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
