/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps the loaded objects of the process. */
#ifndef HIPGRAIN_PRELOAD_STACKS_MODULES_H
#define HIPGRAIN_PRELOAD_STACKS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"

void hg_modules_poll(void); /* record objects that were loaded since the last call */
/* Does the same, and looks again where calls of HIP lead that were not bound by then: it is called
 * when they may have been bound since. */
void hg_modules_look_again(void);
void hg_modules_find(void);             /* look, without recording anything */
extern HG_HIDDEN size_t hg_tools_known; /* libraries of tools; atomic; only grows */
/* Is hg_modules_is_tool() for an address that is not near the last one. */
bool hg_modules_is_tool_anywhere(uintptr_t address);

/*
 * Returns true if an address lies in a library whose memory is not the program's: ours, the
 * runtime. For the span around the last one that did not, up to the nearest of them on either side,
 * that is one comparison.
 */
static inline bool hg_modules_is_tool(const void *address)
{
	return HG_UNLIKELY((uintptr_t)address - hg_tls.apart_from >= hg_tls.apart_size ||
			   hg_tls.apart_known !=
			       __atomic_load_n(&hg_tools_known, __ATOMIC_ACQUIRE)) &&
	       hg_modules_is_tool_anywhere((uintptr_t)address);
}

/* Becomes 1 when something by which a GPU is reached was loaded, or called, and stays so;
 * atomic. */
extern HG_HIDDEN int hg_gpu_seen;

#endif
