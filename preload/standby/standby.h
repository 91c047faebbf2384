/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are recorded when a recorder requests it: standby.c. */
#ifndef HIPGRAIN_PRELOAD_STANDBY_STANDBY_H
#define HIPGRAIN_PRELOAD_STANDBY_STANDBY_H

#include <stdbool.h>

/* Returns true if a recorder may want another recording of the process than the last one. */
bool hg_standby_may_be_wanted(void);

/*
 * If one does, the process has a file for it, and the provider that stores events there: returns
 * true. Called with the lock of trace/recording.c.
 */
bool hg_standby_join(void);

#endif
