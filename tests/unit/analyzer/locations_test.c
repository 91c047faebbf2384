/* SPDX-License-Identifier: Apache-2.0 */
/* HG313: locations that there are none of. rules_world.h has the trace. */
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_runtime.h"

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101 };
enum { OF_NOTHING, OF_DEVICE, OF_HOST, OF_NODE };
enum { PTR = 0x100000 };

static void devices(int count)
{
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = 70253211, .device_count = count } });
	device(1);
	alloc(HG_API_hipMallocManaged, PTR, 0x10000, 0, 5);
}

static void refused(uint16_t api, int code, uint64_t flags)
{
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){ .api = api,
								 .code = code,
								 .ptr = PTR,
								 .size = 0x1000,
								 .flags = flags,
								 .stack_id = 7 } });
}

static void prefetch(uint16_t api, int code, unsigned type, int target)
{
	refused(api, code, (uint64_t)type << 32 | (uint32_t)target);
}

static void advise(uint16_t api, int code, unsigned type, int target)
{
	refused(api, code, (uint64_t)(uint16_t)target << 48 | (uint64_t)type << 32 | 3);
}

static void by_number(void **state)
{
	(void)state;
	devices(2);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_DEVICE, OF_NOTHING, 2);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_DEVICE, OF_NOTHING, 2);
	advise(HG_API_hipMemAdvise, INVALID_VALUE, OF_NOTHING, -2);
	assert_string_equal(found(), "HG313 HG313");
	assert_non_null(strstr(finding(0)->message,
			       "hipMemPrefetchAsync was called for device 2 of 2, counted from 0, "
			       "and failed with hipErrorInvalidDevice (101)"));
	assert_int_equal(finding(0)->count, 2);
	assert_non_null(strstr(finding(1)->message, "device -2 of 2"));
	/* HIP 6.4 has no such type. */
	assert_null(strstr(finding(0)->fix, "hipMemLocationType"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_int_equal(finding(0)->allocation->stack_id, 5);
}

/* Not of memory that was released, or that nobody knows. */
static void of_unknown_memory(void **state)
{
	(void)state;
	devices(2);
	apply((struct hg_event){ .type = HG_EVENT_error,
				 .error = &(struct hg_ev_error){ .api = HG_API_hipMemPrefetchAsync,
								 .code = INVALID_DEVICE,
								 .ptr = PTR + 0x1000000,
								 .size = 0x1000,
								 .flags = 2,
								 .stack_id = 7 } });
	assert_string_equal(found(), "HG313");
	assert_null(finding(0)->allocation);
}

static void by_location(void **state)
{
	(void)state;
	devices(2);
	prefetch(HG_API_hipMemPrefetchAsync_v2, INVALID_DEVICE, OF_DEVICE, -1);
	advise(HG_API_hipMemAdvise_v2, INVALID_DEVICE, OF_DEVICE, 2);
	assert_string_equal(found(), "HG313 HG313");
	assert_non_null(strstr(finding(0)->fix, "hipMemLocationTypeHost"));
}

/* Memory that is not prefetched anywhere is HG304's, if the place is one. */
static void one_cause_for_one_error(void **state)
{
	(void)state;
	devices(1);
	alloc(HG_API_hipMalloc, PTR, 0x10000, 0, 6);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_VALUE, OF_NOTHING, 1);
	assert_string_equal(found(), "HG313");
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_VALUE, OF_NOTHING, 0);
	assert_string_equal(found(), "HG313 HG304");
}

static void other_failures(void **state)
{
	(void)state;
	devices(2);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_VALUE, OF_NOTHING, 1);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_VALUE, OF_NOTHING, -1);
	prefetch(HG_API_hipMemPrefetchAsync, OUT_OF_MEMORY, OF_NOTHING, 2);
	advise(HG_API_hipMemAdvise_v2, INVALID_VALUE, OF_HOST, -1);
	advise(HG_API_hipMemAdvise, INVALID_VALUE, OF_NOTHING, -1);
	prefetch(HG_API_hipMallocManaged, INVALID_VALUE, OF_NOTHING, 7);
	assert_string_equal(found(), "");
}

/* Neither how many devices there are, nor whether the node or a type of a later release is one. */
static void what_is_there_is_unknown(void **state)
{
	(void)state;
	device(1);
	prefetch(HG_API_hipMemPrefetchAsync, INVALID_DEVICE, OF_NOTHING, 2);
	devices(1);
	prefetch(HG_API_hipMemPrefetchAsync_v2, INVALID_VALUE, OF_NODE, -1);
	prefetch(HG_API_hipMemPrefetchAsync_v2, INVALID_VALUE, 9, 7);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG313, by_number),       FINDS(HG313, of_unknown_memory),
		FINDS(HG313, by_location),     FINDS(HG313, one_cause_for_one_error),
		SILENT(HG313, other_failures), DOUBTS(HG313, what_is_there_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
