/* SPDX-License-Identifier: Apache-2.0 */
/* Counts calls of the program's that cannot be recorded where they are made. */
#ifndef HIPGRAIN_PRELOAD_STACKS_PASSED_OVER_H
#define HIPGRAIN_PRELOAD_STACKS_PASSED_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/ring.h"

/*
 * Counts a call as lost; one of HG_GROUPS is none that is counted. Where the process has no file
 * yet, the process is reported as not recorded as a whole.
 */
void hg_give_up(enum hg_group group);

/*
 * Returns true if a signal's handler runs that has interrupted a call in progress, whose frame is
 * given. May be called anywhere; keeps errno.
 */
bool hg_interrupts_call(const char *frame);

/*
 * A function of HIP's or HSA's was called, and nothing records it. It is counted as lost if the
 * program called it in a signal's handler that has interrupted our code, which calls such functions
 * only by way of the runtime's libraries, or a call of HIP's; and as not recorded if the process
 * has restricted its system calls. `api`: 0 for a function that has no number.
 */
void hg_passed_over(uint16_t api, const void *caller);

#endif
