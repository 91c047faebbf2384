/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about prefetches, advice and blocks of pages: HG303, HG305, HG306, HG307. Each one's case,
 * and what is like it and right. */
#include "trace.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_prefetch.h"

#define MIB   (1024u * 1024u)
#define OTHER 0x200000000u

static void begin(int8_t xnack)
{
	process("", "");
	code();
	device_of(0, "gfx90a", xnack);
	alloc(HG_API_hipMalloc, OTHER, 256 * MIB, 2);
}

static void prefetch(uint64_t ptr, uint64_t size, int32_t target, uint64_t duration)
{
	apply((struct hg_event){ .type = HG_EVENT_prefetch,
				 .prefetch =
				     &(struct hg_ev_prefetch){ .api = HG_API_hipMemPrefetchAsync,
							       .ptr = ptr,
							       .size = size,
							       .target = target,
							       .duration = duration,
							       .stack_id = 31 } });
}

static void advise(uint64_t ptr, int32_t advice, int32_t target)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = ptr,
								   .size = 4 * MIB,
								   .advice = advice,
								   .target = target,
								   .stack_id = 32 } });
}

#define MANAGED 0x300000000u

static void begin_managed(void)
{
	begin(0);
	device_of(1, "gfx90a", 0);
	alloc(HG_API_hipMallocManaged, MANAGED, 64 * MIB, 8);
}

static void prefetched_to_the_other_device(void **state)
{
	(void)state;
	begin_managed();
	prefetch(MANAGED, 64 * MIB, 0, 1000);
	launch_on(1, 0, MANAGED, OTHER);
	launch_on(1, 0, MANAGED, OTHER); /* there by now */
	assert_string_equal(found(), "HG305");
	assert_int_equal(finding(0)->launches, 1);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_string_equal(finding(0)->kernel, "work(float*, float*)");
	assert_non_null(strstr(finding(0)->message, "to device 0"));
}

static void prefetched_in_part(void **state)
{
	(void)state;
	begin_managed();
	prefetch(MANAGED, MIB, 0, 1000);
	launch_on(1, 0, MANAGED, OTHER);
	assert_string_equal(found(), "HG305");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void prefetched_to_where_it_is_used(void **state)
{
	(void)state;
	kernel.use_count = 1; /* two devices that write the same are another matter */
	begin_managed();
	prefetch(MANAGED, 64 * MIB, 1, 1000);
	launch_on(1, 0, MANAGED, OTHER);
	launch_on(0, 0, MANAGED, OTHER);
	prefetch(MANAGED, 64 * MIB, -1, 1000); /* for the host, which is not seen */
	launch_on(0, 0, MANAGED, OTHER);
	prefetch(MANAGED, MIB, 1, 1000);
	launch_on(0, 0, MANAGED + 2 * MIB, OTHER); /* another part */
	kernel.use_count = 0;
	launch_on(0, 0, MANAGED + 1, OTHER); /* not followed */
	assert_string_equal(found(), "");
}

static void prefetches_that_wait(void **state)
{
	(void)state;
	begin_managed();
	for (unsigned i = 0; i < 4; i++)
		prefetch(MANAGED, 64 * MIB, 0, 5000000);
	assert_string_equal(found(), "HG306");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void prefetches_that_return_early(void **state)
{
	(void)state;
	begin_managed();
	for (unsigned i = 0; i < 40; i++)
		prefetch(MANAGED, 64 * MIB, 0, i == 20 ? 20000 : 5000000);
	assert_string_equal(found(), "");
}

static void too_few_prefetches(void **state)
{
	(void)state;
	begin_managed();
	for (unsigned i = 0; i < 3; i++)
		prefetch(MANAGED, 64 * MIB, 0, 5000000);
	assert_string_equal(found(), "");
}

static void launches(unsigned times, uint64_t ptr)
{
	for (unsigned i = 0; i < times; i++)
		launch(ptr, OTHER);
}

static void accessed_by_keeps_memory_remote(void **state)
{
	(void)state;
	begin_managed();
	advise(MANAGED, 5, 0);
	launches(4, MANAGED);
	assert_string_equal(found(), "HG307");
	assert_int_equal(finding(0)->launches, 4);
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void accessed_by_and_prefetched(void **state)
{
	(void)state;
	begin_managed();
	advise(MANAGED, 5, 0);
	prefetch(MANAGED, 64 * MIB, 0, 1000);
	launches(9, MANAGED);
	assert_string_equal(found(), "");
}

static void accessed_by_and_preferred(void **state)
{
	(void)state;
	begin_managed();
	advise(MANAGED, 5, 0);
	advise(MANAGED, 3, 0);
	launches(9, MANAGED);
	assert_string_equal(found(), "");
}

static void accessed_by_another_or_seldom(void **state)
{
	(void)state;
	begin_managed();
	advise(MANAGED, 5, 1);
	launches(9, MANAGED);
	advise(MANAGED, 5, 0);
	launches(3, MANAGED);
	advise(MANAGED, 6, 0);
	launches(9, MANAGED);
	assert_string_equal(found(), "");
}

static void blocks_that_are_shared(void **state)
{
	(void)state;
	begin(1);
	alloc(HG_API_malloc, 0x600001010, 8 * MIB, 12);
	launches(4, 0x600001010);
	assert_string_equal(found(), "HG303");
	assert_non_null(strstr(finding(0)->message, "begin 4112 bytes into"));
}

static void blocks_of_their_own(void **state)
{
	(void)state;
	begin(1);
	alloc(HG_API_aligned_alloc, 0x600000000, 8 * MIB, 12);
	alloc(HG_API_malloc, 0x610001010, MIB, 13);
	alloc(HG_API_malloc, 0x620001010, 8 * MIB, 14);
	launches(9, 0x600000000);
	launches(9, 0x610001010);
	launches(3, 0x620001010);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG305, prefetched_to_the_other_device),
		DOUBTS(HG305, prefetched_in_part),
		SILENT(HG305, prefetched_to_where_it_is_used),
		FINDS(HG306, prefetches_that_wait),
		SILENT(HG306, prefetches_that_return_early),
		SILENT(HG306, too_few_prefetches),
		FINDS(HG307, accessed_by_keeps_memory_remote),
		SILENT(HG307, accessed_by_and_prefetched),
		SILENT(HG307, accessed_by_and_preferred),
		SILENT(HG307, accessed_by_another_or_seldom),
		FINDS(HG303, blocks_that_are_shared),
		SILENT(HG303, blocks_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
