/* SPDX-License-Identifier: Apache-2.0 */
/* Tests sections of the report that rest on events alone: what --fix did, where pages were. */
#include "analyzer/rules/migration/fixes.h"
#include "analyzer/rules/migration/residency_series.h"
#include "trace.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_fix.h"
#include "tracer/events/ev_fix_plan.h"
#include "tracer/events/ev_residency.h"
#include "tracer/migration_events.h"

enum { P = 0x100000, Q = 0x200000, SIZE = 0x1000 };

/* ---- what --fix did ---- */

static const struct fix_row *fix_row(unsigned index)
{
	assert_true(index < fixes_result(&findings)->len);
	return fixes_result(&findings)->pdata[index];
}

static void fix(uint8_t outcome, uint64_t ptr, uint32_t kernel_id)
{
	apply((struct hg_event){ .type = HG_EVENT_fix,
				 .fix = &(struct hg_ev_fix){ .fix = HG_FIX_COARSE_MANAGED,
							     .outcome = outcome,
							     .ptr = ptr,
							     .size = SIZE,
							     .kernel_id = kernel_id,
							     .duration = 7,
							     .stack_id = 3 } });
}

static void fixes_are_summed_up(void **state)
{
	(void)state;
	code();
	alloc(HG_API_malloc, P, SIZE, 5);
	alloc(HG_API_malloc, Q, SIZE, 5);
	fix(HG_FIX_DONE, P, 1);
	fix(HG_FIX_DONE, Q, 1);
	fix(HG_FIX_DONE, Q, 1);
	fix(2, P, 0);
	fix(2, 0, 9);
	assert_int_equal(fixes_result(&findings)->len, 3);
	assert_int_equal(fix_row(0)->count, 3);
	assert_int_equal(fix_row(0)->bytes, 3 * SIZE);
	assert_int_equal(fix_row(0)->duration, 21);
	assert_int_equal(fix_row(0)->allocation->ptr, Q);
	assert_string_equal(fix_row(0)->kernel, "work(float*, float*)");
	assert_int_equal(fix_row(1)->count, 1);
	assert_int_equal(fix_row(1)->allocation->ptr, P);
	assert_null(fix_row(1)->kernel);
	assert_null(fix_row(2)->allocation); /* whose memory it was is not known */
	assert_null(fix_row(2)->kernel);
}

static void plan(uint32_t fixes, const char *problem)
{
	apply((struct hg_event){
	    .type = HG_EVENT_fix_plan,
	    .fix_plan = &(struct hg_ev_fix_plan){ .fixes = fixes, .problem = problem } });
}

static void a_run_was_modified(void **state)
{
	(void)state;
	plan(HG_FIX_COARSE_MANAGED | HG_FIX_PREFETCH | HG_FIX_ALIGN, "");
	assert_int_equal(findings.limits->len, 0);
	assert_int_equal(findings.notes->len, 1);
	assert_non_null(strstr(findings.notes->pdata[0], "--fix=coarse-managed,prefetch,align"));
	assert_int_equal(fixes_result(&findings)->len, 0);
}

static void a_run_was_not_modified(void **state)
{
	(void)state;
	plan(HG_FIX_COARSE_MANAGED, "no code objects");
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "did nothing: no code objects"));
}

/* ---- where pages were ---- */

static struct residency_series *series(unsigned index)
{
	assert_true(index < residency_result(&findings)->len);
	return residency_result(&findings)->pdata[index];
}

static int64_t sample_ns(unsigned index)
{
	return g_array_index(series(0)->samples, struct residency_sample, index).ns;
}

static void sample(uint64_t ptr, uint32_t others)
{
	apply((struct hg_event){
	    .type = HG_EVENT_residency,
	    .residency = &(struct hg_ev_residency){
		.ptr = ptr, .size = SIZE, .looked = SIZE, .left_out = others } });
}

static void series_are_of_allocations(void **state)
{
	(void)state;
	alloc(HG_API_malloc, P, SIZE, 5);
	alloc(HG_API_malloc, Q, SIZE, 5);
	sample(P, 0);
	sample(Q, 0);
	sample(P, 0);
	sample(0x900000, 0); /* of which nothing is known */
	assert_int_equal(residency_result(&findings)->len, 2);
	assert_int_equal(series(0)->allocation->ptr, P);
	assert_int_equal(series(0)->samples->len, 2);
	assert_int_equal(series(1)->samples->len, 1);
	assert_int_equal(findings.limits->len, 0);
	sample(P, 4);
	assert_int_equal(findings.limits->len, 1);
}

static void long_series_are_thinned(void **state)
{
	int64_t first, third;

	(void)state;
	alloc(HG_API_malloc, P, SIZE, 5);
	for (unsigned i = 0; i < RESIDENCY_POINTS; i++)
		sample(P, 0);
	first = sample_ns(0);
	third = sample_ns(2);
	sample(P, 0);
	assert_int_equal(series(0)->samples->len, RESIDENCY_POINTS / 2 + 1);
	assert_int_equal(sample_ns(0), first);
	assert_int_equal(sample_ns(1), third);
}

static void too_many_allocations_have_no_series(void **state)
{
	struct allocation *last;

	(void)state;
	for (uint64_t i = 0; i <= RESIDENCY_SERIES; i++) {
		alloc(HG_API_malloc, P + i * SIZE, SIZE, 5);
		sample(P + i * SIZE, 0);
	}
	assert_int_equal(residency_result(&findings)->len, RESIDENCY_SERIES);
	assert_int_equal(findings.limits->len, 1);
	assert_non_null(strstr(findings.limits->pdata[0], "the first 256 allocations only"));
	last = address_space_find(&replay_process(&replay, pid_now)->space,
				  P + RESIDENCY_SERIES * SIZE, NULL);
	residency_moved(&(struct rules_context){ .findings = &findings }, last, true, SIZE, 1);
	assert_int_equal(residency_result(&findings)->len, RESIDENCY_SERIES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fixes_are_summed_up),     TEST(a_run_was_modified),
		TEST(a_run_was_not_modified),  TEST(series_are_of_allocations),
		TEST(long_series_are_thinned), TEST(too_many_allocations_have_no_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
