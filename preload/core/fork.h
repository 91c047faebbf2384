/* SPDX-License-Identifier: Apache-2.0 */
/* What fork() makes of a process that is recorded. */
#ifndef HIPGRAIN_PRELOAD_CORE_FORK_H
#define HIPGRAIN_PRELOAD_CORE_FORK_H

#include <stdbool.h>

#include "preload/core/base.h"

/* In a process that fork() made: set up what makes events, if that can be done here; whether it
 * is. */
bool hg_fork_wake(void);

/* Once, in a process that is to be recorded. */
void hg_fork_init(void);

#endif
