/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that moved between host and GPUs, as the driver told: whose they were, what moved them,
 * what became of them there, and the rules that rest on it. Bounded by live allocations, blocks
 * that moved and call sites.
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

/* A call of the program's; api 0: none. */
struct move_call {
	unsigned api;
	uint32_t stack_id;
	int32_t tid;
};

/*
 * When the host faulted: between two calls, or within one. The driver tells no thread; where both
 * calls are one thread's, it is likely that one.
 */
struct move_phase {
	struct move_call before, after;
	bool within;        /* `before` had not returned */
	bool several_after; /* `after` is the first one's */
};

/*
 * A row of the account: the pages of memory of one call stack, moved by one kernel, by the host in
 * one phase, or by neither. Every page that the driver said to have moved is in one row.
 */
struct move_row {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference to the latest; NULL: not of one */
	uint64_t allocations;
	char *kernel;        /* whose faults moved them; NULL: no kernel's, or not known whose */
	bool one_of_several; /* another kernel may have been it */
	bool by_host;        /* faults of the host's: `phase` tells when */
	struct move_phase phase;
	uint64_t to_device[MOVE_TRIGGERS]; /* bytes */
	uint64_t to_host[MOVE_TRIGGERS];
	uint64_t faults_moved,
	    faults_kept; /* of the GPU: pages came, or were used where they are */

	/* What became of the bytes. Of to_device, as the driver and the calls tell: */
	uint64_t again;  /* had been on that GPU before */
	uint64_t unused; /* no launch could use them while they were there */
	/* ... and as the machine code of the kernels that could use them meanwhile tells: */
	uint64_t only_written; /* none reads them: what they held came for nothing, if all of it
				* was overwritten */
	uint64_t cannot_tell;  /* memory that some kernel uses is not known */
	uint64_t unchanged;    /* of to_host: no kernel that could use them writes them */
};

/* Bytes of all causes. */
uint64_t move_total(const uint64_t bytes[MOVE_TRIGGERS]);

/* Moves that belong together: one allocation's pages, one way, one cause, nothing in between. */
struct move_span {
	struct process *process;       /* borrowed */
	struct allocation *allocation; /* a reference; NULL: not of one */
	enum move_trigger trigger;
	int32_t from, to; /* device, -1 the host */
	int64_t first_ns, last_ns;
	uint64_t bytes, moves;
	uint32_t kernel_id; /* of the launch that brought them; 0: none, or not known */
	int64_t launch_ns;
	int32_t launch_device;
	uint64_t launch_stream;
	struct move_call before; /* the latest call when the host faulted */
};

/* A call that told the driver where memory should be. */
struct move_advice {
	struct move_call call;
	int64_t ns;
	int32_t advice; /* hipMemoryAdvise; -1: a prefetch */
	int32_t target; /* device, -1 the host */
	uint64_t offset, size;
};

#define HISTORY_CALLS 64    /* of one allocation */
#define HISTORY_MOVES 64    /* likewise, in a report of one finding */
#define HISTORIES     4096  /* allocations */
#define SPANS         16384 /* of all processes */

/* What was asked for memory and what became of it, in order of time. */
struct move_history {
	struct allocation *allocation; /* a reference */
	GArray *calls;                 /* struct move_advice */
	GPtrArray *moves;              /* struct move_span, borrowed */
	uint64_t left_out;             /* of either */
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
/* A HIP call, whatever it does. */
void moves_call(struct process_watch *watch, const struct rules_context *context);
void moves_advise(struct process_watch *watch, const struct rules_context *context);
void moves_finish(struct process_watch *watch, const struct rules_context *context);

/* The history of the memory that a finding of HG3xx is about; NULL: there is none. */
const struct move_history *finding_history(const struct findings *findings,
					   const struct finding *finding);
/* "SetPreferredLocation"; NULL: not known. */
const char *move_advice_name(int32_t advice);

/* Of findings.moves, move_spans and histories. */
void move_row_free(gpointer row);
void move_span_free(gpointer span);
void move_history_free(gpointer history);

#endif
