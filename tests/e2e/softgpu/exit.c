// SPDX-License-Identifier: Apache-2.0
/*
 * The end of a process while handlers of signals are due. AMD's runtime, seen with 5.2.3 and 6.1.2,
 * does not wait for them, and nothing else holds up the end. TAP on stdout.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

#define HANDLER_US 200000
#define ENDED      10
#define RUNNING    11
#define LATE       12 /* the longest that handlers may hold up the end: a second */

static volatile int ended;
static struct timespec left;

static double since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static void leave_now(void)
{
	clock_gettime(CLOCK_MONOTONIC, &left);
	exit(0);
}

static bool sleep_and_end(hsa_signal_value_t value, void *unused)
{
	(void)value, (void)unused;
	usleep(HANDLER_US);
	ended = 1;
	return false;
}

static bool leave(hsa_signal_value_t value, void *unused)
{
	(void)value, (void)unused;
	leave_now();
	return false;
}

/* As a destructor of a library that hsa_init() finds loaded. */
static void look(void)
{
	_exit(ended ? ENDED : since(&left) < 1 ? RUNNING : LATE);
}

/* In a process of its own: register `handler`, meet its condition or not, and leave. */
static int status_of(hsa_amd_signal_handler handler, bool due, bool waits)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		hsa_signal_t signal = { 0 };

		atexit(look);
		if (hsa_init() || hsa_signal_create(1, 0, NULL, &signal) ||
		    hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT, 1, handler, NULL))
			_exit(3);
		if (due)
			hsa_signal_store_screlease(signal, 0);
		while (waits)
			pause();
		leave_now();
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	check(status_of(sleep_and_end, true, false) == RUNNING,
	      "a handler that is due does not hold up the end");
	check(status_of(sleep_and_end, false, false) == RUNNING,
	      "one that is not due does not hold up the end");
	check(status_of(leave, true, true) == RUNNING,
	      "one that ends the process itself does not wait for itself");
	return tap_end();
}
