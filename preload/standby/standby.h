/* SPDX-License-Identifier: Apache-2.0 */
/* Processes on standby, into which LTTng-UST is loaded when a recording is requested: standby.c. */
#ifndef HIPGRAIN_PRELOAD_STANDBY_STANDBY_H
#define HIPGRAIN_PRELOAD_STANDBY_STANDBY_H

#include <stdbool.h>

#include "preload/core/base.h"
#include "tracer/provider.h"

/* 1: no thread waits for requests: hg_standby_watch() is to be called. Atomic. */
extern HG_HIDDEN int hg_standby_unwatched;
/* `caller`, or NULL, and `anywhere`: the call comes from there, and may come from a handler that
 * interrupted malloc(). */
void hg_standby_watch(const void *caller, bool anywhere);

#endif
