/* SPDX-License-Identifier: Apache-2.0 */
/* The rules on the order of work: what they keep about a process. */
#ifndef HIPGRAIN_RULES_ORDERING_H
#define HIPGRAIN_RULES_ORDERING_H

#include "analyzer/replay/stream_order.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/engine/rule_api.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_graph.h"
#include "tracer/events/ev_error.h"

struct process_order {
	struct process *process;
	struct order order;
	int serialised;      /* the environment makes every launch wait; -1: not looked at yet */
	bool hidden_records; /* events may have been recorded by calls that are not in a trace */
	bool unfollowed;     /* streams wait for something that is not in a trace */
	GHashTable *gone_streams;  /* handles that were destroyed and did not come again */
	GHashTable *waits;         /* event handle -> struct event_waits (streams.c) */
	GHashTable *syncs;         /* stack id -> struct sync_site (streams.c) */
	GHashTable *early;         /* handles of streams whose asynchronous work the runtime waited
				      for all the same, and the program has not since (streams.c) */
	GHashTable *lost;          /* allocation -> struct lost_result (errors.c) */
	GHashTable *last_launches; /* tid -> struct launched (ordering.c) */
	unsigned launches_since_wait, others_since_wait;
	bool device_memory_only;       /* the launches since the last wait */
	int32_t wait_tid;              /* is the thread that waited last */
	struct sync_site *latest_wait; /* the last event was this wait; or NULL */
	uint64_t barriers;             /* HG702 */
	struct hg_ev_error sticky;     /* after which nothing works any more; code 0: none */
};

/* Returns true if a release is part of a stream's work. */
static inline bool is_release_in_stream(unsigned api)
{
	return api == HG_API_hipFreeAsync || api == HG_API_hipGraphAddMemFreeNode;
}

/* An interface call, a kernel or a copy does these to memory. */
#define ACCESS_READ   ISA_READ
#define ACCESS_WRITE  ISA_WRITE
#define ACCESS_ATOMIC ISA_ATOMIC

/* Addresses that a kind of access reads or writes for certain; end 0: none are known. */
struct reached_range {
	uint64_t start, end;
};

/* Somebody's use of an allocation at some moment. */
struct use {
	struct moment moment;
	const struct isa_kernel *code; /* a kernel's; NULL: a call's */
	uint64_t start, end;           /* addresses; end 0: a kernel's, from a pointer `start` on */
	uint64_t signature; /* kernels: equal if kernel, scalar arguments and shape are equal */
	uint64_t scalars; /* kernels: equal if scalar arguments and size are, whatever the kernel */
	struct reached_range touched[ISA_ACCESSES]; /* kernels: by the bits of `access` */
	uint64_t extent; /* kernels: bytes, if each work-item uses an element of its own, without
			    those that rounding up to whole groups may have added; 0: not known */
	int64_t ns;
	uint32_t stack_id;
	int32_t device;
	uint16_t api;
	uint8_t access;
	uint8_t kind;      /* enum stream_kind */
	unsigned stream;   /* number, 0: a default stream */
	bool host;         /* the host itself is part of it, and waited for the stream before */
	bool polls;        /* writes fine-grained memory that the host can look at meanwhile */
	const char *doubt; /* about the pointer in memory that led there; static, or NULL */
};

/* The uses of memory that one launch makes, as far as they are certain. */
struct launch_use {
	struct allocation *allocation; /* borrowed */
	uint64_t address;
	uint32_t kernarg;
	uint8_t access;
	unsigned width;                /* bytes for each work-item; 0: not known */
	const struct isa_reach *reach; /* ISA_ACCESSES of them; NULL: not known */
	/* Through a pointer in memory: as in struct pointer_argument; else NULL. */
	const char *chain, *path, *doubt;
};

struct launch_uses {
	const struct isa_kernel *code; /* NULL: nothing is known */
	uint64_t signature, scalars;
	bool polls;
	bool device_memory_only; /* nothing that the host could read without a copy */
	bool complete;           /* no other memory is used */
	bool null;               /* the code uses a null pointer, from the argument at: */
	uint32_t null_kernarg;
	struct path_memory paths; /* the uses borrow its texts */
	unsigned count;
	struct launch_use at[];
};

/*
 * Returns what the launch at hand does, cached with its arguments. Returns NULL if its events were
 * lost.
 */
const struct launch_uses *launch_uses(const struct rules_context *context);
/* Returns true if these are all uses that the launch can make. Returns false for NULL. */
bool launch_uses_all(const struct launch_uses *uses);

/* Wakes about the order come with these; members that do not belong to the wake are 0. */
struct work {
	struct process_order *at;
	const struct order_stream *stream; /* SUBMIT; ORDERED_RELEASE: in which, NULL: at once */
	uint64_t handle;                   /* SUBMIT: of the stream; EVENT_...: of the event */
	unsigned api;
	uint32_t stack_id;
	const struct launch_uses *uses; /* of a launch, if its events are known; TAKEN_BACK: without
					 * paths, allocations may be freed since */
	const struct use *use;          /* WORK: without start, end and access */
	struct moment moment;           /* TAKEN_BACK */
	struct allocation *allocation;  /* ORDERED_RELEASE */
	bool waits; /* ORDERED_RELEASE: for everything; WORK: the host waits in this call */
};

/* Returns what is kept about the process; makes it if there is none. */
struct process_order *order_of(struct process *process);
/* Returns NULL if nothing is kept. */
struct process_order *order_known(struct process *process);

/*
 * Return "stream 1 (non-blocking)", which the caller frees, and the kernel's or call's name
 * (stream_races.c).
 */
char *order_stream_text(const struct process *process, const struct use *use);
const char *use_name(const struct use *use);

/* Returns true if the call, of a `sync` event, asks and does not wait (streams.c). */
bool order_is_query(unsigned api);

/* Returns true if the latest occurrence of a finding about a race is this moment's
 * (stream_races.c). */
bool race_is_reported(const struct rules_context *context, struct moment moment);

/*
 * Counts the launch at hand for a finding that it leads to; `from` is NULL if it is a call
 * (stream_races.c).
 */
void order_count_launch(const struct rules_context *context, struct finding *finding,
			const struct launch_use *from);

/*
 * Fills in a new finding's launch or call, which is at hand; it is a call if `from` is NULL
 * (stream_races.c).
 */
void order_set_later(const struct rules_context *context, struct finding *finding,
		     struct allocation *allocation, const struct use *later,
		     const struct launch_use *from);

/*
 * Notes that memory of a pool was allocated; `busy` is true if its stream had work before
 * (pool_order.c).
 */
void pool_allocated(struct process_order *at, struct allocation *allocation, const struct use *made,
		    bool busy);

/*
 * Notes that the runtime waited for what it was just given, though that call need not wait
 * (streams.c).
 */
void streams_early(struct process_order *at, uint64_t handle, unsigned api);

#endif
