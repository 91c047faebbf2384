/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels with the same bytes for two processors: analysed once only if both decode them alike.
 * Usage: twins GFX906 GFX900, the latter being the former with another processor's number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/isa.h"
#include "tests/unit/isa/variant.h"

static struct variant variants[2];

static const struct isa_kernel *kernel_of(const struct isa_code_object *object, const char *name)
{
	for (size_t i = 0; i < object->kernel_count; i++)
		if (!strcmp(object->kernels[i].name, name))
			return &object->kernels[i];
	fail_msg("no kernel %s", name);
	return NULL;
}

/* In this order: what is found of the first one is there when the second one is analysed. */
static void other_processor(void **state)
{
	const struct isa_kernel *plain, *product;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *error = NULL;

		if (isa_analyze(variants[i].elf, variants[i].elf_size, NULL, &variants[i].object,
				&error))
			fail_msg("%s: %s", variants[i].name, error ? error : "?");
		plain = kernel_of(variants[i].object, "plain");
		assert_null(plain->unvisited);
		assert_int_equal(plain->atomic_count, 1);
	}
	product = kernel_of(variants[0].object, "product");
	assert_null(product->unvisited);
	assert_int_equal(product->atomic_count, 1);
	/* Not what was found for the other processor. */
	product = kernel_of(variants[1].object, "product");
	assert_non_null(product->unvisited);
	assert_non_null(strstr(product->unvisited, "not a known instruction"));
	assert_int_equal(product->atomic_count, 0);
	for (size_t i = 0; i < 2; i++)
		isa_code_object_free(variants[i].object);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(other_processor) };

	if (argc != 3) {
		fprintf(stderr, "usage: twins GFX906 GFX900\n");
		return 99;
	}
	variant_load(&variants[0], argv[1]);
	variant_load(&variants[1], argv[2]);
	return cmocka_run_group_tests_name("twins", tests, NULL, NULL);
}
