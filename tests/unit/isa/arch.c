/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa against arch.hip, compiled for many processors. Usage: arch SOURCE VARIANT...; a
 * variant's file is named PROCESSOR-LEVEL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
	assert_true(strncmp(variant->name, variant->object->arch, strlen(variant->object->arch)) ==
		    0);
	assert_true(expect_compare(&expectations, variant) >= 21);
	isa_code_object_free(variant->object);
}

int main(int argc, char **argv)
{
	static struct variant variants[64];
	static struct CMUnitTest tests[64];
	size_t count = 0;
	int status;

	if (argc < 3 || argc > 66)
		return 99;
	expect_read(&expectations, argv[1]);
	for (int i = 2; i < argc; i++, count++) {
		variant_load(&variants[count], argv[i]);
		tests[count] = (struct CMUnitTest){ variants[count].name, check, NULL, NULL,
						    &variants[count] };
	}
	status = _cmocka_run_group_tests("arch", tests, count, NULL, NULL);
	for (size_t i = 0; i < count; i++)
		free(variants[i].bytes);
	return status;
}
