/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what is known of copies on devices, for HG805: internal to offload_copies.c and
 * offload_reads.c.
 */
#ifndef HIPGRAIN_OFFLOAD_COPIES_H
#define HIPGRAIN_OFFLOAD_COPIES_H

#include "analyzer/rules/engine/rule_api.h"

/* More transfers of parts than these count as one of everything. */
#define SENT_PARTS 16u

struct copy_part {
	uint64_t first, end; /* from the copy's start */
};

struct device_copy {
	uint64_t ptr, size; /* on the device; must stay the first member: it is the tree's key */
	uint64_t host;
	struct place place; /* of the host's memory, if that is an allocation; holds a reference */
	bool written;       /* by a transfer or a kernel */
	bool sent;          /* by a transfer: not memory of the device's own (map(alloc:)) */
	bool lost;          /* a kernel wrote data that was not read yet */
	bool filled; /* something may have written any of it; else only `parts` were written */
	bool told;   /* HG805 was found of it */
	struct copy_part parts[SENT_PARTS]; /* ascending, apart from each other */
	unsigned part_count;
	uint32_t stack_id; /* of the launch that wrote it */
	int64_t ns;
};

struct process_copies {
	GTree *copies; /* struct device_copy, by ptr */
	bool sections; /* arguments may point beside their copies */
};

/* Returns the copy that `ptr` lies in, or NULL. */
struct device_copy *copy_at(const struct process_copies *process, uint64_t ptr);

/* Notes a transfer of `size` bytes to `ptr`, which lies in the copy. */
void copy_note_sent(struct device_copy *copy, uint64_t ptr, uint64_t size);

/* Returns true if nothing can have written any of these bytes of the copy. */
bool copy_lacks(const struct device_copy *copy, uint64_t ptr, uint64_t size);

/* Finds HG805 of bytes that the launch reads although nothing wrote them. */
void check_offload_reads(const struct rules_context *context, const struct process_copies *process,
			 const struct launch *launch);

#endif
