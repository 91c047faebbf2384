/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on calls of HIP that failed: which, where, and of a launch the kernel and its size. */
#ifndef HIPGRAIN_FAILED_CALLS_H
#define HIPGRAIN_FAILED_CALLS_H

#include "analyzer/analyze.h"

/* A note for each call site and error; alike ones of several processes are one. */
void note_failed_calls(struct analysis *analysis);

#endif
