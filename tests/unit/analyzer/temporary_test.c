/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary directories: which process removes them, and when. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/reader/temporary.h"

/* One with a file in it. */
static char *make(void)
{
	char *folder = temporary_make("test"), *file;

	assert_non_null(folder);
	file = g_build_filename(folder, "file", NULL);
	assert_true(g_file_set_contents(file, "x", 1, NULL));
	g_free(file);
	return folder;
}

static bool is_there(const char *folder)
{
	return g_file_test(folder, G_FILE_TEST_IS_DIR);
}

static void test_removed(void **state)
{
	char *folder = make(), *name = g_strdup(folder);

	(void)state;
	temporary_remove(folder);
	assert_false(is_there(name));
	g_free(name);
}

static void test_all(void **state)
{
	char *one = make(), *other = make();

	(void)state;
	temporary_remove_all();
	assert_false(is_there(one));
	assert_false(is_there(other));
	g_free(one);
	g_free(other);
}

static void test_not_by_a_child(void **state)
{
	char *folder = make(), *file = g_build_filename(folder, "file", NULL);
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		temporary_remove_all(); /* as exit() does */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(g_file_test(file, G_FILE_TEST_EXISTS));
	temporary_remove(folder);
	g_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_not_by_a_child),
	};

	return cmocka_run_group_tests_name("temporary", tests, NULL, NULL);
}
