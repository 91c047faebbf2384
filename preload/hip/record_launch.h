/* SPDX-License-Identifier: Apache-2.0 */
/* Launches are identified and recorded, more cheaply if they are like one before (hip_repeat.c). */
#ifndef HIPGRAIN_PRELOAD_HIP_RECORD_LAUNCH_H
#define HIPGRAIN_PRELOAD_HIP_RECORD_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/events.h"
#include "tracer/events/ev_launch.h"

struct hg_fix_row {
	uint8_t fix, outcome; /* HG_FIX_DONE: to be done */
	uint64_t ptr, size;
};
struct hg_fixes {
	unsigned count;
	struct hg_fix_row rows[HG_HIP_SUBJECTS];
};

/* The argument bytes of a graph's kernel, for recordings that begin after it was instantiated. */
struct hg_hip_kept {
	uint8_t *bytes; /* malloc()'s; NULL: none yet, or of length 0 */
	uint32_t length;
	uint8_t status;
	bool known;
};

/* Changes when anything changes by which a launch was identified. */
struct hg_hip_as_of {
	uint32_t epoch, generation, stack_generation;
};

struct hg_hip_kernel_variant;
struct hg_hip_launch {
	struct hg_hip_call call;
	struct hg_ev_launch event;
	const void *handle;
	void **params; /* one pointer per explicit argument; or NULL: */
	void **extra;
	bool node;    /* of a graph: it does not run now */
	bool settled; /* the module's variables are recorded: set with the name, as is: */
	struct hg_hip_as_of as_of;
	struct hg_hip_kept *kept; /* a node's: filled in, or if it is known in place of params */
	/* Set by hg_hip_launch_identify(): */
	struct hg_hip_subjects subjects;
	bool pointers;         /* hg_hip_pointers_read() is to be called */
	struct hg_fixes fixes; /* fix.c */
	const char *name;      /* the kernel's, NULL if unknown */
};

/*
 * Sets the event's kernel_id and args_id for event.device, from handle and arguments; kernel and
 * arguments are recorded if they are new. Needs hg_hip_enter().
 */
void hg_hip_launch_identify(struct hg_hip_launch *launch);

/* ---- hip_batched.c ---- */

/*
 * Does all that is to be done before the call, if this thread has launched the kernel from there
 * before and records can be gathered. Returns false if nothing was done. Needs hg_hip_enter().
 */
bool hg_hip_launch_batched(struct hg_hip_launch *launch);

/* ---- hip_repeat.c ---- */

/*
 * Does what hg_hip_launch_identify() does, if that was called with the same arguments and nothing
 * has changed since; modules and regions then need not be checked either. Returns false if nothing
 * was done.
 */
bool hg_hip_repeat(struct hg_hip_launch *launch);
/* Does the same with other arguments, which are recorded if they are new. */
bool hg_hip_repeat_other(struct hg_hip_launch *launch);
/* Keeps a launch's arguments, by id and bytes, for the two functions above. */
void hg_hip_repeat_keep(const struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
			uint32_t args_id, const uint8_t *bytes, uint32_t length);
struct hg_hip_as_of hg_hip_now_as_of(void);
/* Returns true if these arguments have been recorded in the session that listens now. */
bool hg_hip_arguments_known(uint32_t id);

/* The `extra` list consists of these terms; docs/code-objects.md#metadata-notes */
#define HG_EXTRA_BUFFER ((void *)1)
#define HG_EXTRA_SIZE   ((void *)2)
#define HG_EXTRA_END    ((void *)3)

/* Returns the number of these bytes as arguments of a kernel; they are recorded if they are new. */
uint32_t hg_hip_arguments_id(const struct hg_hip_kernel_variant *variant, const uint8_t *bytes,
			     uint32_t length, uint8_t status);
/* Returns the launch's args_id for this kernel; the arguments are recorded if they are new. Sets
 * launch->subjects, pointers and fixes. */
uint32_t hg_hip_arguments(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant);

#endif
