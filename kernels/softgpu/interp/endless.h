/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that take long, or never end. */
#ifndef SOFTGPU_ENDLESS_H
#define SOFTGPU_ENDLESS_H

#include "interp.h"

/* This says where a launch waits: one of its waves, and the load that it repeats. */
struct sg_endless {
	struct sg_wave *wave;
	const struct sg_insn *load; /* NULL: it loads nothing */
	uint64_t address, seconds;  /* of the load; since a work-group ended */
	unsigned lane, size;
	bool lds, sure; /* sure: nothing but another's store can end it */
};

/*
 * While checks are on: says once, on standard error, how long a launch takes that has run for ten
 * seconds. Returns true if it has to be ended (softgpu_config.time_limit), which was reported. To
 * be called after each step that left it running, by one thread.
 */
bool sg_endless_look(struct softgpu_run *run);

/* For softgpu_run_create() and softgpu_run_destroy(). */
void sg_endless_begin(struct softgpu_run *run);
void sg_endless_end(struct softgpu_run *run);

#endif
