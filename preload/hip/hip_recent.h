/* SPDX-License-Identifier: Apache-2.0 */
/* A thread remembers its last launches. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_RECENT_H
#define HIPGRAIN_PRELOAD_HIP_HIP_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hip/record_launch.h"
#include "tracer/event_record.h"

struct hg_hip_kernel_variant;

/*
 * The last launch of a kernel from one place of the program: while nothing changes on which it
 * depends, the next one needs no look-up in the tables.
 */
#define HG_RECENT_ARGS 64u /* words of arguments; launches with more are not remembered */
_Static_assert(HG_RECENT_ARGS <= HG_LAUNCH_ARGS, "a bit for each");

struct hg_hip_recent {
	const void *handle; /* NULL: none */
	const void *caller;
	struct hg_hip_kernel_variant *variant;
	const char *name;
	struct hg_hip_as_of as_of;
	int32_t device;
	uint32_t args_id; /* 0: they have none */
	uint32_t length;  /* of the arguments, in bytes */
	uint32_t noted;   /* hg_hip_memory_change() when the runtime had been queried about them */
	uint32_t number;  /* of the page that has this launch as the latest of its slot; 0: none */
	uint16_t api;
	uint64_t key; /* a hash of the arguments; 0: not known */
	uint64_t state[HG_LAUNCH_STATE];
	uint64_t args[HG_RECENT_ARGS]; /* filled up with zeros */
};

/* Returns the one of the launch's kernel and place, or NULL if there is none or something has
 * changed since. */
struct hg_hip_recent *hg_hip_recent_find(const struct hg_hip_launch *launch);
/* Returns its number among the thread's, below HG_LAUNCH_SLOTS. */
uint32_t hg_hip_recent_slot(const struct hg_hip_recent *recent);
/* Sets in the launch what `recent` knows of the kernel. */
void hg_hip_recent_take(struct hg_hip_launch *launch, const struct hg_hip_recent *recent);

#endif
