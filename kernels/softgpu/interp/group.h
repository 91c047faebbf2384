/* SPDX-License-Identifier: Apache-2.0 */
/* Work-groups: their order, and the registers that a wave has at its start. */
#ifndef SOFTGPU_GROUP_H
#define SOFTGPU_GROUP_H

#include "interp.h"

/* Kernel descriptor (docs/code-objects.md#kernel-descriptor): 64 bytes. */
typedef struct amd_kernel_code_descriptor_view {
	uint32_t group_segment, private_segment, kernarg_size, reserved0;
	int64_t entry_offset;
	uint8_t reserved1[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties, preload;
	uint32_t reserved2;
} amd_kernel_code_descriptor_view;

/* Choose the order of work-groups from softgpu_config.seed. */
void sg_order_init(struct softgpu_run *run);

/*
 * Returns the n-th work-group in that order, for this worker, with its registers set up; NULL if
 * memory is exhausted.
 */
struct sg_group *sg_group_start(struct sg_worker *worker, uint64_t n);

/* Free a list of groups. */
void sg_groups_free(struct sg_group *group);

#endif
