/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of HIP that will also be seen in the HSA runtime's queues. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_EXPECTED_H
#define HIPGRAIN_PRELOAD_HIP_HIP_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/* Set once queues are looked at; atomic. */
extern HG_HIDDEN int hg_hip_expects;

/* The first notes a kernel's name. The second adds `count` to the launches of it that are expected;
 * it is negative for launches that did not happen after all. */
void hg_hip_expect_name(uint32_t kernel_id, const char *name);
void hg_hip_expect(uint32_t kernel_id, int count);

/* A launch that was recorded, or a packet of which none was. */
struct hg_hip_announced {
	uint32_t kernel_id; /* 0: not known */
	int32_t thread;
	uint64_t at; /* hg_now() when its event had been made */
};
/* Is set where launches are identified, and not only counted; atomic. */
extern HG_HIDDEN int hg_hip_announces;

/*
 * Returns true if a launch of a kernel of that name was recorded; the launch then counts as seen.
 * *announced is the calling thread's oldest such launch, else the oldest of all; all 0: none is
 * told apart.
 */
bool hg_hip_take_expected(const char *name, struct hg_hip_announced *announced);

#endif
