/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These find target regions of OpenMP in the source, by the names of their kernels.
 *
 * Compilers give the call that runs a region's kernel no line of its own, so that line tables have
 * the line of what stands before or behind it. The kernel's name has the line of the directive and
 * the linker's name of the function [LOMP]: __omp_offloading_DEVICE_FILE_FUNCTION_lLINE, and _COUNT
 * if there are several on that line.
 */
#ifndef HIPGRAIN_TARGET_REGIONS_H
#define HIPGRAIN_TARGET_REGIONS_H

#include "replay.h"

struct target_region {
	char *kernel;   /* NULL: none was launched yet */
	char *function; /* the linker's name; NULL: not known, or of several kernels */
	unsigned line;
};

/* Creates the table: return address of the call of a region -> struct target_region. */
GHashTable *target_regions_new(void);

/* Notes a construct that begins, and the kernel of one that was launched. */
void target_regions_event(struct process *process, const struct hg_event *event);

/* Returns the region whose call returns to that address, or NULL if it is not known. */
const struct target_region *target_region_at(const struct process *process, uint64_t code);

#endif
