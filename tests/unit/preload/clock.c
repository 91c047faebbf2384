/* SPDX-License-Identifier: Apache-2.0 */
/* The time that the processor's counter tells, against the clock. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/clock.h"
#include "preload/core/libc.h"

/* What clock.c needs of the library around it. */
struct hg_libc hg_libc;

/* However long the thread was interrupted: it lies between two readings of the clock. */
#define ERROR_NS 2000u

static void check_for(uint64_t ns)
{
	uint64_t begin = hg_now(), after = begin;

	while (after - begin < ns) {
		uint64_t before = hg_now(), about = hg_now_or_before();

		after = hg_now();
		assert_in_range(about, before - ERROR_NS, after + ERROR_NS);
	}
}

static void test_near_the_clock(void **state)
{
	struct timespec nap = { .tv_nsec = 3000000 };

	(void)state;
	hg_libc.close = close;
	check_for(20000000);
	for (int i = 0; i < 20; i++) {
		nanosleep(&nap, NULL);
		check_for(100000);
	}
}

static void *thread(void *unused)
{
	check_for(5000000);
	return unused;
}

static void test_threads(void **state)
{
	pthread_t running[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&running[i], NULL, thread, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(running[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_the_clock),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
