/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds out if a thread is inside a call of the HIP runtime: what happens there is not done by
 * the program itself.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_HIP_CALL_H
#define HIPGRAIN_PRELOAD_CORE_HIP_CALL_H

#include <stdbool.h>

#include "preload/core/base.h"

/*
 * Returns true if the HIP call that hg_tls.hip records is still in progress. It is not if an
 * exception or longjmp() left it, from a callback or a signal handler; hg_tls.hip is 0 then.
 * `frame` is the caller's.
 */
bool hg_hip_goes_on(const char *frame);

static inline bool hg_in_hip(void)
{
	return HG_UNLIKELY(hg_tls.hip) && hg_hip_goes_on(__builtin_frame_address(0));
}

#endif
