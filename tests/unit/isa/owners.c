/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of atomics that a library's header has: the program's line, if it has one.
 * usage: test-isa-owners VARIANT...   owners.hip
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/lines.h"
#include "tests/unit/isa/variant.h"

static struct variant variants[4];
static size_t variant_count;

static void analyze(struct variant *variant, const char *path)
{
	char *error = NULL;

	variant_load(variant, path);
	if (isa_analyze(variant->elf, variant->elf_size, NULL, &variant->object, &error)) {
		fprintf(stderr, "%s: %s\n", path, error ? error : "?");
		exit(99);
	}
}

static void has_place(const char *kernel_name, const char *file, unsigned line)
{
	for (size_t i = 0; i < variant_count; i++) {
		const struct isa_kernel *kernel = isa_find_kernel(variants[i].object, kernel_name);

		assert_non_null(kernel);
		assert_true(kernel->atomic_count > 0);
		for (size_t k = 0; k < kernel->atomic_count; k++) {
			assert_string_equal(kernel->atomics[k].file, file);
			assert_int_equal(kernel->atomics[k].line, line);
		}
	}
}

static void places(void **state)
{
	(void)state;
	has_place("of_program", "/home/u/app.hip", 20);
	has_place("by_call", "/home/u/app.hip", 21);
	/* Not that of atomicAdd(), which is HIP's. */
	has_place("of_library", "/opt/raja/include/RAJA/policy/hip/atomic.hpp", 10);
}

static void owners(void **state)
{
	(void)state;
	assert_int_equal(lines_owner("/usr/include/hip/amd_detail/a.h"), LINES_COMPILER);
	assert_int_equal(lines_owner("/usr/include/c++/12/vector"), LINES_COMPILER);
	assert_int_equal(lines_owner("/src/kokkos/core/src/Kokkos_Atomic.hpp"), LINES_LIBRARY);
	assert_int_equal(lines_owner("/home/u/c++/app.hip"), LINES_PROGRAM);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(owners),
	};
	int status;

	for (int i = 1; i < argc && variant_count < 4; i++)
		analyze(&variants[variant_count++], argv[i]);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < variant_count; i++) {
		isa_code_object_free(variants[i].object);
		free(variants[i].bytes);
	}
	return status;
}
