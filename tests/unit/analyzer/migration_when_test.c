/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which launches and prefetches the account of moved pages takes to be at work at a time. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/migration/migration_state.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_sync.h"

#define ALL 0 /* of a wait: all streams */

static struct migration migration;
static struct allocation memory, other;

static int setup(void **state)
{
	(void)state;
	memset(&migration, 0, sizeof(migration));
	migration.prefetches = g_array_new(FALSE, TRUE, sizeof(struct prefetch_record));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	g_array_free(migration.prefetches, TRUE);
	return 0;
}

static struct gpu_work *launch(int64_t ns, uint32_t kernel, uint64_t stream)
{
	struct gpu_work *work = &migration.recent[migration.count++ % RECENT];

	*work = (struct gpu_work){ .ns = ns,
				   .kernel_id = kernel,
				   .stream = stream,
				   .touched = { &memory },
				   .access = { ISA_READ },
				   .touched_count = 1 };
	return work;
}

static void wait_for(int64_t ns, uint64_t stream)
{
	struct hg_event event = { .type = HG_EVENT_sync,
				  .ns = ns,
				  .sync = &(struct hg_ev_sync){
				      .api = stream == ALL ? HG_API_hipDeviceSynchronize
							   : HG_API_hipStreamSynchronize,
				      .stream = stream } };

	gpu_work_wait(&migration, &event);
}

/* Returns the kernel that used the memory at that time, 0: none. */
static uint32_t user(int64_t ns, bool several)
{
	bool others;
	const struct gpu_work *work = who_used(&migration, ns, 0, &memory, &others);

	assert_int_equal(others, several);
	return work ? work->kernel_id : 0;
}

static void the_oldest_that_was_not_waited_for(void **state)
{
	(void)state;
	launch(10, 1, 7);
	wait_for(20, ALL);
	launch(30, 2, 7);
	launch(40, 2, 8);
	launch(90, 3, 7);
	assert_int_equal(user(50, false), 2);
	assert_int_equal(who_used(&migration, 50, 0, &memory, &(bool){ 0 })->ns, 30);
	assert_int_equal(user(100, true), 2);
	assert_int_equal(user(15, false), 1);
	assert_null(who_used(&migration, 100, 0, &other, &(bool){ 0 }));
	assert_null(who_used(&migration, 100, 1, &memory, &(bool){ 0 }));
	assert_non_null(who_used(&migration, 100, -1, &memory, &(bool){ 0 }));
}

static void a_wait_for_one_stream(void **state)
{
	struct hg_ev_sync fields = { 0 };
	struct hg_event event = { .type = HG_EVENT_sync, .ns = 25, .sync = &fields };

	(void)state;
	launch(10, 1, 7);
	launch(11, 2, 8);
	fields.api = HG_API_hipStreamQuery; /* waits for nothing */
	gpu_work_wait(&migration, &event);
	assert_int_equal(user(30, true), 1);
	wait_for(40, 7);
	assert_int_equal(user(50, false), 2);
	for (uint64_t stream = 100; stream < 120; stream++) /* more than are told apart */
		wait_for(60, stream);
	assert_int_equal(user(70, true), 1);
}

static void it_is_not_known_what_a_launch_uses(void **state)
{
	(void)state;
	launch(10, 1, 7)->unknown = true;
	assert_int_equal(user(20, true), 1);
	assert_true(gpu_work_touches(&migration.recent[0], &other));
	assert_int_equal(gpu_work_access(&migration.recent[0], &memory), ANY_ACCESS);
}

static enum page_use used(int64_t from, int64_t to, unsigned access)
{
	unsigned got;
	enum page_use use = used_between(&migration, &memory, from, to, &got);

	assert_int_equal(got, access);
	return use;
}

static void uses_of_a_time(void **state)
{
	(void)state;
	launch(10, 1, 7);
	launch(20, 2, 8)->access[0] = ISA_WRITE;
	assert_int_equal(used(15, 25, ISA_READ | ISA_WRITE), USED);
	assert_int_equal(used(5, 15, ISA_READ), USED);
	assert_int_equal(used(1, 5, 0), NOT_USED);
	wait_for(30, 7);
	assert_int_equal(used(40, 50, ISA_WRITE), USED);
	assert_int_equal(used(25, 50, ISA_READ | ISA_WRITE), USED); /* the wait ends in it */
	wait_for(60, ALL);
	assert_int_equal(used(70, 80, 0), NOT_USED);
	assert_int_equal(used(55, 80, ISA_WRITE), USED);
	launch(90, 3, 7)->touched[0] = &other;
	assert_int_equal(used(85, 95, 0), NOT_USED);
	launch(100, 4, 7)->unknown = true;
	assert_int_equal(used(95, 105, 0), USE_UNKNOWN);
}

static void what_is_long_ago_is_forgotten(void **state)
{
	(void)state;
	launch(1, 1, 7);
	for (int64_t i = 0; i < RECENT; i++)
		launch(10 + i, 2, 7)->touched[0] = &other;
	assert_int_equal(used(0, 5, 0), USE_UNKNOWN);
}

/* ---- prefetches ---- */

static struct prefetch_record *prefetch(int64_t ns, uint64_t start, uint64_t end, int32_t target)
{
	struct prefetch_record record = {
		.start = start, .end = end, .target = target, .ns = ns, .allocation = &memory
	};

	g_array_append_val(migration.prefetches, record);
	return &g_array_index(migration.prefetches, struct prefetch_record,
			      migration.prefetches->len - 1);
}

static void a_prefetch_is_used_by_the_first_launch(void **state)
{
	const struct prefetch_record *record = prefetch(1, 0x1000, 0x2000, 0);

	(void)state;
	launch(10, 1, 7)->touched[0] = &other;
	prefetches_launch(&migration, &migration.recent[0]);
	assert_int_equal(record->used_ns, 0);
	prefetches_launch(&migration, launch(20, 1, 7));
	assert_int_equal(record->used_ns, 20);
	prefetches_launch(&migration, launch(30, 1, 7));
	launch(40, 1, 7)->unknown = true;
	prefetches_launch(&migration, &migration.recent[3]);
	assert_int_equal(record->used_ns, 20);
}

static void a_prefetch_may_be_used_by_a_launch(void **state)
{
	const struct prefetch_record *record = prefetch(1, 0x1000, 0x2000, 0);

	(void)state;
	launch(10, 1, 7)->touched_count = 0;
	prefetches_launch(&migration, &migration.recent[0]);
	assert_int_equal(record->used_ns, 0);
	migration.recent[0].unknown = true;
	prefetches_launch(&migration, &migration.recent[0]);
	assert_int_equal(record->used_ns, 10);
}

static void when_a_prefetch_began(void **state)
{
	const int64_t now = 10 * (int64_t)SLACK_NS, before = now - SLACK_NS;

	(void)state;
	assert_int_equal(prefetch_began(&migration, 0x1000, 0x2000, 0, now), before);
	prefetch(5, 0x1000, 0x2000, 0);
	assert_int_equal(prefetch_began(&migration, 0x1000, 0x2000, 0, now), 5);
	prefetch(now - 9, 0x1000, 0x2000, 0);
	prefetch(now - 8, 0x1000, 0x2000, 0);
	assert_int_equal(prefetch_began(&migration, 0x1000, 0x2000, 0, now), now - 9);
	/* None of these is of the pages, or of that time, or goes there. */
	assert_int_equal(prefetch_began(&migration, 0x2000, 0x3000, 0, now), before);
	assert_int_equal(prefetch_began(&migration, 0, 0x1000, 0, now), before);
	assert_int_equal(prefetch_began(&migration, 0x1000, 0x2000, 1, now), before);
	assert_int_equal(prefetch_began(&migration, 0x1000, 0x2000, 0, 4), 4 - SLACK_NS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_oldest_that_was_not_waited_for),
		TEST(a_wait_for_one_stream),
		TEST(it_is_not_known_what_a_launch_uses),
		TEST(uses_of_a_time),
		TEST(what_is_long_ago_is_forgotten),
		TEST(a_prefetch_is_used_by_the_first_launch),
		TEST(a_prefetch_may_be_used_by_a_launch),
		TEST(when_a_prefetch_began),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
