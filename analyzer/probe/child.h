/* SPDX-License-Identifier: Apache-2.0 */
/* A child process of the probe: one GPU in one XNACK mode. */
#ifndef HIPGRAIN_PROBE_CHILD_H
#define HIPGRAIN_PROBE_CHILD_H

#include "probe_memory.h"
#include "probe.h"

struct child {
	const struct probe_task *task;
	struct probe_mode *mode;
	struct hip hip;
	void *module;
	void *returned; /* device memory, 8 bytes for each work-item */
	void *scratch;  /* as large as a block */
	struct probe_block block;
};

/*
 * Execute step `number` (enum probe_step) on child->block, and store what happened in *result. It
 * may end the process, or never return: so the caller marks the step before.
 */
void probe_step(struct child *child, struct probe_result *result, int number);

/* A call returned the hipError_t `error`; -1: there is no such call, or no such kernel. */
void probe_refuse(struct probe_result *result, int error);

#endif
