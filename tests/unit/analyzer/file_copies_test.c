/* SPDX-License-Identifier: Apache-2.0 */
/* HG511: copies from mapped files, and HG501's fix for them. rules_world.h has the trace. */
#include <sys/mman.h>

#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_runtime.h"

#define MIB (1ull << 20)

enum { HIP_5_2 = 50221153, HIP_7_2 = 70253211 };
enum { DEVICE = 0x10000000, SOURCE = 0x40000000 };

static const char *environment = "";
/* Of each copy. */
static uint64_t destination, rows, depth;

static void machine(int32_t version, int8_t xnack, int8_t apu)
{
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){ .page_size = 4096,
								     .version = "",
								     .exe = "a",
								     .cmdline = "",
								     .env = environment } });
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime =
				     &(struct hg_ev_runtime){ .path = "", .version = version } });
	apply((struct hg_event){
	    .type = HG_EVENT_device,
	    .device = &(struct hg_ev_device){
		.name = "test", .arch = "gfx90a", .xnack = xnack, .integrated = apu } });
	code_object_event();
	kernel_event(1, "_Z3addPf");
	kernel.atomic_count = 0;
	alloc(HG_API_hipMalloc, DEVICE, 64 * MIB, 0, 4);
	destination = DEVICE;
	rows = depth = 1;
}

static void map(uint32_t flags)
{
	alloc(HG_API_mmap, SOURCE, 256 * MIB, 1ull << 32 | flags, 5);
}

static void copies(unsigned count, uint16_t api, uint64_t size)
{
	for (unsigned i = 0; i < count; i++) {
		apply((struct hg_event){ .type = HG_EVENT_copy,
					 .copy = &(struct hg_ev_copy){ .api = api,
								       .dst = destination,
								       .src = SOURCE + i * 16 * MIB,
								       .size = size,
								       .rows = (uint32_t)rows,
								       .depth = (uint32_t)depth,
								       .kind = 1,
								       .duration = 5000,
								       .stack_id = 9 } });
		launch(1, DEVICE, 0);
	}
}

static void one_after_the_other(void **state)
{
	(void)state;
	machine(HIP_7_2, 0, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	assert_string_equal(found(), "HG511");
	assert_non_null(strstr(finding(0)->message, "8 times, 2097152 bytes each"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void of_an_old_release(void **state)
{
	(void)state;
	machine(HIP_5_2, 0, 0);
	map(MAP_SHARED);
	copies(8, HG_API_hipMemcpy, 8 * MIB);
	assert_string_equal(found(), "HG511");
}

static void small_enough_to_be_staged(void **state)
{
	(void)state;
	machine(HIP_5_2, 0, 0);
	map(MAP_SHARED);
	copies(8, HG_API_hipMemcpy, 8 * MIB - 1);
	machine(HIP_7_2, 0, 0);
	map(MAP_SHARED);
	copies(8, HG_API_hipMemcpy, MIB);
	assert_string_equal(found(), "");
}

static void a_few(void **state)
{
	(void)state;
	machine(HIP_7_2, 0, 0);
	map(MAP_PRIVATE);
	copies(7, HG_API_hipMemcpy, 2 * MIB);
	assert_string_equal(found(), "");
}

static void of_other_memory(void **state)
{
	(void)state;
	machine(HIP_7_2, 0, 0);
	map(MAP_PRIVATE | MAP_ANONYMOUS);
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	map(MAP_SHARED);
	alloc(HG_API_hipHostRegister, SOURCE, 256 * MIB, 0, 6);
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	assert_string_equal(found(), "");
}

static void where_it_is_not_known_that_they_are_pinned(void **state)
{
	(void)state;
	machine(0, 0, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 16 * MIB);
	machine(HIP_7_2, 1, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 16 * MIB);
	machine(HIP_7_2, -1, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 16 * MIB);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const variables[] = { "GPU_PINNED_MIN_XFER_SIZE=1048576",
							 "GPU_PINNED_XFER_SIZE=32",
							 "GPU_STAGING_BUFFER_SIZE=4" };

		environment = variables[i];
		machine(HIP_7_2, 0, 0);
		environment = "";
		map(MAP_PRIVATE);
		copies(8, HG_API_hipMemcpy, 16 * MIB);
	}
	assert_string_equal(found(), "");
}

/* HIP 6.4.0 is the first one that pins what is larger than its staging buffer. */
static void of_the_first_release_that_pins(void **state)
{
	(void)state;
	machine(60400000, 0, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	assert_string_equal(found(), "HG511");
}

static void of_the_release_before(void **state)
{
	(void)state;
	machine(60400000 - 1, 0, 0);
	map(MAP_PRIVATE);
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	assert_string_equal(found(), "");
}

/* To the host's own memory, or to where nobody knows; rows and boxes, which go another way. */
static void other_copies(void **state)
{
	(void)state;
	machine(HIP_7_2, 0, 0);
	map(MAP_PRIVATE);
	alloc(HG_API_malloc, SOURCE + 1024 * MIB, 64 * MIB, 0, 8);
	destination = SOURCE + 1024 * MIB;
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	destination = 0x7f0000000000;
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	destination = DEVICE;
	rows = 2;
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	rows = 1;
	depth = 2;
	copies(8, HG_API_hipMemcpy, 2 * MIB);
	assert_null(strstr(found(), "HG511"));
}

/* Registering the file would pin it for good. */
static void asynchronous(void **state)
{
	(void)state;
	machine(HIP_7_2, 0, 0);
	map(MAP_PRIVATE);
	copies(1, HG_API_hipMemcpyAsync, 2 * MIB);
	assert_string_equal(found(), "HG501");
	assert_non_null(strstr(finding(0)->fix, "read the file into a buffer of hipHostMalloc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG511, one_after_the_other),
		FINDS(HG511, of_an_old_release),
		SILENT(HG511, small_enough_to_be_staged),
		SILENT(HG511, a_few),
		SILENT(HG511, of_other_memory),
		DOUBTS(HG511, where_it_is_not_known_that_they_are_pinned),
		FINDS(HG511, of_the_first_release_that_pins),
		SILENT(HG511, of_the_release_before),
		SILENT(HG511, other_copies),
		FINDS(HG501, asynchronous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
