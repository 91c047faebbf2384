/* SPDX-License-Identifier: Apache-2.0 */
/* A process has its first state from the one that forked it. */
#ifndef HIPGRAIN_INHERIT_H
#define HIPGRAIN_INHERIT_H

#include "analyzer/replay/replay.h"

/* Allocations that are copied in one analysis, of all processes together: about 200 bytes each. */
#define INHERITED_MOST 1000000
/* Records of released ones that are looked at for it, of all processes together: a second. */
#define INHERIT_LOOKS 50000000

struct inherit_limits {
	uint64_t copies; /* allocations that may still be copied; the caller counts them */
	uint64_t looks;  /* is decreased */
};

/*
 * Give a forked process what its parent had when it forked: host allocations and mappings, with
 * the call stacks that made them. From then on the two are apart, as after copy-on-write. What
 * HIP allocated is not inherited: the GPU's mappings stay with the parent, and so does advice.
 *
 * `fork_ns` is the time of the fork by the trace's clock, in the past or now: a child records
 * nothing before its first event. What the parent allocated since is left out, what it released
 * since is live in the child; not so mappings that it unmapped since, and what lay where it has
 * allocated something else since. INT64_MAX: what it has now.
 *
 * Returns how many were copied, or -1 if that is above a limit: then none was.
 */
int64_t process_inherit(struct process *child, const struct process *parent, int64_t fork_ns,
			struct inherit_limits *limits);

#endif
