/* SPDX-License-Identifier: Apache-2.0 */
/* HG710: what programs expect of regions (hipgrain(3)). rules_world.h has the trace. */
#include "include/hipgrain.h"
#include "rules_world.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_annotation.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_migration.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_smi_source.h"
#include "tracer/events/ev_sync.h"

static void begin(unsigned what, const char *name)
{
	apply((struct hg_event){ .type = HG_EVENT_annotation,
				 .annotation =
				     &(struct hg_ev_annotation){ .act = HIPGRAIN_EXPECT_BEGIN,
								 .size = what,
								 .pool = "",
								 .name = name,
								 .stack_id = 31 } });
}

static void end(void)
{
	apply((struct hg_event){
	    .type = HG_EVENT_annotation,
	    .annotation = &(struct hg_ev_annotation){
		.act = HIPGRAIN_EXPECT_END, .pool = "", .name = "", .stack_id = 32 } });
}

static void wait_by(uint16_t api)
{
	apply((struct hg_event){ .type = HG_EVENT_sync,
				 .sync = &(struct hg_ev_sync){ .api = api, .stack_id = 9 } });
}

static void copy(uint16_t api)
{
	apply((struct hg_event){ .type = HG_EVENT_copy,
				 .copy = &(struct hg_ev_copy){ .api = api,
							       .dst = 0x100000,
							       .src = 0x900000,
							       .size = 64,
							       .kind = 1,
							       .rows = 1,
							       .depth = 1,
							       .stack_id = 9 } });
}

static void driver(uint32_t sources)
{
	apply((struct hg_event){
	    .type = HG_EVENT_smi_source,
	    .smi_source = &(struct hg_ev_smi_source){ .sources = sources, .problem = "" } });
}

static void moved(uint8_t kind, uint64_t age)
{
	apply((struct hg_event){ .type = HG_EVENT_migration,
				 .migration = &(struct hg_ev_migration){ .kind = kind,
									 .start = 0x100000,
									 .size = 0x1000,
									 .from = -1,
									 .to = 0,
									 .age = age } });
}

/* ---- waits ---- */

static void a_wait(void **state)
{
	(void)state;
	device(0);
	begin(HIPGRAIN_NO_WAIT, "step\033");
	wait_by(HG_API_hipStreamSynchronize);
	end();
	assert_string_equal(found(), "HG710");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_PROVEN));
	IF_WHOLE(assert_int_equal(finding(0)->related_stack_id, 31));
	IF_WHOLE(assert_non_null(strstr(finding(0)->message, "hipStreamSynchronize waits")));
	IF_WHOLE(assert_null(strchr(finding(0)->message, '\033')));
}

static void a_copy_that_waits(void **state)
{
	(void)state;
	device(0);
	alloc(HG_API_hipMalloc, 0x100000, 0x1000, 0, 5);
	begin(HIPGRAIN_NO_WAIT, "");
	copy(HG_API_hipMemcpy);
	end();
	assert_string_equal(found(), "HG710");
	IF_WHOLE(assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY));
}

static void a_release_that_waits(void **state)
{
	(void)state;
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = 60200000, .device_count = 1 } });
	device(0);
	alloc(HG_API_hipMalloc, 0x100000, 0x1000, 0, 5);
	begin(HIPGRAIN_NO_WAIT, "");
	apply((struct hg_event){ .type = HG_EVENT_free,
				 .free = &(struct hg_ev_free){
				     .api = HG_API_hipFree, .ptr = 0x100000, .stack_id = 9 } });
	end();
	assert_string_equal(found(), "HG710");
}

static void waits_elsewhere(void **state)
{
	(void)state;
	device(0);
	wait_by(HG_API_hipDeviceSynchronize);
	tid_now++;
	begin(HIPGRAIN_NO_WAIT, "another thread's");
	tid_now--;
	begin(HIPGRAIN_NO_ALLOCATION | HIPGRAIN_NO_MIGRATION, "other things");
	wait_by(HG_API_hipDeviceSynchronize);
	end();
	begin(HIPGRAIN_NO_WAIT, "step");
	wait_by(HG_API_hipStreamQuery);
	end();
	wait_by(HG_API_hipDeviceSynchronize);
	end();
	wait_by(HG_API_hipDeviceSynchronize);
	assert_string_equal(found(), "");
}

static void the_outer_region_goes_on(void **state)
{
	(void)state;
	device(0);
	begin(HIPGRAIN_NO_WAIT, "outer");
	begin(HIPGRAIN_NO_ALLOCATION, "inner");
	end();
	wait_by(HG_API_hipDeviceSynchronize);
	end();
	assert_string_equal(found(), "HG710");
	IF_WHOLE(assert_non_null(strstr(finding(0)->message, "\"outer\"")));
}

/* ---- allocations ---- */

static void an_allocation(void **state)
{
	(void)state;
	device(0);
	begin(HIPGRAIN_NO_ALLOCATION, "step");
	alloc(HG_API_hipMalloc, 0x100000, 0x1000, 0, 5);
	alloc(HG_API_hipMalloc, 0x200000, 0x2000, 0, 5);
	end();
	assert_string_equal(found(), "HG710");
	IF_WHOLE(assert_int_equal(finding(0)->count, 2));
}

static void allocations_elsewhere(void **state)
{
	(void)state;
	device(0);
	begin(HIPGRAIN_NO_WAIT | HIPGRAIN_NO_MIGRATION, "step");
	alloc(HG_API_hipMalloc, 0x100000, 0x1000, 0, 5);
	end();
	alloc(HG_API_hipMalloc, 0x200000, 0x1000, 0, 5);
	assert_string_equal(found(), "");
}

/* ---- migrations ---- */

/* The driver reports them later: each event of a test is 1 ns or more after the one before. */
static void a_migration_that_is_reported_later(void **state)
{
	(void)state;
	device(1);
	driver(1);
	alloc(HG_API_hipMallocManaged, 0x100000, 0x1000, 1, 5);
	begin(HIPGRAIN_NO_MIGRATION, "step");
	end();
	moved(5, 1);
	assert_string_equal(found(), "HG710");
}

static void a_migration_now(void **state)
{
	(void)state;
	device(1);
	driver(1);
	begin(HIPGRAIN_NO_MIGRATION, "step");
	moved(5, 0);
	assert_string_equal(found(), "HG710");
}

static void migrations_elsewhere(void **state)
{
	(void)state;
	device(1);
	driver(1);
	begin(HIPGRAIN_NO_MIGRATION, "step");
	moved(7, 0); /* a fault */
	moved(5, 1000000000);
	end();
	moved(5, 0);
	assert_string_equal(found(), "");
}

/* ---- what cannot be ---- */

static bool has_line(GPtrArray *lines, const char *text)
{
	for (unsigned i = 0; i < lines->len; i++)
		if (strstr(lines->pdata[i], text))
			return true;
	return false;
}

static void nonsense_and_silence_are_told(void **state)
{
	(void)state;
	device(0);
	end();
	begin(~0u, "everything");
	end();
	assert_string_equal(found(), "");
	rules_engine_finish(engine, &replay);
	assert_true(has_line(findings.limits, "ended no region of its thread"));
	assert_true(has_line(findings.limits, "the driver's events were not read"));
	assert_true(has_line(findings.notes, "of 1 region of hipgrain_expect_begin() 0 had"));
}

static void too_many_regions(void **state)
{
	(void)state;
	device(0);
	for (unsigned i = 0; i < 1025; i++)
		begin(HIPGRAIN_NO_WAIT, "deeper");
	wait_by(HG_API_hipDeviceSynchronize);
	assert_string_equal(found(), "");
	rules_engine_finish(engine, &replay);
	assert_true(has_line(findings.limits, "more than 1024 regions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG710, a_wait),
		FINDS(HG710, a_copy_that_waits),
		FINDS(HG710, a_release_that_waits),
		SILENT(HG710, waits_elsewhere),
		FINDS(HG710, the_outer_region_goes_on),
		FINDS(HG710, an_allocation),
		SILENT(HG710, allocations_elsewhere),
		FINDS(HG710, a_migration_that_is_reported_later),
		FINDS(HG710, a_migration_now),
		SILENT(HG710, migrations_elsewhere),
		cmocka_unit_test_setup_teardown(nonsense_and_silence_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_regions, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
