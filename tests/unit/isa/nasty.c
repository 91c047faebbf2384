/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa against nasty.hip, swap.hip, disguise.hip, minmax.hip or compiled/library.hip.
 * Usage: nasty SOURCE VARIANT...; a variant's file is named SOURCE[-PROCESSOR]-LEVEL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/isa/isa.h"
#include "tests/unit/isa/expect.h"

static struct expectations expectations;

static void check(void **state)
{
	struct variant *variant = *state;
	char *error = NULL;

	if (isa_analyze(variant->elf, variant->elf_size, NULL, &variant->object, &error)) {
		print_message("# %s: %s\n", variant->name, error ? error : "?");
		free(error);
		fail();
	}
	assert_true(expect_compare(&expectations, variant) > 0);
	isa_code_object_free(variant->object);
	free(variant->bytes);
}

int main(int argc, char **argv)
{
	static struct variant variants[16];
	struct CMUnitTest tests[16];
	int count = 0;

	if (argc < 3 || argc > 18)
		return 99;
	expect_read(&expectations, argv[1]);
	for (int i = 2; i < argc; i++) {
		variant_load(&variants[count], argv[i]);
		tests[count] = (struct CMUnitTest){ variants[count].name, check, NULL, NULL,
						    &variants[count] };
		count++;
	}
	return _cmocka_run_group_tests("nasty", tests, (size_t)count, NULL, NULL);
}
