/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the event schema (events.h) about what recording costs. */
#ifndef HIPGRAIN_TRACER_COST_EVENTS_H
#define HIPGRAIN_TRACER_COST_EVENTS_H

#include <stdint.h>

#define HG_COST_EVENTS(EVENT) EVENT(cost)

/*
 * What recording has cost the process, of those that stand by: when a recording begins, and from
 * then on now and then. The differences count.
 */
struct hg_ev_cost {
	uint64_t calls;     /* into the recorder */
	uint64_t timed;     /* of them, those whose time was taken */
	uint64_t spent;     /* processor time of all of them, estimated, ns */
	uint64_t processor; /* processor time of the process, ns */
};

#endif
