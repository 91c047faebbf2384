/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests HG609, HG612, HG618: memory of another process. rules_world.h has the trace and the kernel.
 */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_free.h"

enum { OWNER = 1, OTHER = 2 };

#define HANDLE 0x1234abcdull
#define FLAGS  1u
#define SIZE   0x1000

static void as(int32_t pid)
{
	pid_now = pid;
}

static void exports_address(uint64_t ptr, uint64_t number)
{
	as(OWNER);
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){
		.api = HG_API_hipIpcGetMemHandle, .ptr = ptr, .value = number, .text = "" } });
}

static void exports(uint64_t ptr, uint64_t number)
{
	as(OWNER);
	alloc(HG_API_hipMalloc, ptr, SIZE, 0, 5);
	exports_address(ptr, number);
}

static void opens(uint64_t ptr, uint64_t number)
{
	as(OTHER);
	alloc(HG_API_hipIpcOpenMemHandle, ptr, SIZE, number << 32 | FLAGS, 7);
}

static void releases(int32_t who, uint16_t api, uint64_t ptr)
{
	as(who);
	apply((struct hg_event){
	    .type = HG_EVENT_free,
	    .free = &(struct hg_ev_free){ .api = api, .ptr = ptr, .stack_id = 8 } });
}

static void copies_bytes(uint64_t from, uint64_t size)
{
	as(OTHER);
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = HG_API_hipMemcpy,
							       .dst = 0x900000,
							       .src = from,
							       .size = size,
							       .rows = 1,
							       .depth = 1,
							       .kind = 2,
							       .stack_id = 9 } });
}

static void copies(uint64_t from)
{
	copies_bytes(from, 4);
}

static void freed_before_it_is_closed(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	assert_string_equal(found(), "HG609");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "4096 bytes from hipMalloc, released it with "
						    "hipFree while it was open here"));
	assert_int_equal(finding(0)->process->pid, OTHER);
}

/* What a process gathers arrives late: only within a process events are in the order of their
 * times. */
static void the_owners_events_arrive_last(void **state)
{
	(void)state;
	clock_ns = 5000;
	opens(0x50000, HANDLE);
	clock_ns = 7000;
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	clock_ns = 3000;
	exports(0x10000, HANDLE);
	clock_ns = 6000;
	releases(OWNER, HG_API_hipFree, 0x10000);
	clock_ns = 8000;
	assert_string_equal(found(), "HG609");
}

static void freed_before_it_is_read(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	copies(0x50010);
	assert_string_equal(found(), "HG609");
	assert_non_null(strstr(finding(0)->message, "read from it"));
}

static void closed_before_it_is_freed(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50010);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	releases(OWNER, HG_API_hipFree, 0x10000);
	assert_string_equal(found(), "");
}

/* The process may have ended before: that closes it, too. */
static void not_used_after_that(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50010);
	releases(OWNER, HG_API_hipFree, 0x10000);
	assert_string_equal(found(), "");
}

/* Its owner was not recorded, or when it exported that; or the handle is one of other memory. */
static void of_an_unknown_owner(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE + 1);
	opens(0x60000, 0);
	releases(OWNER, HG_API_hipFree, 0x10000);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x60000);
	assert_string_equal(found(), "");
}

static void the_release_failed(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	apply((struct hg_event){
	    .type = HG_EVENT_error,
	    .error = &(struct hg_ev_error){
		.api = HG_API_hipFree, .code = 1, .ptr = 0x10000, .stack_id = 8 } });
	copies(0x50010);
	assert_null(strstr(found(), "HG609"));
}

static void open_one_after_the_other(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 16; i++) {
		exports(0x10000 * i, HANDLE + i);
		opens(0x1000000 + 0x10000 * i, HANDLE + i);
	}
	assert_string_equal(found(), "HG612");
	assert_non_null(strstr(finding(0)->message, "16 blocks (65536 bytes) of other processes"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->process->pid, OTHER);
}

static void a_few_that_stay_open(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 15; i++)
		opens(0x1000000 + 0x10000 * i, HANDLE + i);
	assert_string_equal(found(), "");
}

/* Two openings of one handle have one address, and each is closed. */
static void opened_twice_and_closed_twice(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 40; i++) {
		opens(0x1000000 + 0x10000 * i, HANDLE + i);
		opens(0x1000000 + 0x10000 * i, HANDLE + i);
		releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x1000000 + 0x10000 * i);
		releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x1000000 + 0x10000 * i);
	}
	assert_string_equal(found(), "");
}

/* From places that are not known: whether each place closes what it opens is not, either. */
static void opened_from_unknown_places(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 40; i++) {
		as(OTHER);
		alloc(HG_API_hipIpcOpenMemHandle, 0x1000000 + 0x10000 * i, SIZE,
		      (HANDLE + i) << 32 | FLAGS, 0);
	}
	assert_string_equal(found(), "");
}

/* Those that were not closed may have been closed by events that were lost. */
static void closes_may_be_lost(void **state)
{
	open_one_after_the_other(state);
	findings_lost(&findings, 1);
	IF_WHOLE(assert_int_equal(claim_confidence("HG612"), -1));
}

static int begin(void **state)
{
	int status = setup(state);

	as(OWNER);
	return status;
}

#undef CLAIM_SETUP
#define CLAIM_SETUP begin

/* The number is a handle's, and handles are made again: the latest before the import counts. */
static void exported_again_later(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	exports(0x20000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	assert_string_equal(found(), "HG609");
}

static void exported_again_before(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	exports(0x20000, HANDLE);
	opens(0x50000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	assert_string_equal(found(), "");
}

/* Another call with a number; an export of memory that nobody recorded, or of the C library's. */
static void no_export(void **state)
{
	(void)state;
	as(OWNER);
	alloc(HG_API_hipMalloc, 0x10000, SIZE, 0, 5);
	alloc(HG_API_malloc, 0x30000, SIZE, 0, 5);
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){
		.api = HG_API_madvise, .ptr = 0x10000, .value = HANDLE, .text = "" } });
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_hipIpcGetMemHandle,
							       .ptr = 0x990000,
							       .value = HANDLE + 1,
							       .text = "" } });
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_hipIpcGetMemHandle,
							       .ptr = 0x30000,
							       .value = HANDLE + 2,
							       .text = "" } });
	for (unsigned i = 0; i < 3; i++)
		opens(0x50000 + i * 0x10000, HANDLE + i);
	releases(OWNER, HG_API_hipFree, 0x10000);
	releases(OWNER, HG_API_free, 0x30000);
	for (unsigned i = 0; i < 3; i++)
		releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000 + i * 0x10000);
	assert_string_equal(found(), "");
}

/* A kernel of the other process reads its first argument, and is only given the second. */
static void launches_after_release(uint64_t first, uint64_t second)
{
	as(OTHER);
	device(0);
	code_object_event();
	kernel_event(1, "_Z3addPf");
	kernel.atomic_count = 0;
	kernel.paths_complete = true;
	use.access = ISA_READ;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	as(OTHER);
	alloc(HG_API_hipMalloc, 0x900000, SIZE, 0, 6);
	launch(1, first, second);
}

static void freed_before_a_kernel_reads_it(void **state)
{
	(void)state;
	launches_after_release(0x50000, 0x900000);
	assert_string_equal(found(), "HG609");
	assert_non_null(strstr(finding(0)->message, "launched a kernel that uses"));
}

static void given_to_a_kernel_that_does_not_use_it(void **state)
{
	(void)state;
	launches_after_release(0x900000, 0x50000);
	assert_null(strstr(found(), "HG609"));
}

/* Memory of its own that a process allocates again and again is no import. */
static void allocations_that_stay(void **state)
{
	(void)state;
	as(OTHER);
	for (unsigned i = 0; i < 64; i++)
		alloc(HG_API_hipMalloc, 0x10000 + i * SIZE, SIZE, 0, 7);
	assert_null(strstr(found(), "HG612"));
}

/* ---- HG618 ---- */

static void exports_part(uint64_t ptr, uint64_t offset, uint64_t number)
{
	as(OWNER);
	alloc(HG_API_hipMalloc, ptr, SIZE, 0, 5);
	exports_address(ptr + offset, number);
}

static void the_start_is_taken_for_the_part(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50000);
	assert_string_equal(found(), "HG618");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
	assert_int_equal(finding(0)->process->pid, OTHER);
	assert_non_null(strstr(finding(0)->message, "an address 2048 bytes behind its start"));
	assert_non_null(strstr(finding(0)->message, "this process read from what lies there"));
}

/* Each part has the same handle, as the start has. */
static void parts_with_one_handle(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	exports_address(0x10800, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50000);
	assert_string_equal(found(), "HG618");
	assert_non_null(strstr(finding(0)->doubts, "the start was exported, too"));
}

static void the_offset_is_added(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50800);
	assert_string_equal(found(), "");
}

/* A process that knows where the part is may use the rest, too. */
static void the_whole_is_used(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50000);
	copies(0x50800);
	assert_string_equal(found(), "");
}

static void the_whole_is_copied(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	copies_bytes(0x50000, SIZE);
	assert_string_equal(found(), "");
}

static void the_start_is_copied_for_the_part(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	copies_bytes(0x50000, 0x800);
	copies(0x50004);
	assert_string_equal(found(), "HG618");
}

static void the_start_is_exported(void **state)
{
	(void)state;
	exports(0x10000, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50000);
	assert_string_equal(found(), "");
}

static void opened_and_closed_alone(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE);
	releases(OTHER, HG_API_hipIpcCloseMemHandle, 0x50000);
	assert_string_equal(found(), "");
}

/* The part was one of memory that had this handle before, and another size. */
static void of_other_memory(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	releases(OWNER, HG_API_hipFree, 0x10000);
	exports(0x20000, HANDLE);
	opens(0x50000, HANDLE);
	copies(0x50000);
	assert_string_equal(found(), "");
}

static void who_exported_it_is_not_known(void **state)
{
	(void)state;
	exports_part(0x10000, 0x800, HANDLE);
	opens(0x50000, HANDLE + 1);
	copies(0x50000);
	assert_string_equal(found(), "");
}

/* The missing events may include a use behind the offset. */
static void uses_may_be_lost(void **state)
{
	the_start_is_taken_for_the_part(state);
	findings_lost(&findings, 1);
	IF_WHOLE(assert_int_equal(claim_confidence("HG618"), -1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG609, freed_before_it_is_closed),
		FINDS(HG609, freed_before_it_is_read),
		FINDS(HG609, the_owners_events_arrive_last),
		SILENT(HG609, closed_before_it_is_freed),
		SILENT(HG609, not_used_after_that),
		DOUBTS(HG609, of_an_unknown_owner),
		SILENT(HG609, the_release_failed),
		FINDS(HG609, exported_again_later),
		FINDS(HG609, freed_before_a_kernel_reads_it),
		SILENT(HG609, given_to_a_kernel_that_does_not_use_it),
		SILENT(HG609, exported_again_before),
		DOUBTS(HG609, no_export),
		SILENT(HG612, allocations_that_stay),
		FINDS(HG612, open_one_after_the_other),
		SILENT(HG612, a_few_that_stay_open),
		SILENT(HG612, opened_twice_and_closed_twice),
		DOUBTS(HG612, opened_from_unknown_places),
		DOUBTS(HG612, closes_may_be_lost),
		FINDS(HG618, the_start_is_taken_for_the_part),
		FINDS(HG618, parts_with_one_handle),
		SILENT(HG618, the_offset_is_added),
		SILENT(HG618, the_whole_is_used),
		SILENT(HG618, the_whole_is_copied),
		FINDS(HG618, the_start_is_copied_for_the_part),
		SILENT(HG618, the_start_is_exported),
		SILENT(HG618, opened_and_closed_alone),
		SILENT(HG618, of_other_memory),
		DOUBTS(HG618, who_exported_it_is_not_known),
		DOUBTS(HG618, uses_may_be_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
