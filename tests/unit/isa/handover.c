/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa/handover.c against handover.hip. Usage: handover SOURCE VARIANT...; a variant's file
 * is named handover-PROCESSOR-LEVEL. A kernel without a line hands over nothing.
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/isa.h"
#include "tests/unit/isa/expect.h"

static struct expectations expectations;

static unsigned argument(const struct isa_party *party)
{
	return party->kernarg / 8;
}

/* What both sides are found of, each pair once. */
static void describe(const struct isa_kernel *kernel, char *text, size_t size)
{
	*text = 0;
	for (size_t i = 0; i < kernel->handover_count; i++) {
		const struct isa_handover *writes = &kernel->handovers[i];

		for (size_t k = 0; k < kernel->handover_count; k++) {
			const struct isa_handover *reads = &kernel->handovers[k];
			size_t used = strlen(text);

			if (isa_handover_meets(writes, reads))
				snprintf(text + used, size - used, "%s%u>%u w%s r%s%s",
					 used ? "; " : "", argument(&writes->data),
					 argument(&writes->flag), writes->ordered ? "" : "!",
					 reads->ordered ? "" : "!", reads->waits ? "+" : "");
		}
	}
}

static const char *expected(const struct variant *variant, const char *kernel)
{
	const char *name = strchr(variant->name, '-') + 1;

	for (size_t i = 0; i < expectations.count; i++)
		if (!strcmp(expectations.row[i].kernel, kernel) &&
		    !fnmatch(expectations.row[i].variants, name, 0))
			return expectations.row[i].spec;
	return "";
}

static void check(void **state)
{
	struct variant *variant = *state;
	bool unoptimized = strstr(variant->name, "-O0") != NULL;
	unsigned wrong = 0, found = 0;
	char *error = NULL;

	if (isa_analyze(variant->elf, variant->elf_size, NULL, &variant->object, &error)) {
		print_message("# %s: %s\n", variant->name, error ? error : "?");
		free(error);
		fail();
	}
	for (size_t i = 0; i < variant->object->kernel_count; i++) {
		const struct isa_kernel *kernel = &variant->object->kernels[i];
		const char *want = expected(variant, kernel->symbol);
		char text[512];

		describe(kernel, text, sizeof(text));
		found += *text != 0;
		/* Of unoptimized code less may be found, but nothing that is missing wrongly. */
		if (unoptimized ? strchr(text, '!') && !strchr(want, '!') : strcmp(text, want)) {
			print_message("# %s, %s: \"%s\" instead of \"%s\"\n", variant->name,
				      kernel->symbol, text, want);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
	assert_true(found > 0 || unoptimized);
	assert_true(variant->object->kernel_count >= 18);
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
	return _cmocka_run_group_tests("handover", tests, (size_t)count, NULL, NULL);
}
