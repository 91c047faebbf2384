/* SPDX-License-Identifier: Apache-2.0 */
/* A process lives until its last thread has ended, however it is looked at while its first one
 * ends. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/process_lives.h"

#define ROUNDS 200u

static void *wait_for_signal(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

/* Its first thread ends at another moment in each round. */
static pid_t start(unsigned round)
{
	pid_t child = fork();
	struct timespec moment = { .tv_nsec = 1000 * (200 + 7 * (long)round) };
	pthread_t thread;

	if (child)
		return child;
	if (pthread_create(&thread, NULL, wait_for_signal, NULL))
		_exit(1);
	nanosleep(&moment, NULL);
	pthread_exit(NULL);
}

static void a_first_thread_that_ends(void **state)
{
	char folder[PROCESS_FOLDER];
	unsigned wrong = 0, without_first = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		pid_t child = start(round);

		for (unsigned look = 0; look < 400; look++)
			wrong += !process_lives(child);
		process_folder(child, folder);
		without_first += strstr(folder, "/task/") != NULL;
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_false(process_lives(child));
	}
	assert_int_equal(wrong, 0);
	assert_true(without_first > 0);
}

static void a_zombie(void **state)
{
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child)
		_exit(0);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	assert_false(process_lives(child));
	waitpid(child, NULL, 0);
	assert_false(process_lives(child));
	assert_true(process_lives(getpid()));
	assert_false(process_lives(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_thread_that_ends),
		cmocka_unit_test(a_zombie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
