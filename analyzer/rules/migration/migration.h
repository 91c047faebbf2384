/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migrations between host and GPUs, as the driver reported them: which memory moved, what moved it,
 * and how it was used afterwards; and the rules that rest on this. Bounded by live allocations,
 * blocks that moved and call sites.
 */
#ifndef HIPGRAIN_RULES_MIGRATION_H
#define HIPGRAIN_RULES_MIGRATION_H

#include "analyzer/rules/engine/rule_api.h"

/* KFD's migrate triggers, docs/memory-model.md#driver-events. */
enum migration_trigger {
	MIGRATION_PREFETCH,
	MIGRATION_GPU_FAULT,
	MIGRATION_CPU_FAULT,
	MIGRATION_EVICTION,
	MIGRATION_TRIGGERS,
};

/* A call of the program's; api 0: none. */
struct migration_call {
	unsigned api;
	uint32_t stack_id;
	int32_t tid;
};

/*
 * When the host faulted: between two calls, or during one. The driver reports no thread; if both
 * calls were made by one thread, it was probably that thread.
 */
struct migration_phase {
	struct migration_call before, after;
	bool within;        /* `before` had not returned */
	bool several_after; /* `after` is the first one's */
};

/*
 * A row of the account: pages of memory that one call stack allocated, moved by one kernel, by the
 * host in one phase, or by neither. Every page that the driver reported to have moved is in one
 * row.
 */
struct migration_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest; NULL: not of one */
	uint64_t allocations;
	char *kernel;        /* its faults moved them; NULL: no kernel's, or not known whose */
	bool one_of_several; /* another kernel may have been it */
	bool by_host;        /* faults of the host's: `phase` tells when */
	struct migration_phase phase;
	uint64_t to_device[MIGRATION_TRIGGERS]; /* bytes */
	uint64_t to_host[MIGRATION_TRIGGERS];
	uint64_t faults_moved,
	    faults_kept; /* of the GPU: pages came, or were used where they are */

	/* This became of the bytes; of to_device, by the driver's events and the calls: */
	uint64_t again;  /* had been on that GPU before */
	uint64_t unused; /* no launch could use them while they were there */
	/* ... and by the machine code of the kernels that could use them meanwhile: */
	uint64_t only_written; /* none reads them: what they held came for nothing, if all of it
				* was overwritten */
	uint64_t use_unknown;  /* memory that some kernel uses is not known */
	uint64_t unchanged;    /* of to_host: no kernel that could use them writes them */
};

/* Bytes of all causes. */
uint64_t migration_total(const uint64_t bytes[MIGRATION_TRIGGERS]);

/* Moves that belong together: one allocation's pages, one way, one cause, nothing in between. */
struct migration_span {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference; NULL: not of one */
	enum migration_trigger trigger;
	int32_t from, to; /* device, -1 the host */
	int64_t first_ns, last_ns;
	uint64_t bytes, moves;
	uint32_t kernel_id; /* of the launch that brought them; 0: none, or not known */
	int64_t launch_ns;
	int32_t launch_device;
	uint64_t launch_stream;
	struct migration_call before; /* the latest call when the host faulted */
};

/* A call that advised the driver where memory should be. */
struct migration_advice {
	struct migration_call call;
	int64_t ns;
	int32_t advice; /* hipMemoryAdvise; -1: a prefetch */
	int32_t target; /* device, -1 the host */
	int32_t node;   /* of the host, where a NUMA node was named; -1: none, or not known */
	uint64_t offset, size;
};

#define HISTORY_CALLS 64    /* of one allocation */
#define HISTORY_MOVES 64    /* likewise, in a report of one finding */
#define HISTORIES     4096  /* allocations */
#define SPANS         16384 /* of all processes */

/* Advice and prefetches of memory and what became of them, in order of time. */
struct migration_history {
	struct allocation *allocation; /* a reference */
	GArray *calls;                 /* struct migration_advice */
	GPtrArray *moves;              /* struct migration_span, borrowed */
	uint64_t left_out;             /* of either */
};

/* The doubt of a rule about memory that should move, or should not; settled at the end. */
#define MIGRATION_NOT_KNOWN "unknown whether its pages moved"

/* The section of the report. */
struct migration_result {
	GPtrArray *rows;       /* struct migration_row: pages that moved */
	GPtrArray *spans;      /* struct migration_span: ... and when */
	GHashTable *histories; /* struct allocation -> struct migration_history */
};
struct migration_result *migration_result(const struct findings *findings);

/* The history of the memory that a finding of HG3xx is about; NULL: there is none. */
const struct migration_history *finding_history(const struct findings *findings,
						const struct finding *finding);
/* Returns "SetPreferredLocation" or the like, or NULL if it is not known. */
const char *migration_advice_name(int32_t advice);

#endif
