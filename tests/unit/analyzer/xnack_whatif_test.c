/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what the section on the other state of XNACK says of memory that kernels were given. */
#include "analyzer/rules/placement/xnack_whatif.h"
#include "trace.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"

enum { P = 0x100000, Q = 0x200000, SIZE = 0x1000 };
enum { PREFERRED = 3, ACCESSED_BY = 5 }; /* hipMemoryAdvise */

static unsigned row_count(void)
{
	return xnack_whatif_result(&findings)->rows->len;
}

static struct xnack_row *row(unsigned index)
{
	assert_true(index < row_count());
	return xnack_whatif_result(&findings)->rows->pdata[index];
}

static void advise(int32_t advice, int32_t target)
{
	apply((struct hg_event){ .type = HG_EVENT_advise,
				 .advise = &(struct hg_ev_advise){ .api = HG_API_hipMemAdvise,
								   .ptr = P,
								   .size = SIZE,
								   .advice = advice,
								   .target = target } });
}

/* Returns the row of memory that a kernel used on such a GPU. */
static struct xnack_row *used(const char *arch, int8_t xnack, uint16_t api)
{
	device_of(0, arch, xnack);
	code();
	alloc(api, P, SIZE, 5);
	launch(P, 0);
	found();
	return row(0);
}

static void is(const struct xnack_row *of, int xnack, enum xnack_outcome outcome,
	       const char *reason)
{
	struct xnack_change answer = xnack_whatif_ask(of, xnack);

	assert_int_equal(answer.outcome, outcome);
	assert_non_null(strstr(answer.reason, reason));
}

static void rows_are_of_a_call_stack(void **state)
{
	(void)state;
	used("gfx90a:sramecc+:xnack-", 0, HG_API_malloc);
	alloc(HG_API_malloc, Q, SIZE, 5);
	launch(Q, 0);
	launch(Q, 0);
	found();
	assert_int_equal(row_count(), 1);
	assert_int_equal(row(0)->allocations, 2);
	assert_int_equal(row(0)->bytes, 2 * SIZE);
	assert_int_equal(row(0)->launches, 3);
	assert_int_equal(row(0)->allocation->ptr, Q);
	assert_string_equal(row(0)->arch, "gfx90a");
	assert_string_equal(row(0)->kernel, "_Z4workPfS_");
	assert_true(row(0)->accessed);
	assert_false(row(0)->several);
	assert_int_equal(g_hash_table_size(xnack_whatif_result(&findings)->unknown), 0);
}

static void nothing_is_known_of_the_gpu(void **state)
{
	(void)state;
	code();
	alloc(HG_API_malloc, P, SIZE, 5);
	launch(P, 0);
	found();
	assert_string_equal(row(0)->arch, "");
	is(row(0), 1, XNACK_UNKNOWN_EFFECT, "known for MI200");
}

static void kernels_may_use_other_memory(void **state)
{
	(void)state;
	kernel.uses_complete = false;
	used("gfx90a", 0, HG_API_malloc);
	assert_int_equal(g_hash_table_size(xnack_whatif_result(&findings)->unknown), 1);
}

static void memory_of_the_system(void **state)
{
	struct xnack_row *of = used("gfx90a", 0, HG_API_malloc);

	(void)state;
	is(of, 0, XNACK_UNCHANGED, "off already");
	is(of, 1, XNACK_MAY_MIGRATE, "by a page fault");
	of->accessed_by = true; /* which is known of memory that migrates alone */
	is(of, 1, XNACK_MAY_MIGRATE, "by a page fault");
}

static void without_xnack_it_has_no_mapping(void **state)
{
	struct xnack_row *of = used("gfx90a", 1, HG_API_malloc);

	(void)state;
	is(of, 1, XNACK_UNCHANGED, "on already");
	is(of, 0, XNACK_FAULTS, "no mapping on the GPU");
}

static void managed_memory(void **state)
{
	struct xnack_row *of = used("gfx90a", 0, HG_API_hipMallocManaged);

	(void)state;
	is(of, 1, XNACK_MIGRATES, "pages migrate at");
	of->prefetched = true;
	is(of, 1, XNACK_MIGRATES, "pages that were not prefetched migrate");
	of->prefetched = false;
	of->allocation->prefetched_to_gpu = true; /* after the launches */
	is(of, 1, XNACK_MIGRATES, "pages that were not prefetched migrate");
}

static void managed_memory_without_xnack(void **state)
{
	struct xnack_row *of = used("gfx90a", 1, HG_API_hipMallocManaged);

	(void)state;
	is(of, 0, XNACK_REMOTE, "nothing prefetches it");
	of->prefetched = true;
	is(of, 0, XNACK_REMOTE, "only after a prefetch");
}

static void advice_keeps_memory_in_place(void **state)
{
	struct xnack_row *of;

	(void)state;
	device_of(0, "gfx90a", 0);
	code();
	alloc(HG_API_hipMallocManaged, P, SIZE, 5);
	advise(PREFERRED, HG_PLACE_HOST);
	launch(P, 0);
	found();
	of = row(0);
	assert_true(of->host_preferred);
	assert_false(of->accessed_by);
	is(of, 1, XNACK_REMOTE, "SetPreferredLocation");
	advise(ACCESSED_BY, 1);
	launch(P, 0);
	assert_false(of->accessed_by);
	advise(ACCESSED_BY, 0);
	launch(P, 0);
	assert_true(of->accessed_by);
	is(of, 1, XNACK_REMOTE, "SetAccessedBy");
}

static void memory_that_xnack_does_not_concern(void **state)
{
	struct xnack_row *of = used("gfx90a", 0, HG_API_hipMalloc);

	(void)state;
	is(of, 1, XNACK_UNCHANGED, "the GPU's own memory");
	of->allocation->api = HG_API_hipHostMalloc;
	is(of, 1, XNACK_UNCHANGED, "pinned host memory");
	of->allocation->api = 0;
	is(of, 1, XNACK_UNKNOWN_EFFECT, "not in the memory model");
}

static void gpus_that_cannot_switch(void **state)
{
	struct xnack_row *of = used("gfx1030", 0, HG_API_malloc);
	struct device *device = of->process->devices->pdata[0];

	(void)state;
	is(of, 1, XNACK_UNCHANGED, "no XNACK");
	assert_int_equal(xnack_whatif_ask(of, 1).then, ACCESS_FAULT);
	g_strlcpy(of->arch, "gfx906", sizeof(of->arch));
	is(of, 1, XNACK_UNKNOWN_EFFECT, "known for MI200");
	device->xnack = 1;
	is(of, 0, XNACK_UNKNOWN_EFFECT, "known for MI200");
	g_strlcpy(of->arch, "gfx1250", sizeof(of->arch));
	is(of, 0, XNACK_UNCHANGED, "always on here");
	device->xnack = 0;
	is(of, 1, XNACK_UNKNOWN_EFFECT, "known for MI200");
}

static void what_the_machine_did_not_tell(void **state)
{
	struct xnack_row *of = used("gfx942", 0, HG_API_malloc);
	struct device *device = of->process->devices->pdata[0];

	(void)state;
	device->integrated = -1;
	is(of, 1, XNACK_UNKNOWN_EFFECT, "could not be queried");
	device->integrated = 1;
	is(of, 1, XNACK_UNKNOWN_EFFECT, "does not cover it");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_of_a_call_stack),           TEST(nothing_is_known_of_the_gpu),
		TEST(kernels_may_use_other_memory),       TEST(memory_of_the_system),
		TEST(without_xnack_it_has_no_mapping),    TEST(managed_memory),
		TEST(managed_memory_without_xnack),       TEST(advice_keeps_memory_in_place),
		TEST(memory_that_xnack_does_not_concern), TEST(gpus_that_cannot_switch),
		TEST(what_the_machine_did_not_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
