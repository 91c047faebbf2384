/* SPDX-License-Identifier: Apache-2.0 */
/* HG625: memory that was not released when the program ended. trace.h has the events. */
#include "trace.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_stack.h"

enum { PTR = 0x100000, SIZE = 0x1000, SITE = 1, LIBRARY = 2, OWN_LIBRARY = 3 };

static void module(uint64_t start, const char *path)
{
	apply((struct hg_event){
	    .type = HG_EVENT_module,
	    .module = &(struct hg_ev_module){
		.bias = start, .start = start, .size = 0x1000, .path = path, .build_id = "" } });
}

static void stack(uint32_t id, uint64_t frame)
{
	apply((struct hg_event){
	    .type = HG_EVENT_stack,
	    .stack = &(struct hg_ev_stack){ .stack_id = id, .frames = &frame, .depth = 1 } });
}

static void begin(const char *tools)
{
	process("/home/user/app", tools);
	module(0x10000, "/home/user/app");
	module(0x20000, "/usr/lib/x86_64-linux-gnu/librocblas.so.0");
	module(0x30000, "/home/user/libown.so");
	stack(SITE, 0x10010);
	stack(LIBRARY, 0x20010);
	stack(OWN_LIBRARY, 0x30010);
}

static void end(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_call,
	    .call = &(struct hg_ev_call){ .api = HG_API_process_exit, .text = "" } });
}

static bool is_limit(const char *part)
{
	for (guint i = 0; i < findings.limits->len; i++)
		if (strstr(findings.limits->pdata[i], part))
			return true;
	return false;
}

#define CHECKED "SOFTGPU_CHECK=memcheck,leakcheck"

static void memory_is_left(void **state)
{
	(void)state;
	begin(CHECKED);
	for (unsigned i = 0; i < 3; i++)
		alloc(HG_API_hipMalloc, PTR + i * SIZE, SIZE, SITE);
	release(HG_API_hipFree, PTR + SIZE);
	end();
	assert_string_equal(found(), "HG625");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN);
	assert_non_null(strstr(finding(0)->message, "8192 bytes were never released (blocks: 2)"));
	assert_non_null(strstr(finding(0)->fix, "with hipFree"));
}

static void memory_of_other_kinds_is_left(void **state)
{
	static const uint16_t apis[] = { HG_API_hipHostMalloc, HG_API_hipMallocManaged,
					 HG_API_hipMallocPitch, HG_API_hipMallocAsync };

	(void)state;
	begin(CHECKED);
	for (unsigned i = 0; i < G_N_ELEMENTS(apis); i++)
		alloc(apis[i], PTR + i * SIZE, SIZE, OWN_LIBRARY);
	end();
	assert_string_equal(found(), "HG625 HG625 HG625 HG625");
}

static void an_end_with_an_error(void **state)
{
	(void)state;
	begin(CHECKED);
	alloc(HG_API_hipMalloc, PTR, SIZE, SITE);
	end();
	replay_process(&replay, pid_now)->end_signal = -1;
	assert_string_equal(found(), "HG625");
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void all_is_released(void **state)
{
	(void)state;
	begin(CHECKED);
	alloc(HG_API_hipMalloc, PTR, SIZE, SITE);
	alloc(HG_API_hipMalloc, PTR + SIZE, SIZE, SITE);
	release(HG_API_hipFree, PTR);
	end();
	release(HG_API_hipFree, PTR + SIZE); /* by a destructor */
	assert_string_equal(found(), "");
}

static void nobody_asked(void **state)
{
	(void)state;
	begin("SOFTGPU_CHECK=memcheck");
	alloc(HG_API_hipMalloc, PTR, SIZE, SITE);
	end();
	assert_string_equal(found(), "");
}

static void the_end_is_not_known(void **state)
{
	(void)state;
	begin(CHECKED);
	alloc(HG_API_hipMalloc, PTR, SIZE, SITE);
	assert_string_equal(found(), "");
	assert_true(is_limit("leaks are unknown"));
}

static void memory_of_others(void **state)
{
	(void)state;
	begin(CHECKED);
	alloc(HG_API_hipMalloc, PTR, SIZE, LIBRARY);
	alloc(HG_API_hipMalloc, PTR + SIZE, SIZE, 9);
	alloc(HG_API_hipGraphAddMemAllocNode, PTR + 2 * SIZE, SIZE, SITE);
	alloc(HG_API_hipHostRegister, PTR + 3 * SIZE, SIZE, SITE);
	end();
	assert_string_equal(found(), "");
	assert_true(is_limit("not looked at as leaks: 2 blocks (8192 bytes)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG625, memory_is_left),        FINDS(HG625, memory_of_other_kinds_is_left),
		DOUBTS(HG625, an_end_with_an_error), SILENT(HG625, all_is_released),
		SILENT(HG625, nobody_asked),         SILENT(HG625, the_end_is_not_known),
		SILENT(HG625, memory_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
