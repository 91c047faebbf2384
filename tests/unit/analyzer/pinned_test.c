/* SPDX-License-Identifier: Apache-2.0 */
/* HG212, HG217. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_runtime.h"

#define GIB (1ull << 30)

static void machine(uint64_t host_memory, int8_t apu)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_runtime,
			       .runtime = &(struct hg_ev_runtime){
				   .path = "", .version = 60200000, .host_memory = host_memory } });
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = &(struct hg_ev_device){
		.name = "test", .arch = "gfx942", .managed = 1, .integrated = apu } });
}

static void release(uint16_t api, uint64_t ptr)
{
	apply(
	    (struct hg_event){ .type = HG_EVENT_free,
			       .free = &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = ptr } });
}

static void register_at(uint64_t device_ptr, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_alloc,
				 .alloc = &(struct hg_ev_alloc){ .api = HG_API_hipHostRegister,
								 .ptr = 1ull << 41,
								 .device_ptr = device_ptr,
								 .size = size,
								 .device = -1,
								 .symbol = "",
								 .stack_id = 8 } });
}

/* Its pages have attributes, and can be paged out. */
static void what_is_registered_in_place_is_not_pinned(void **state)
{
	(void)state;
	machine(16 * GIB, 0);
	alloc(HG_API_malloc, 1ull << 41, 12 * GIB, 0, 6);
	register_at(1ull << 41, 12 * GIB);
	assert_string_equal(found(), "");
	release(HG_API_hipHostUnregister, 1ull << 41);
	register_at(1ull << 44, 12 * GIB);
	assert_string_equal(found(), "HG212");
}

static void half_the_machine(void **state)
{
	(void)state;
	machine(16 * GIB, 0);
	alloc(HG_API_hipHostMalloc, 1ull << 40, 5 * GIB, 0, 5);
	alloc(HG_API_malloc, 1ull << 41, 8 * GIB, 0, 6);
	alloc(HG_API_hipMalloc, 1ull << 42, 32 * GIB, 0, 7);
	register_at(1ull << 44, 3 * GIB);
	assert_string_equal(found(), "");
	alloc(HG_API_hipMallocHost, 1ull << 43, GIB, 0, 9);
	assert_string_equal(found(), "HG212");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "9.0 GiB of the machine's 16.0 GiB"));
}

static void what_was_released_is_not_pinned(void **state)
{
	struct hg_ev_error fields = { .api = HG_API_hipHostFree, .code = 1 };
	struct hg_event failed = { .type = HG_EVENT_error, .error = &fields };

	(void)state;
	machine(16 * GIB, 0);
	for (int i = 0; i < 4; i++) {
		alloc(HG_API_hipHostMalloc, 1ull << 40, 6 * GIB, 0, 5);
		release(HG_API_hipHostFree, 1ull << 40);
	}
	/*
	 * Releases that were not recorded belong to another call site than those that found() has
	 * dropped.
	 */
	alloc(HG_API_hipHostMalloc, 1ull << 41, 6 * GIB, 0, 6);
	alloc(HG_API_hipHostMalloc, 1ull << 41, 6 * GIB, 0, 6);
	assert_string_equal(found(), "");
	/* One that failed. */
	release(HG_API_hipHostFree, 1ull << 41);
	fields.ptr = 1ull << 41;
	apply(failed);
	alloc(HG_API_hipHostMalloc, 1ull << 42, 6 * GIB, 0, 5);
	assert_string_equal(found(), "HG212");
}

static void a_machine_of_unknown_size(void **state)
{
	(void)state;
	machine(0, 0);
	alloc(HG_API_hipHostMalloc, 1ull << 40, 500 * GIB, 0, 5);
	assert_string_equal(found(), "");
}

/* ---- HG217: the first argument is a struct of one word ---- */

static int by_value(void **state)
{
	int result = setup(state);

	arguments[0].pointer = false;
	kernel.atomic_count = 0;
	kernel.use_count = 0;
	kernel.uses_complete = false;
	return result;
}

static int pointers_again(void **state)
{
	arguments[0].pointer = true;
	return teardown(state);
}

static void a_pointer_to_freed_memory_in_a_struct(void **state)
{
	(void)state;
	machine(0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	alloc(HG_API_hipMalloc, 0x20000, 256, 0, 6);
	release(HG_API_hipFree, 0x10000);
	launch(1, 0x10010, 0x20000);
	launch(2, 0x20000, 0x20000);
	launch(1, 0x10010, 0x20000);
	assert_string_equal(found(), "HG217");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_POSSIBLE);
	assert_int_equal(finding(0)->launches, 2);
}

static void once_is_a_coincidence(void **state)
{
	(void)state;
	machine(0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	release(HG_API_hipFree, 0x10000);
	launch(1, 0x10010, 0);
	launch(2, 0x10011, 0); /* no address of a word */
	assert_string_equal(found(), "");
}

/* What the kernel uses is known: this word is not among it. */
static void a_pointer_that_is_not_used(void **state)
{
	(void)state;
	kernel.uses_complete = true;
	machine(0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	release(HG_API_hipFree, 0x10000);
	launch(1, 0x10010, 0);
	launch(1, 0x10010, 0);
	assert_string_equal(found(), "");
}

/* ... which another rule judges. */
static void a_pointer_that_is_known_to_be_used(void **state)
{
	(void)state;
	kernel.use_count = 1;
	use.access = 0;
	machine(0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	release(HG_API_hipFree, 0x10000);
	launch(1, 0x10010, 0);
	launch(1, 0x10010, 0);
	assert_string_equal(found(), "");
}

/* What the kernel uses is known but for what it stores: one word. */
static void a_struct_that_is_stored(struct isa_store store)
{
	kernel.paths_complete = kernel.stores_complete = true;
	kernel.stores = &store;
	kernel.store_count = store.size != 0;
	use.kernarg = 8;
	kernel.use_count = 1;
	machine(0, 0);
	alloc(HG_API_hipMalloc, 0x10000, 256, 0, 5);
	release(HG_API_hipFree, 0x10000);
	launch(1, 0x10010, 0);
	launch(1, 0x10010, 0);
	found();
	kernel.stores = NULL;
	kernel.store_count = 0;
}

static void a_struct_that_is_stored_somewhere(void **state)
{
	(void)state;
	a_struct_that_is_stored((struct isa_store){ .size = 8 });
}

static void a_struct_whose_word_is_stored(void **state)
{
	struct isa_path word = { .kernarg = 0 };

	(void)state;
	a_struct_that_is_stored(
	    (struct isa_store){ .size = 8, .value_known = true, .value = &word, .value_count = 1 });
}

static void a_number_is_stored(void **state)
{
	(void)state;
	a_struct_that_is_stored((struct isa_store){ .size = 8, .value_known = true });
}

static void no_pointer_fits_what_is_stored(void **state)
{
	(void)state;
	a_struct_that_is_stored((struct isa_store){ .size = 4 });
}

static void nothing_is_stored(void **state)
{
	(void)state;
	a_struct_that_is_stored((struct isa_store){ .size = 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG212, half_the_machine),
		FINDS(HG212, what_was_released_is_not_pinned),
		FINDS(HG212, what_is_registered_in_place_is_not_pinned),
		DOUBTS(HG212, a_machine_of_unknown_size),
#undef CLAIM_SETUP
#undef CLAIM_TEARDOWN
#define CLAIM_SETUP    by_value
#define CLAIM_TEARDOWN pointers_again
		FINDS(HG217, a_pointer_to_freed_memory_in_a_struct),
		SILENT(HG217, once_is_a_coincidence),
		SILENT(HG217, a_pointer_that_is_not_used),
		SILENT(HG217, a_pointer_that_is_known_to_be_used),
		FINDS(HG217, a_struct_that_is_stored_somewhere),
		FINDS(HG217, a_struct_whose_word_is_stored),
		SILENT(HG217, a_number_is_stored),
		SILENT(HG217, no_pointer_fits_what_is_stored),
		SILENT(HG217, nothing_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
