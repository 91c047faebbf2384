/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which memory kernels were given, and what they would meet there with XNACK on or off. */
#ifndef HIPGRAIN_RULES_XNACK_WHATIF_H
#define HIPGRAIN_RULES_XNACK_WHATIF_H

#include "analyzer/rules/engine/rule_api.h"

/* Memory of one call stack, as far as launches were given pointers into it. */
struct xnack_row {
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

/* The effect on memory of changing XNACK from one state to the other. */
enum xnack_outcome {
	XNACK_UNCHANGED,
	XNACK_FAULTS,      /* the GPU has no mapping: the kernel ends with a memory fault */
	XNACK_MIGRATES,    /* pages come at the GPU's first access, and go back at the host's */
	XNACK_MAY_MIGRATE, /* ... or are used where they are, as the driver decides */
	XNACK_REMOTE,      /* used in place, over the interconnect */
	XNACK_UNKNOWN_EFFECT,
	XNACK_OUTCOMES,
};

struct xnack_change {
	enum xnack_outcome outcome;
	enum model_access now, then; /* the GPU's way to the memory */
	int xnack;                   /* now; -1: not known */
	const char *reason;          /* a clause */
	const char *sources;         /* tags */
};

/* The section of the report. */
struct xnack_whatif {
	GPtrArray *rows;     /* struct xnack_row: memory that kernels were given */
	GHashTable *unknown; /* struct process whose kernels may use other memory, too */
};
const struct xnack_whatif *xnack_whatif_result(const struct findings *findings);

/* Answers for `xnack` 0 or 1. Never fails. */
struct xnack_change xnack_whatif_ask(const struct xnack_row *row, int xnack);
/* Returns "would migrate" or the like. */
const char *xnack_outcome_text(enum xnack_outcome outcome);
/* Returns "migrates" or the like. */
const char *xnack_outcome_name(enum xnack_outcome outcome);

#endif
