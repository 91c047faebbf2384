/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the work that was given to GPUs and that the host does not know as complete: a memory
 * access fault can come from that. Equal work of one stream counts as one.
 */
#ifndef HIPGRAIN_RULES_IN_FLIGHT_H
#define HIPGRAIN_RULES_IN_FLIGHT_H

#include "analyzer/rules/order/ordering.h"

#define FLIGHTS_KEPT 1024u /* of a process */

/* Holds the bytes that a copy or a fill touches. */
struct touched_range {
	uint64_t start, size; /* size 0: none, or not known */
};

struct flight {
	uint16_t api;
	uint32_t kernel_id, args_id; /* 0: a copy or a fill */
	uint32_t stack_id;
	int32_t device;       /* of its stream */
	bool ordered;         /* `moment` says when it is complete */
	int32_t tid;          /* else: who launched it; the end of its target region says so */
	bool held;            /* it was open when a call began that waits, and has not returned */
	struct moment moment; /* of the latest */
	int64_t ns;           /* of the latest */
	uint64_t count;
	uint64_t work_items;           /* of the largest; 0: no kernel */
	struct touched_range dst, src; /* of a copy or a fill */
};

struct flights {
	GPtrArray *list;     /* struct flight, oldest first; complete ones may be among them */
	bool more;           /* others are in flight for ever that are not listed */
	GArray *left_out;    /* struct moment: of each slot the latest that there was no room for */
	int32_t waiting_tid; /* a thread that called something that waits at ... */
	int64_t waiting_ns;  /* ... this time, and is not known to have returned; 0: none */
};

/* Returns the work in flight, or NULL if nothing was ever given to a GPU. */
const struct flights *flights_of(const struct process *process);

/* Returns true if no other work is in flight than what is listed. */
bool flights_are_all(const struct process *process, const struct flights *flights);

/* Returns true if the host does not know the work as complete. */
bool flight_is_open(const struct process *process, const struct flights *flights,
		    const struct flight *flight);

#endif
