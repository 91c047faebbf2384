/* SPDX-License-Identifier: Apache-2.0 */
/* This prepares the environment of a program that is to be recorded: it is set in our own before
 * exec. */
#ifndef HIPGRAIN_TRACER_ENVIRONMENT_H
#define HIPGRAIN_TRACER_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sets NAME=FIRST, or NAME=FIRST:OLD when NAME is set and does not begin with FIRST already.
 * Returns 0, or not 0 with errno.
 */
int environment_prepend(const char *name, const char *first);

/* The software GPU models this (kernels/softgpu/README.md). */
struct softgpu_model {
	unsigned xcds; /* 0: as SOFTGPU_XCDS says */
	bool seeded;   /* else as SOFTGPU_SEED says */
	uint64_t seed;
	bool limited;        /* else as SOFTGPU_TIME_LIMIT says */
	uint64_t time_limit; /* seconds; 0: none */
	const char *check;   /* tools, separated by commas; NULL: as SOFTGPU_CHECK says */
};

struct install_paths;

/* Returns NULL, or why nothing can run on the software GPU: then the next two are not to be
 * called. */
const char *environment_lacks(const struct install_paths *install);
/*
 * Has programs run on the software GPU. With more than one XCD it is a gfx942, unless SOFTGPU_ARCH
 * says otherwise. Returns 0, or not 0 with errno.
 */
int environment_softgpu(const struct install_paths *install, const struct softgpu_model *model);

/*
 * Has the calling process the software GPU beneath it as `hipgrain run --softgpu` has its program?
 * If not, it executes this program again so, with that verb and its arguments (NULL-terminated).
 * 0, or -1 with errno.
 */
int environment_enter(const struct install_paths *install, const char *verb, char **arguments);

/*
 * Has the loader load the library into programs of the GNU C library, before what LD_PRELOAD names
 * already; programs of others start without it. Returns 0, or -1 without memory.
 */
int environment_preload(const char *library);

/*
 * Has Kokkos load our tool, which loads the one that it would have loaded. Returns 0, or not 0 with
 * errno.
 */
int environment_kokkos(const struct install_paths *install);

/*
 * Sets the variables of the preload library's options: frames (negative: its default), bytes or
 * "all" (NULL: its default), full, hashed or off (NULL: its default). Returns 0, or not 0 with
 * errno.
 */
int environment_options(int stack_depth, const char *threshold, bool no_memory_queries,
			const char *kernel_arguments);

#endif
