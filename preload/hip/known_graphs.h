/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps what is known of instantiated graphs, for the functions that launch them. */
#ifndef HIPGRAIN_PRELOAD_HIP_KNOWN_GRAPHS_H
#define HIPGRAIN_PRELOAD_HIP_KNOWN_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hip/record_launch.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"

enum kind { KERNEL, COPY, FILL, ALLOC, RELEASE, OTHER };

struct work { /* describes what one node does */
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
		struct hg_ev_alloc alloc;
		struct hg_ev_free free;
	};
	bool ordered;  /* it runs after all before it in the list, and before all behind it */
	bool was_live; /* an allocation's: of an earlier launch, when the latest one began */
};

struct instance {
	struct instance *next;
	const void *handle;
	struct work *work, **last;
	unsigned count;
	unsigned unknown; /* nodes whose effect could not be determined */
	bool forked; /* nodes that are appended may run beside other nodes, or in another order */
};

/* Sets a kernel's ids to those of the recording that is on, if it began later than they were given.
 * The caller holds hg_hip_graph_lock(); needs hg_hip_enter(). */
void hg_hip_graph_refresh(struct work *work, int device);

/*
 * Sorts a graph's nodes: each behind those that it depends on. Returns how many of them, from the
 * first on, run one after the other and before the rest; 0 also if the order is not known. Needs
 * hg_hip_may_query().
 */
size_t hg_hip_graph_sort(void *graph, void **nodes, size_t count);

/* Returns an instantiated graph's work, or NULL if it is not known. The caller holds
 * hg_hip_graph_lock(). */
struct instance *hg_hip_graph_find(const void *handle);

/* Finds the node that the last call made in a captured stream, and its graph. Returns false if they
 * are not known. */
bool hg_hip_captured_node(uint64_t stream, const void **graph, const void **node);
/* Returns OTHER if the node is of no kind that is listed, or if its kind is not known. */
enum kind hg_hip_graph_node_kind(const void *node);

/* These find what a memory node allocates or releases (hip_graph_memory.c). They return false if it
 * is not known. */
bool hg_hip_graph_alloc_node(void *node, struct hg_ev_alloc *event);
bool hg_hip_graph_free_node(void *node, struct hg_ev_free *event);
/* Record what a launch allocates before it runs and releases after it, or that it failed and
 * allocated nothing. They need hg_hip_enter(). */
void hg_hip_graph_allocate(struct work *work, uint64_t stream, uint32_t stack_id);
void hg_hip_graph_release(const struct work *work, uint64_t stream, uint32_t stack_id);
void hg_hip_graph_not_allocated(const struct work *work);

void hg_hip_graph_lock(void);
void hg_hip_graph_unlock(void);

#endif
