/* SPDX-License-Identifier: Apache-2.0 */
/* The samples share error checks and the choice of a variant by argument. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* A HIP call that has to succeed: says what failed and ends the program with status 1. */
#define CHECK(call)                                                                   \
	do {                                                                          \
		hipError_t error_ = (call);                                           \
		if (error_ != hipSuccess) {                                           \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				hipGetErrorString(error_));                           \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

/* A HIP call whose outcome is part of the sample: prints "NAME: hipSuccess". */
#define SHOW(name, call) printf("%s: %s\n", (name), hipGetErrorName(call))

/* A variant of a sample: what argv[1] selects. */
struct variant {
	const char *name;
	void (*run)();
};

/* Runs the variant that argv[1] names; without one, lists them. Returns main's status. */
template <size_t count>
static int run_variant(const variant (&variants)[count], int argc, char **argv)
{
	for (const variant &v : variants) {
		if (argc == 2 && strcmp(argv[1], v.name) == 0) {
			v.run();
			return 0;
		}
	}
	fprintf(stderr, "usage: %s VARIANT, one of:", argv[0]);
	for (const variant &v : variants)
		fprintf(stderr, " %s", v.name);
	fprintf(stderr, "\n");
	return 2;
}

#endif
