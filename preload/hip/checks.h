/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the checks of the software GPU (SOFTGPU_CHECK with memcheck, of `hipgrain check`): it
 * tells the GPU which memory there is, sets bytes behind each allocation aside that nothing else
 * gets, and keeps released memory for a while. Without those checks nothing happens.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_CHECKS_H
#define HIPGRAIN_PRELOAD_HIP_CHECKS_H

#include <stddef.h>

#include "tracer/events.h"

/* Returns how many bytes to ask the runtime for where the program wants `size`. */
size_t hg_checks_size(size_t size);
/* Tells the GPU of what the runtime gave. */
void hg_checks_alloc(const struct hg_ev_alloc *event);
/*
 * Returns what the runtime is to release where the program releases `ptr`: another block that was
 * kept long enough, NULL, or `ptr` itself, if it is not known or too large to be kept. Waits for
 * the GPU before, as hipFree() does.
 */
void *hg_checks_release(void *ptr);

#endif
