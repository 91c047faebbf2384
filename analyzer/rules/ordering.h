/* SPDX-License-Identifier: Apache-2.0 */
/* The rules on the order of work: what they keep about a process. */
#ifndef HIPGRAIN_RULES_ORDERING_H
#define HIPGRAIN_RULES_ORDERING_H

#include "analyzer/replay/order.h"
#include "analyzer/rules/context.h"

struct process_order {
	struct process *process;
	struct order order;
	int serialised;      /* the environment makes every launch wait; -1: not looked at yet */
	bool hidden_records; /* events may have been recorded by calls that are not in a trace */
	bool unfollowed;     /* streams wait for something that is not in a trace */
	GHashTable *gone_streams; /* handles that were destroyed and did not come again */
	GHashTable *waits;        /* event handle -> struct event_waits (streams.c) */
	GHashTable *syncs;        /* stack id -> struct sync_site (streams.c) */
	GHashTable *early;        /* handles of streams whose asynchronous work the runtime waited
				     for all the same, and the program has not since (streams.c) */
	GHashTable *lost;         /* allocation -> struct lost_result (errors.c) */
	unsigned launches_since_wait, others_since_wait;
	bool device_memory_only;       /* the launches since the last wait */
	int32_t wait_tid;              /* who waited last */
	struct sync_site *latest_wait; /* the last event was this wait; or NULL */
	uint64_t barriers;             /* HG702 */
	struct hg_ev_error sticky;     /* after which nothing works any more; code 0: none */
	struct hg_ev_error no_memory;  /* the latest allocation that failed; code 0: none */
};

/* What an interface call, a kernel or a copy does to memory. */
#define ACCESS_READ   ISA_READ
#define ACCESS_WRITE  ISA_WRITE
#define ACCESS_ATOMIC ISA_ATOMIC

/* Somebody's use of an allocation at some moment. */
struct use {
	struct moment moment;
	const struct isa_kernel *code; /* a kernel's; NULL: a call's */
	uint64_t start, end;           /* addresses; end 0: a kernel's, from a pointer `start` on */
	uint64_t signature; /* kernels: equal if kernel, scalar arguments and shape are equal */
	uint64_t scalars; /* kernels: equal if scalar arguments and size are, whatever the kernel */
	int64_t ns;
	uint32_t stack_id;
	int32_t device;
	uint16_t api;
	uint8_t access;
	uint8_t kind;    /* enum stream_kind */
	unsigned stream; /* number, 0: a default stream */
	bool host;       /* the host itself is part of it, and waited for the stream before */
	bool polls;      /* writes fine-grained memory that the host can look at meanwhile */
};

/* The uses of memory that one launch makes, as far as they are certain. */
struct launch_use {
	struct allocation *allocation; /* borrowed */
	uint64_t address;
	uint32_t kernarg;
	uint8_t access;
};

struct launch_uses {
	const struct isa_kernel *code; /* NULL: nothing is known */
	uint64_t signature, scalars;
	bool polls;
	bool device_memory_only; /* nothing that the host could read without a copy */
	bool complete;           /* no other memory is used */
	bool null;               /* the code uses a null pointer, from the argument at: */
	uint32_t null_kernarg;
	unsigned count;
	struct launch_use at[];
};

/* What the launch at hand does, cached with its arguments. NULL if its events were lost. */
const struct launch_uses *launch_uses(const struct rules_context *context);

/* ordering.c */
struct ordering *ordering_new(void);
void ordering_free(struct ordering *ordering);
void ordering_before_free(struct ordering *ordering, const struct rules_context *context);
void ordering_event(struct ordering *ordering, const struct rules_context *context);
void ordering_finish(struct ordering *ordering, struct findings *findings);

/* races.c: HG215, HG401 to HG404, HG406, HG602, HG701, HG703. What is used, after the clock knows
 * about it. `use` has everything set but start, end and access. */
void races_launch(const struct rules_context *context, struct process_order *at, struct use use);
void races_copy(const struct rules_context *context, struct process_order *at, struct use use);
void races_fill(const struct rules_context *context, struct process_order *at, struct use use);
/* The launch of the latest `launch` event of this thread did not happen. */
void races_take_back(const struct rules_context *context, struct process_order *at,
		     const struct launch_uses *uses, struct moment moment);
/* Before memory is released; `stream`: in which, or NULL: at once. `waits`: for everything. */
void races_free(const struct rules_context *context, struct process_order *at,
		struct allocation *allocation, const struct order_stream *stream, bool waits);

/* streams.c: HG405, HG702, HG704, HG705 */
/* The runtime waited for what it was just given, though that call need not wait. */
void streams_early(struct process_order *at, uint64_t handle, unsigned api);

/* Work is put into a stream; `uses`: a launch's, else NULL. */
void streams_submit(const struct rules_context *context, struct process_order *at,
		    const struct order_stream *stream, uint64_t handle, uint32_t stack_id,
		    unsigned api, const struct launch_uses *uses);
void streams_wait_event(const struct rules_context *context, struct process_order *at,
			uint64_t handle, unsigned api, uint32_t stack_id);
void streams_event_ends(const struct rules_context *context, struct process_order *at,
			uint64_t handle);
void streams_sync(const struct rules_context *context, struct process_order *at);
/* A call failed: perhaps it named a stream that was destroyed. */
void streams_failed(const struct rules_context *context, struct process_order *at);
void streams_finish(struct findings *findings, struct process_order *at);

/* errors.c: HG706, HG707 */
void errors_event(const struct rules_context *context, struct process_order *at);
void errors_launch(const struct rules_context *context, struct process_order *at,
		   const struct launch_uses *uses);
void errors_lost_launch(const struct rules_context *context, struct process_order *at,
			const struct launch_uses *uses);
void errors_transfer(const struct rules_context *context, struct process_order *at);
void errors_forget(struct process_order *at, const struct allocation *allocation);

#endif
