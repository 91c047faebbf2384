/* SPDX-License-Identifier: Apache-2.0 */
/* What fork() makes of a process that is recorded. */
#ifndef HIPGRAIN_PRELOAD_CORE_FORK_H
#define HIPGRAIN_PRELOAD_CORE_FORK_H

#include <stdbool.h>

#include "preload/core/base.h"

struct hg_provider;

/* In a process that fork() made: set up what makes events, if that can be done here; whether it
 * is. */
bool hg_fork_wake(void);

/*
 * Load LTTng-UST, if that can be done here, in a process that has not loaded it yet: because the
 * process has made no event, or has stored those that it made (trace/early_events.h).
 */
void hg_fork_load(void);

/* Once, in a process that is to be recorded. */
void hg_fork_init(void);
void hg_fork_loaded(void); /* LTTng-UST is there now */

/* In a forked child of a process that had LTTng-UST: set it up anew. */
void hg_fork_join(const struct hg_provider *provider);

/* Returns when no fork() is in progress that has not seen what the caller stored before. */
void hg_fork_barrier(void);

/* Whether LTTng-UST's functions for the end of the process are called then. */
void hg_fork_ends(bool wanted);
/* In place of all of them `function` is called, by which events are written out: listeners.c. */
void hg_fork_ends_only(void (*function)(void));

#endif
