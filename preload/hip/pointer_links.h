/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that copies put into device memory, which cannot be read here: to follow them at a
 * launch. The oldest are overwritten; one that no longer holds leads to something that is read in
 * vain.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_LINKS_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_LINKS_H

#include <stdint.h>

#include "preload/core/base.h"

#define HG_POINTER_LINKS        512u
#define HG_POINTER_LINKS_OF_ONE 32u /* of a copy, at most */
#define HG_POINTER_VARIABLE \
	1u /* in place of a block's base: device variables, which any kernel uses */

/* How many were ever added. Atomic. */
extern HG_HIDDEN uint32_t hg_pointer_links_added;

/* Memory of the allocation at `block`, or HG_POINTER_VARIABLE, has a pointer to `to`. */
void hg_pointer_links_add(uint64_t block, uint64_t to);

/* A copy within the device: what its source leads to, its destination leads to now. */
void hg_pointer_links_copy(uint64_t src, uint64_t dst);

/* Where pointers in that block lead to: the next from *at on, which is 0 at first; 0: no more. */
uint64_t hg_pointer_links_next(uint64_t block, uint32_t *at);

#endif
