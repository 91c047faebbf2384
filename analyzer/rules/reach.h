/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory kernels were given, and what they would meet there with XNACK on or off. */
#ifndef HIPGRAIN_RULES_REACH_H
#define HIPGRAIN_RULES_REACH_H

#include "context.h"

struct process_watch;
struct launch_watch;
struct memory_watch;

/* Memory of one call stack, as far as launches were given pointers into it. */
struct reach_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest */
	uint64_t allocations, bytes, launches;
	char *kernel;     /* the first that was given it */
	bool several;     /* other kernels were, too */
	bool accessed;    /* the machine code of one accesses it; else it is only passed */
	bool prefetched;  /* to a GPU, at some time */
	bool accessed_by; /* advice keeps it mapped where it is, for a GPU that used it */
	bool host_preferred;
	char arch[16]; /* of the device that used it first: "gfx90a" */
	uint32_t kernel_id;
};

/* What becomes of memory, from one state of XNACK to the other. */
enum reach_outcome {
	REACH_UNCHANGED,
	REACH_FAULTS,      /* the GPU has no mapping: the kernel ends with a memory fault */
	REACH_MIGRATES,    /* pages come at the GPU's first access, and go back at the host's */
	REACH_MAY_MIGRATE, /* ... or are used where they are, as the driver decides */
	REACH_REMOTE,      /* used in place, over the interconnect */
	REACH_CANNOT_TELL,
	REACH_OUTCOMES,
};

struct reach_answer {
	enum reach_outcome outcome;
	enum model_access now, then; /* how the GPU reaches it */
	int xnack;                   /* now; -1: not known */
	const char *reason;          /* a clause */
	const char *sources;         /* tags */
};

struct reach;

struct reach *reach_new(void);
void reach_free(struct reach *reach);
void reach_launch(struct process_watch *watch, const struct rules_context *context,
		  const struct launch_watch *launch);
/* After the last event: what speaks against it that another state of XNACK be tried at all. */
void reach_finish(struct process_watch *watch, const struct rules_context *context);

/* Of findings.reaches. */
void reach_row_free(gpointer row);

/* `xnack`: 0 or 1. Never fails. */
struct reach_answer reach_ask(const struct reach_row *row, int xnack);
/* "would migrate" */
const char *reach_outcome_text(enum reach_outcome outcome);
/* "migrates" */
const char *reach_outcome_name(enum reach_outcome outcome);

#endif
