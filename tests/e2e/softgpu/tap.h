/* SPDX-License-Identifier: Apache-2.0 */
/* The little of TAP (Test Anything Protocol) that these programs need; C and HIP C++. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_tests, tap_failures;

/* One result line, described like printf. */
__attribute__((format(printf, 2, 3))) static inline void check(bool good, const char *format, ...)
{
	va_list arguments;

	printf("%sok %d - ", good ? "" : "not ", ++tap_tests);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	tap_failures += !good;
}

/* The plan, and the exit status of main. */
static inline int tap_end(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failures != 0;
}

#endif
