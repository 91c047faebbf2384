/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenMP samples share this choice of a variant by argument. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variant of a sample: what argv[1] selects. */
struct variant {
	const char *name;
	void (*run)(void);
};

/* Runs the variant that argv[1] names; without one, lists them. Returns main's status. */
static int run_variant(const struct variant *variants, size_t count, int argc, char **argv)
{
	for (size_t i = 0; i < count; i++) {
		if (argc == 2 && !strcmp(argv[1], variants[i].name)) {
			variants[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: %s VARIANT, one of:", argv[0]);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", variants[i].name);
	fprintf(stderr, "\n");
	return 2;
}

#define RUN_VARIANT(variants, argc, argv) \
	run_variant(variants, sizeof(variants) / sizeof((variants)[0]), argc, argv)

#endif
