/* SPDX-License-Identifier: Apache-2.0 */
/* Disassemblers that crash: what they crashed for is no instruction, in every thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/isa/disasm_guard.h"

static size_t one(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size)
{
	(void)handle;
	(void)size;
	(void)text_size;
	if (code[0] == 1)
		raise(SIGSEGV);
	if (code[0] == 2)
		raise(SIGBUS);
	strcpy(text, "s_nop 0");
	return 4;
}

static const struct disasm_backend crashing = { .name = "crashing", .one = one };

static size_t read_one(uint8_t byte)
{
	char text[32] = "";
	uint8_t code[4] = { byte };

	return disasm_guarded(&crashing, NULL, code, sizeof(code), text, sizeof(text));
}

static void *many(void *wrong)
{
	for (unsigned i = 0; i < 3000; i++)
		if (read_one((uint8_t)(i % 3)) != (i % 3 ? 0 : 4))
			*(bool *)wrong = true;
	return NULL;
}

static void test_crashes(void **state)
{
	(void)state;
	disasm_guard_install(); /* cmocka has put its own there */
	assert_int_equal(read_one(0), 4);
	assert_int_equal(read_one(1), 0);
	assert_int_equal(read_one(2), 0);
	assert_int_equal(read_one(1), 0);
	assert_int_equal(read_one(0), 4);
}

static void test_threads(void **state)
{
	pthread_t thread[4];
	bool wrong[4] = { false };

	(void)state;
	disasm_guard_install();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, many, &wrong[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		assert_false(wrong[i]);
	}
}

/* Crashes of anything else are not kept back. */
static void test_others(void **state)
{
	static const int signals[] = { SIGSEGV, SIGBUS };

	(void)state;
	for (uint8_t i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			signal(signals[i], SIG_DFL); /* cmocka's */
			disasm_guard_install();
			(void)read_one((uint8_t)(i + 1));
			raise(signals[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
	}
}

static volatile sig_atomic_t handled;

static void plain(int number)
{
	handled = number;
}

static void with_context(int number, siginfo_t *info, void *context)
{
	if (info && context)
		handled = number;
}

/* The handler that was there gets what no disassembler crashed for, however often the guard is
 * installed. */
static void test_handlers(void **state)
{
	struct sigaction cmockas, action = { .sa_handler = plain };

	(void)state;
	assert_int_equal(sigaction(SIGBUS, NULL, &cmockas), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
		disasm_guard_install();
		disasm_guard_install();
		assert_int_equal(read_one(2), 0);
		assert_int_equal(handled, 0);
		raise(SIGBUS);
		assert_int_equal(handled, SIGBUS);
		handled = 0;
		action = (struct sigaction){ .sa_sigaction = with_context, .sa_flags = SA_SIGINFO };
	}
	sigaction(SIGBUS, &cmockas, NULL);
}

/* As before, the signal is ignored. */
static void test_ignored(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		signal(SIGBUS, SIG_IGN);
		disasm_guard_install();
		raise(SIGBUS);
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_others),  cmocka_unit_test(test_handlers),
		cmocka_unit_test(test_ignored), cmocka_unit_test(test_crashes),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
