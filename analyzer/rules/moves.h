/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that moved between host and GPUs, as the driver told: whose they were, what moved them, and
 * the rules that rest on it. Bounded by live allocations, blocks that moved and call sites.
 */
#ifndef HIPGRAIN_RULES_MOVES_H
#define HIPGRAIN_RULES_MOVES_H

#include "context.h"

struct process_watch;
struct launch_watch;

/* KFD's migrate triggers, memory-model.md F.2. */
enum move_trigger {
	MOVE_PREFETCH,
	MOVE_GPU_FAULT,
	MOVE_CPU_FAULT,
	MOVE_EVICTION,
	MOVE_TRIGGERS,
};

/*
 * A row of the account: the pages of memory of one call stack, moved by one kernel, or by none.
 * Every page that the driver said to have moved is in one row.
 */
struct move_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest; NULL: not of one */
	uint64_t allocations;
	char *kernel;        /* whose faults moved them; NULL: no kernel's, or not known whose */
	bool one_of_several; /* another kernel may have been it */
	uint64_t to_device[MOVE_TRIGGERS]; /* bytes */
	uint64_t to_host[MOVE_TRIGGERS];
	uint64_t faults_moved,
	    faults_kept; /* of the GPU: pages came, or were used where they are */
};

/* The doubt of a rule about memory that should move, or should not; settled at the end. */
#define MOVES_NOT_KNOWN "whether its pages moved is not known"

struct moves;

struct moves *moves_new(void);
void moves_free(struct moves *moves);

/* Events of all kinds that matter here, after the replay applied them. */
void moves_event(struct process_watch *watch, const struct rules_context *context);
void moves_launch(struct process_watch *watch, const struct rules_context *context,
		  const struct launch_watch *launch);
void moves_finish(struct process_watch *watch, const struct rules_context *context);

void move_row_free(gpointer row);

#endif
