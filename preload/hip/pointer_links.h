/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps pointers that copies put into device memory, which cannot be read here, so that a
 * launch can follow them. The oldest are overwritten; one that no longer holds leads to something
 * that is read in vain.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_LINKS_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_LINKS_H

#include <stdint.h>

#include "preload/core/base.h"

#define HG_POINTER_LINKS        512u
#define HG_POINTER_LINKS_OF_ONE 32u /* of a copy, at most */
#define HG_POINTER_VARIABLE \
	1u /* in place of a block's base: device variables, which any kernel uses */

/* This counts all that were ever added. It is atomic. */
extern HG_HIDDEN uint32_t hg_pointer_links_added;

/* Adds that memory of the allocation at `block`, or HG_POINTER_VARIABLE, has a pointer to `to`. */
void hg_pointer_links_add(uint64_t block, uint64_t to);

/* Does what a copy within the device does: what its source leads to, its destination leads to
 * now. */
void hg_pointer_links_copy(uint64_t src, uint64_t dst);

/* Returns where the next pointer in that block from *at on leads to, or 0 if there is no more. *at
 * is 0 at first. */
uint64_t hg_pointer_links_next(uint64_t block, uint32_t *at);

#endif
