// SPDX-License-Identifier: Apache-2.0
/* The software GPU's environment: variables that it does not know are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/softgpu/host/softgpu_host.h"

static char said[1024];

void sg_warn(const char *format, ...)
{
	size_t used = strlen(said);
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(said + used, sizeof said - used, format, arguments);
	va_end(arguments);
	snprintf(said + used, sizeof said - used, "\n");
}

static int forget(void **state)
{
	(void)state;
	said[0] = 0;
	return clearenv() || setenv("CMOCKA_MESSAGE_OUTPUT", "tap", 1);
}

static void test_known(void **state)
{
	(void)state;
	setenv("SOFTGPU_DEVICES", "2", 1);
	setenv("SOFTGPU_CACHE", "0", 1);
	setenv("SOFTGPU_MIGRATION_LOG", "file", 1);
	setenv("SOFTGPU_ATOMIC_LOG", "", 1);
	setenv("SOFTGPU_STALE_LOG", "stale", 1);
	setenv("XSOFTGPU_DEVICES", "2", 1);
	setenv("SOFTGPU", "2", 1);
	assert_int_equal(sg_settings_read(), 0);
	assert_string_equal(said, "");
	assert_int_equal(sg_settings.gpus, 2);
	assert_null(softgpu_config.atomic_log);
	assert_string_equal(softgpu_config.stale_log, "stale");
}

static void test_unknown(void **state)
{
	static const struct {
		const char *name, *nearest;
	} rows[] = {
		{ "SOFTGPU_DEVICE", "SOFTGPU_DEVICES" },
		{ "SOFTGPU_XCD", "SOFTGPU_XCDS" },
		{ "SOFTGPU_ATOMIC_LOGS", "SOFTGPU_ATOMIC_LOG" },
		{ "SOFTGPU_SEEDS", "SOFTGPU_SEED" },
		{ "SOFTGPU_APU_", "SOFTGPU_APU" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char line[256];

		forget(NULL);
		setenv(rows[i].name, "1", 1);
		snprintf(line, sizeof line, "%s is unknown and has no effect; the nearest is %s\n",
			 rows[i].name, rows[i].nearest);
		assert_int_equal(sg_settings_read(), 0);
		assert_string_equal(said, line);
	}
}

static void test_long_name(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'A', sizeof name);
	memcpy(name, "SOFTGPU_", 8);
	name[sizeof name - 1] = 0;
	setenv(name, "1", 1);
	assert_int_equal(sg_settings_read(), 0);
	assert_non_null(strstr(said, " is unknown and has no effect"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_known, forget),
		cmocka_unit_test_setup(test_unknown, forget),
		cmocka_unit_test_setup(test_long_name, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
