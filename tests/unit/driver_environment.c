/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program over the software GPU as a driver finds in its environment, by the release of
 * AMD's HSA runtime that it will use.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/environment.h"
#include "tracer/install.h"

#define BLOCKS "HSA_DISABLE_FRAGMENT_ALLOCATOR"

static char folder[] = "/tmp/hipgrain-environment-XXXXXX";

static void make_file(const char *name)
{
	int file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	close(file);
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	make_file("libhipgrain-softkfd.so");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink("libhipgrain-softkfd.so");
	return rmdir(folder);
}

/* With a runtime whose file has that name; the value of BLOCKS that the program gets. */
static const char *blocks_with(const char *name, const char *preset)
{
	const struct softgpu_model model = { .xcds = 0 };
	char path[128], driver[128];
	const struct install_paths install = { .driver = driver };

	snprintf(path, sizeof(path), "%s/hsa", folder);
	snprintf(driver, sizeof(driver), "%s/libhipgrain-softkfd.so", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(setenv("LD_LIBRARY_PATH", path, 1), 0);
	assert_int_equal(chdir(path), 0);
	make_file(name);
	assert_int_equal(symlink(name, "libhsa-runtime64.so.1"), 0);
	unsetenv(BLOCKS);
	if (preset)
		assert_int_equal(setenv(BLOCKS, preset, 1), 0);
	assert_int_equal(environment_softgpu(&install, &model), 0);
	unlink("libhsa-runtime64.so.1");
	unlink(name);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(rmdir(path), 0);
	return getenv(BLOCKS);
}

static void test_blocks(void **state)
{
	(void)state;
	assert_string_equal(blocks_with("libhsa-runtime64.so.1.5.0", NULL), "1");
	assert_string_equal(blocks_with("libhsa-runtime64.so.1.7.50403", NULL), "1");
	assert_null(blocks_with("libhsa-runtime64.so.1.8.0", NULL));
	assert_null(blocks_with("libhsa-runtime64.so.1.13.0", NULL));
	/* The program's user decides, and a library without a number says nothing. */
	assert_string_equal(blocks_with("libhsa-runtime64.so.1.5.0", "0"), "0");
	assert_string_equal(blocks_with("libhsa-runtime64.so.1.13.0", "1"), "1");
	assert_null(blocks_with("libhsa-runtime64.so", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
