/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Python's code, against what the interpreters themselves tell of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/symbols/python_lines.h"

static const struct row {
	unsigned minor;
	int first_line;
	uint32_t length;
	const uint8_t *table;
	unsigned count;
	const int *lines;
} rows[] = {
#include "python_tables.def"
};

static struct python_code code_of(const struct row *row)
{
	return (struct python_code){ .first_line = row->first_line,
				     .minor = row->minor,
				     .length = row->length,
				     .lines = (uint8_t *)(uintptr_t)row->table };
}

static void test_tables(void **state)
{
	unsigned versions = 0;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct python_code code = code_of(&rows[i]);

		versions |= 1u << rows[i].minor;
		assert_int_equal(code.first_line, 301);
		for (unsigned at = 0; at < rows[i].count; at++)
			if (python_line(&code, 2 * at) != (unsigned)rows[i].lines[at])
				fail_msg("3.%u, byte %u: %u, not %d", rows[i].minor, 2 * at,
					 python_line(&code, 2 * at), rows[i].lines[at]);
	}
	assert_int_equal(versions, 0x3fu << 9);
}

/* Of a table every byte may be chosen, and it may be cut: nothing behind it is read. */
static void test_hostile(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t length = round % 60;
		uint8_t *table = malloc(length + 1);
		struct python_code code = { .first_line = (int)(random % 5) - 2,
					    .minor = 9 + round % 6,
					    .length = length,
					    .lines = table };

		for (uint32_t i = 0; i < length; i++) {
			random = random * 1103515245 + 12345;
			table[i] = round % 3 ? (uint8_t)(random >> 16) : 0xff;
		}
		assert_in_range(python_line(&code, random >> (round % 32)), 0, INT32_MAX);
		free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
