/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which ROCm's libraries are tried. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "comgr/rocm.h"

static char folder[] = "/tmp/hipgrain-rocm-XXXXXX";

static void make(const char *name)
{
	int fd = openat(AT_FDCWD, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) || mkdir("lib", 0700))
		return -1;
	make("lib/libx.so.6");
	make("lib/libx.so.10");
	make("lib/libx.so.6.10.1");
	make("lib/libx.so.6.9.1");
	make("lib/libx.so");
	make("lib/libxy.so.7");
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "x.so.6",     "x.so.10", "x.so.6.10.1",
					     "x.so.6.9.1", "x.so",    "xy.so.7" };
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "lib/lib%s", names[i]);
		unlink(path);
	}
	return rmdir("lib") || chdir("/") || rmdir(folder);
}

static void newest_is_first(void **state)
{
	static const char *const expected[] = { "libx.so.10", "libx.so.6.10.1", "libx.so.6.9.1",
						"libx.so.6" };
	char **list, directory[64];

	(void)state;
	snprintf(directory, sizeof(directory), "%s/lib", folder);
	list = rocm_libraries_in(directory, "libx.so");
	assert_non_null(list);
	for (size_t i = 0; i < 4; i++) {
		assert_non_null(list[i]);
		assert_string_equal(strrchr(list[i], '/') + 1, expected[i]);
	}
	assert_null(list[4]);
	rocm_libraries_free(list);
}

static void rocm_path_is_first(void **state)
{
	char **list;

	(void)state;
	setenv("ROCM_PATH", folder, 1);
	list = rocm_libraries("libx.so");
	assert_non_null(list);
	assert_non_null(list[0]);
	assert_int_equal(strncmp(list[0], folder, strlen(folder)), 0);
	rocm_libraries_free(list);
	/* A relative one is not used. */
	setenv("ROCM_PATH", ".", 1);
	list = rocm_libraries("libx.so");
	assert_non_null(list);
	for (size_t i = 0; list[i]; i++)
		assert_int_equal(strncmp(list[i], "/opt/", 5), 0);
	rocm_libraries_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_is_first),
		cmocka_unit_test(rocm_path_is_first),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
