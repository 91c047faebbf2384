/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread remembers of its last launches. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_RECENT_H
#define HIPGRAIN_PRELOAD_HIP_HIP_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hip/hip_launch.h"
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

/* That of the kernel and the place of a launch, if it is as of now; else NULL. */
struct hg_hip_recent *hg_hip_recent_find(const struct hg_hip_launch *launch);
/* Its number among the thread's, below HG_LAUNCH_SLOTS. */
uint32_t hg_hip_recent_slot(const struct hg_hip_recent *recent);
/* What it says of the kernel. */
void hg_hip_recent_take(struct hg_hip_launch *launch, const struct hg_hip_recent *recent);

#endif
