/* SPDX-License-Identifier: Apache-2.0 */
/* The name that a mistyped word is taken for. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analyzer/cmds/nearest.h"

static const char *of(const char *word)
{
	static const char *const names[] = { "run", "record", "report", "scan", "ps", "placement" };
	struct nearest nearest = nearest_to(word);

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		nearest_offer(&nearest, names[i]);
	return nearest.name;
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(of("recrod"), "record");
	assert_string_equal(of("reprot"), "report");
	assert_string_equal(of("repot"), "report");
	assert_string_equal(of("rn"), "run");
	assert_string_equal(of("placment"), "placement");
	assert_string_equal(of("placements"), "placement");
}

static void test_far(void **state)
{
	char *longest = g_strnfill(100000, 'r');

	(void)state;
	assert_null(of("dump"));
	assert_null(of("xyz"));
	assert_null(of(""));
	assert_null(of(longest));
	g_free(longest);
}

static void test_options(void **state)
{
	static const char usage[] = "Usage: hipgrain x -- CMD\n"
				    "  -o, --output DIR   the bundle\n"
				    "      --format=NAME  text, see --output\n";
	char *found = nearest_option(usage, "--fromat=json");

	(void)state;
	assert_string_equal(found, "--format");
	g_free(found);
	found = nearest_option(usage, "--outptu");
	assert_string_equal(found, "--output");
	g_free(found);
	assert_null(nearest_option(usage, "--format=json"));
	assert_null(nearest_option(usage, "--colour"));
	assert_null(nearest_option(usage, "--"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
