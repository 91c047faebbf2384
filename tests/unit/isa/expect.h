/* SPDX-License-Identifier: Apache-2.0 */
/* What the analysis must say of a compiled file, from "//!" lines in its source (kernels.hip). */
#ifndef HIPGRAIN_TEST_ISA_EXPECT_H
#define HIPGRAIN_TEST_ISA_EXPECT_H

#include <stdbool.h>

#include "tests/unit/isa/variant.h"

#define MAX_LINES 400
#define MAX_SPECS 64
#define SPEC_SIZE 512

struct expectation {
	char kernel[64], variants[64], spec[SPEC_SIZE];
	unsigned first, last; /* major versions of clang for which it holds */
	bool optional;
	unsigned line;
};

struct expectations {
	struct expectation row[MAX_LINES];
	size_t count;
	unsigned add_direct_line; /* the one that ends in "// @add_direct" */
	char source[64];          /* name of the file without its directory */
};

/* Exits the process if it cannot be read. */
void expect_read(struct expectations *expectations, const char *path);

/*
 * Compare all kernels of variant->object; fails the running test if anything differs or a kernel
 * has no expectation. Returns how many kernels were compared.
 */
unsigned expect_compare(const struct expectations *expectations, const struct variant *variant);

#endif
