/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the runtimes behind us. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_DISPATCH_H
#define HIPGRAIN_PRELOAD_HIP_HIP_DISPATCH_H

#include "preload/core/wrappers.h"

struct hg_hip_function;

/*
 * Returns the function that the object around `address` (where the call came from) would have
 * reached, or that was looked up by name and called. Its runtime becomes that of the thread's call
 * in progress. It is never NULL: without a runtime it is a function that returns HIP_NO_RUNTIME.
 * `frame` is the wrapper's.
 */
void *hg_hip_real(const struct hg_hip_function *const *row, const void *address, const char *frame);

/*
 * Returns the same for a function whose calls belong to no call of HIP's. Of the HSA runtime, where
 * that is not there, it returns a function that returns HSA_STATUS_ERROR_NOT_INITIALIZED, and of
 * rocTX hg_no_roctx(), which must not be called.
 */
void *hg_plain_real(const struct hg_hip_function *const *row, const void *address);

void hg_no_roctx(void);

/* Returns true if the object around `address`, which has called before, is HIP's runtime. */
bool hg_hip_has_caller(const void *address);

/* Returns what to give to a caller that looked up a name and found `real`: a wrapper or thunk of
 * ours, which goes on to `real`, or `real` itself if it is not interposed. */
void *hg_hip_offer(const char *name, void *real);

#endif
