/* SPDX-License-Identifier: Apache-2.0 */
/* Of the threads that record batches on a CPU, one at a time is at it: turns.c. */
#ifndef HIPGRAIN_PRELOAD_TRACE_TURNS_H
#define HIPGRAIN_PRELOAD_TRACE_TURNS_H

#include <stdint.h>

/*
 * Around an event. Waits for the thread whose turn it is, but not without end. Needs hg_tls.busy;
 * errno is not kept.
 */
uintptr_t *hg_turn_take(void);
void hg_turn_end(uintptr_t *turn);

#endif
