/* SPDX-License-Identifier: Apache-2.0 */
/* What `hipgrain doctor --report` leaves of names and values. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/doctor/hide_names.h"

static struct redaction redaction;

static int begin(void **state)
{
	(void)state;
	redact_begin(&redaction, "alice", "login7");
	redact_know(&redaction, "/home/alice:/projects/secret project/bin:./app:/");
	return 0;
}

static int end(void **state)
{
	(void)state;
	redact_end(&redaction);
	return 0;
}

static void gives(const char *text, const char *expected)
{
	char *given = redact_text(&redaction, text);

	assert_string_equal(given, expected);
	g_free(given);
}

static void gives_value(const char *value, const char *expected)
{
	char *given = redact_value(&redaction, value);

	assert_string_equal(given, expected);
	g_free(given);
}

static void test_paths(void **state)
{
	(void)state;
	gives("/dev/kfd can be opened", "/dev/kfd can be opened");
	gives("/usr/lib/x/libamdhip64.so.5 is HIP 5.2", "/usr/lib/x/libamdhip64.so.5 is HIP 5.2");
	gives("/opt/rocm-6.4/lib/libamdhip64.so.6: x", "/opt/rocm-6.4/lib/libamdhip64.so.6: x");
	gives("/data/x/libamdhip64.so.6 is HIP 6", "DIR1/libamdhip64.so.6 is HIP 6");
	gives("/data/x/simulate can be preloaded", "DIR1/FILE1 can be preloaded");
	gives("(/data/y/simulate), /data/x/simulate:", "(DIR2/FILE2), DIR1/FILE1:");
	gives("/usr/local/project/libfoo.so", "DIR3/FILE3");
	gives("/usr/../home/bob/x", "DIR4/FILE4");
	gives("/opt/rocmine/x", "DIR5/FILE5");
	gives("nothing: 3/4, and/or", "nothing: 3/4, and/or");
}

static void test_paths_with_spaces(void **state)
{
	(void)state;
	gives("/projects/secret project/bin/libhipgrain-preload.so would be preloaded",
	      "DIR1/libhipgrain-preload.so would be preloaded");
	gives("./app: is a script", "FILE1: is a script");
}

static void test_names(void **state)
{
	(void)state;
	gives("alice on login7, not malice", "USER on HOST, not malice");
}

static void test_values(void **state)
{
	(void)state;
	gives_value("1", "1");
	gives_value("0,1", "0,1");
	gives_value("TRUE", "TRUE");
	gives_value("4929153627481936274819", "(set)");
	gives_value("hunter2", "(set)");
	gives_value("/usr/lib/libjemalloc.so.2", "/usr/lib/libjemalloc.so.2");
	gives_value("/home/alice/my, own lib/libtop secret.so:/usr/lib/libx.so",
		    "DIR1/FILE1:/usr/lib/libx.so");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, begin, end),
		cmocka_unit_test_setup_teardown(test_paths_with_spaces, begin, end),
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_values, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
