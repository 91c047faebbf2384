/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded objects of the process. */
#ifndef HIPGRAIN_PRELOAD_STACKS_MODULES_H
#define HIPGRAIN_PRELOAD_STACKS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/base.h"

void hg_modules_poll(void); /* record objects that were loaded since the last call */
/* The same, and where calls of HIP lead that were not bound by then: for when that may end. */
void hg_modules_look_again(void);
void hg_modules_find(void); /* look, without recording anything */
/* Whether an address lies in a library whose memory is not the program's: ours, the runtime. */
bool hg_modules_is_tool(const void *address);
/*
 * The span around an address that is in no such library, up to the nearest of them on either side;
 * it holds as long as hg_tools_known is the same. false: the address is in one.
 */
bool hg_modules_gap(const void *address, uintptr_t *start, uintptr_t *size);
extern HG_HIDDEN size_t hg_tools_known; /* atomic; only grows */
/* Something by which a GPU is reached was loaded, or called; atomic. It stays so. */
extern HG_HIDDEN int hg_gpu_seen;

#endif
