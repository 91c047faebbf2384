/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a test can read a processor's machine code on this machine. */
#ifndef HIPGRAIN_TEST_READABLE_H
#define HIPGRAIN_TEST_READABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/isa/disasm.h"

/*
 * Whether code for that processor can be read here, by that back end (NULL: by any): false, with a
 * line on standard error, where a library is not installed. For tests to leave out what they cannot
 * do: cmocka's skip() says "not ok", which meson takes for a failure.
 */
static inline bool is_readable(const char *processor, const char *backend)
{
	const char *why;
	struct isa_disasm *disasm = isa_disasm_create(processor, 64, backend, &why);

	/* "... is not installed", "neither a libamd_comgr nor ... that knows it is installed" */
	if (!disasm && strstr(why, " installed")) {
		/* On standard output it would stand ahead of cmocka's "TAP version". */
		fprintf(stderr, "# left out: %s: %s\n", processor, why);
		return false;
	}
	isa_disasm_destroy(disasm);
	return true;
}

#endif
