/* SPDX-License-Identifier: Apache-2.0 */
/* The time that the processor's counter tells, against the clock, also while that is adjusted. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/clock.h"
#include "preload/core/libc.h"

/* What clock.c needs of the library around it. */
struct hg_libc hg_libc;

/* ---- a clock that can be made to run faster ---- */

static uint64_t faster_since, faster_until = UINT64_MAX; /* atomic; ns; 0: it runs as it does */
#define FASTER_PPM 500u

static uint64_t true_now(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return hg_ns(&now);
}

static int faked(clockid_t clock, struct timespec *time)
{
	uint64_t since = __atomic_load_n(&faster_since, __ATOMIC_RELAXED), now;
	uint64_t until = __atomic_load_n(&faster_until, __ATOMIC_RELAXED);
	long rc = syscall(SYS_clock_gettime, clock, time);

	if (!since || clock != CLOCK_MONOTONIC)
		return (int)rc;
	now = hg_ns(time);
	if (now > until)
		now += (until - since) / (1000000u / FASTER_PPM);
	else
		now += (now - since) / (1000000u / FASTER_PPM);
	time->tv_sec = (time_t)(now / 1000000000u);
	time->tv_nsec = (long)(now % 1000000000u);
	return (int)rc;
}

/* ---- */

/*
 * However long the thread was interrupted: it lies between two readings of the clock. Where the
 * clock is adjusted, the counter is 100 ns behind after a fifth of a millisecond. The rest is for
 * the readings, which are system calls here.
 */
#define ERROR_NS 400u

static void check_for(uint64_t ns)
{
	uint64_t begin = hg_now(), after = begin;

	while (after - begin < ns) {
		for (int i = 0; i < 20; i++) {
			uint64_t before = hg_now(), counted = hg_now_counted();

			after = hg_now();
			assert_in_range(counted, before - ERROR_NS, after + ERROR_NS);
		}
	}
}

static void test_near_the_clock(void **state)
{
	struct timespec nap = { .tv_nsec = 3000000 };

	(void)state;
	hg_libc.close = close;
	check_for(250000000);
	for (int i = 0; i < 20; i++) {
		nanosleep(&nap, NULL);
		check_for(100000);
	}
}

static void test_adjusted(void **state)
{
	(void)state;
	__atomic_store_n(&faster_since, true_now(), __ATOMIC_RELAXED);
	check_for(300000000);
	__atomic_store_n(&faster_until, true_now(), __ATOMIC_RELAXED);
	check_for(300000000);
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
	hg_clock_gettime = faked;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_the_clock),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_adjusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
