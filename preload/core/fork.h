/* SPDX-License-Identifier: Apache-2.0 */
/* This handles what fork() makes of a process that is recorded. */
#ifndef HIPGRAIN_PRELOAD_CORE_FORK_H
#define HIPGRAIN_PRELOAD_CORE_FORK_H

#include <stdbool.h>

#include "preload/core/base.h"

/* Sets up what makes events in a process that fork() made, if that can be done here. Returns true
 * if the process is recorded now. */
bool hg_fork_wake(void);

/* Is called once, in a process that is to be recorded. */
void hg_fork_init(void);

#endif
