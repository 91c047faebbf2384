/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of instantiated graphs, for those who launch them. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_GRAPH_H
#define HIPGRAIN_PRELOAD_HIP_HIP_GRAPH_H

#include <stdint.h>

#include "preload/hip/hip_launch.h"
#include "tracer/events.h"

enum kind { KERNEL, COPY, FILL };

struct work { /* what one node does */
	struct work *next;
	const void *owner; /* the graph, or for an instantiated graph's part the child node */
	const void *node;
	enum kind kind;
	/* A kernel's; its ids are those of the recording of that generation (live_state.h). */
	const void *handle;
	struct hg_hip_kept arguments;
	uint32_t generation;
	union {
		struct hg_ev_launch launch;
		struct hg_ev_copy copy;
		struct hg_ev_fill fill;
	};
};

struct instance {
	struct instance *next;
	const void *handle;
	struct work *work, **last;
	unsigned count;
	unsigned unknown; /* nodes whose effect could not be determined */
};

/* A kernel's ids in the recording that is on, if it began later than they were given. Under
 * hg_hip_graph_lock(), needs hg_hip_enter(). */
void hg_hip_graph_refresh(struct work *work, int device);

/* An instantiated graph's work, NULL if it is not known; under hg_hip_graph_lock(). */
struct instance *hg_hip_graph_find(const void *handle);

void hg_hip_graph_lock(void);
void hg_hip_graph_unlock(void);

#endif
