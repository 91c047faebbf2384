/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of HIP that will also be seen in the HSA runtime's queues. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_EXPECTED_H
#define HIPGRAIN_PRELOAD_HIP_HIP_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/* Set once queues are looked at; atomic. */
extern HG_HIDDEN int hg_hip_expects;

/* A kernel's name; and that so many launches of it were recorded, or did not happen after all. */
void hg_hip_expect_name(uint32_t kernel_id, const char *name);
void hg_hip_expect(uint32_t kernel_id, int count);

/* Whether a launch of a kernel of that name was recorded; it then counts as seen. */
bool hg_hip_take_expected(const char *name);

#endif
