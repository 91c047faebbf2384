/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes notes on calls of HIP that failed: the call, its place, and for a launch the kernel and its
 * size.
 */
#ifndef HIPGRAIN_FAILED_CALLS_H
#define HIPGRAIN_FAILED_CALLS_H

#include "analyzer/analyze.h"

/* Makes a note for each call site and error. Alike notes of several processes are one. */
void note_failed_calls(struct analysis *analysis);

#endif
