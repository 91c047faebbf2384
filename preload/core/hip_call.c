/* SPDX-License-Identifier: Apache-2.0 */
/* This finds out if the HIP call that a thread entered is still in progress. */
#include "preload/core/hip_call.h"

#include "preload/core/base.h"
#include "tracer/open_calls.h"

/*
 * Whatever runs inside the call lies deeper in the stack than the call's own frame, or on the
 * alternate stack; and while the call lasts, its return address is unchanged in its place.
 */
static bool goes_on(const char *frame)
{
	uintptr_t slot = (uintptr_t)hg_tls.hip_frame + sizeof(void *);
	stack_t alternate;

	if (frame >= hg_tls.hip_frame)
		return sigaltstack(NULL, &alternate) || alternate.ss_flags & SS_ONSTACK;
	if (slot < hg_tls.stack_start || slot >= hg_tls.stack_end)
		return true;
	return *(const void *const *)slot == hg_tls.hip_caller;
}

bool hg_hip_goes_on(const char *frame)
{
	if (goes_on(frame))
		return true;
	hg_tls.hip = 0;
	if (hg_tls.open_call)
		__atomic_store_n(&hg_tls.open_call->state, 0, __ATOMIC_RELEASE);
	return false;
}
