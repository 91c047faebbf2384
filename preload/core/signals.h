/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks all signals of a thread, those that the C library has for itself, too. */
#ifndef HIPGRAIN_PRELOAD_CORE_SIGNALS_H
#define HIPGRAIN_PRELOAD_CORE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "preload/core/kernel_call.h"

struct hg_signals {
	uint64_t before; /* the kernel's set */
	bool blocked;
};

/* Returns false if the kernel does not; then there is nothing to restore. */
static inline bool hg_signals_block(struct hg_signals *signals)
{
	const uint64_t all = UINT64_MAX;

	signals->blocked =
	    !hg_syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, &signals->before, sizeof(all));
	return signals->blocked;
}

static inline void hg_signals_restore(const struct hg_signals *signals)
{
	if (signals->blocked)
		hg_syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &signals->before, NULL,
			   sizeof(signals->before));
}

#endif
