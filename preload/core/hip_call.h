/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread is in a call of the HIP runtime: what that does is not the program's doing. */
#ifndef HIPGRAIN_PRELOAD_CORE_HIP_CALL_H
#define HIPGRAIN_PRELOAD_CORE_HIP_CALL_H

#include <stdbool.h>

#include "preload/core/base.h"

/*
 * Whether the thread is still in the HIP call that it is said to be in: it is not, if that was left
 * by an exception or longjmp() out of a callback or a signal handler. `frame`: the caller's.
 */
bool hg_hip_goes_on(const char *frame);

static inline bool hg_in_hip(void)
{
	return HG_UNLIKELY(hg_tls.hip) && hg_hip_goes_on(__builtin_frame_address(0));
}

#endif
