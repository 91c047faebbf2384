/* SPDX-License-Identifier: Apache-2.0 */
/* What a process has from the one that forked it. */
#ifndef HIPGRAIN_INHERIT_H
#define HIPGRAIN_INHERIT_H

#include "analyzer/replay/replay.h"

/* Allocations that are copied in one analysis, of all processes together: about 200 bytes each. */
#define INHERITED_MOST 1000000

/*
 * Give a forked process what its parent has at this moment: host allocations and mappings, with
 * the call stacks that made them. From then on the two are apart, as after copy-on-write. What
 * HIP allocated is not inherited: the GPU's mappings stay with the parent, and so does advice.
 * `budget` is how many allocations may still be copied; returns how many were, or -1 if there
 * are more.
 */
int64_t process_inherit(struct process *child, const struct process *parent, uint64_t budget);

#endif
