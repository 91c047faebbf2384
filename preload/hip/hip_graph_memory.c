/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory nodes of graphs. Their memory has an address from the node on, and contents from a launch
 * of the graph until it is released: by a node of a graph, or by the program. So it is an
 * allocation that each launch makes, and a release in the launch's stream.
 *
 * In a stream that is captured hipMallocAsync() and hipFreeAsync() make such nodes (from HIP 5.5
 * on), and no allocation.
 */
#include "preload/hip/known_graphs.h"

#include "preload/core/base.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_capture_stream.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_types.h"
#include "preload/migration/residency.h"
#include "preload/standby/live_state.h"
#include "tracer/api/hip_graph.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"
#include "tracer/provider.h"

/* hipMemAllocNodeParams; what is before the location and after it: hipMemPoolProps [H62] */
struct alloc_params {
	int type, handle_types;
	struct location location;
	char rest[72];
	const void *access;
	size_t access_count, size;
	void *ptr;
};
_Static_assert(sizeof(struct alloc_params) == 120, "as in hip_runtime_api.h");

bool hg_hip_graph_alloc_node(void *node, struct hg_ev_alloc *event)
{
	int (*query)(void *, struct alloc_params *) =
	    (int (*)(void *, struct alloc_params *))hg_hip_query("hipGraphMemAllocNodeGetParams");
	struct alloc_params params = { .ptr = NULL };

	if (!query || query(node, &params) || !params.ptr)
		return false;
	*event = (struct hg_ev_alloc){ .api = HG_API_hipGraphAddMemAllocNode,
				       .ptr = (uintptr_t)params.ptr,
				       .device_ptr = (uintptr_t)params.ptr,
				       .size = params.size,
				       .device = params.location.type == LOCATION_DEVICE
						     ? params.location.id
						     : hg_hip_device(),
				       .symbol = "" };
	return true;
}

bool hg_hip_graph_free_node(void *node, struct hg_ev_free *event)
{
	int (*query)(void *, void **) =
	    (int (*)(void *, void **))hg_hip_query("hipGraphMemFreeNodeGetParams");
	void *ptr = NULL;

	if (!query || query(node, (void **)&ptr) || !ptr)
		return false;
	*event = (struct hg_ev_free){ .api = HG_API_hipGraphAddMemFreeNode, .ptr = (uintptr_t)ptr };
	return true;
}

/* ---- capture ---- */

bool hg_hip_captured_alloc(const struct hg_ev_alloc *event)
{
	struct hg_ev_alloc made;
	const void *graph, *node;

	return hg_hip_capturing(event->stream) &&
	       hg_hip_captured_node(event->stream, &graph, &node) &&
	       hg_hip_graph_node_kind(node) == ALLOC &&
	       hg_hip_graph_alloc_node((void *)node, &made) && made.ptr == event->ptr;
}

bool hg_hip_captured_free(const struct hg_ev_free *event)
{
	return hg_hip_capturing(event->stream) && hg_hip_query("hipGraphMemFreeNodeGetParams");
}

/* ---- launches ---- */

static void emit_alloc(const struct hg_ev_alloc *event)
{
	hg_hip_memory_add(event);
	hg_live_lock();
	hg_provider->alloc(event);
	hg_live_alloc(event);
	hg_live_unlock();
}

static void emit_free(const struct hg_ev_free *event)
{
	hg_live_lock();
	hg_provider->free(event);
	hg_live_free(event->ptr);
	hg_live_unlock();
	hg_live_freed(false);
	hg_hip_memory_remove(event->ptr);
	hg_residency_remove(event->ptr, 1);
}

static void release(uint64_t ptr, uint64_t stream, uint32_t stack_id)
{
	emit_free(&(struct hg_ev_free){ .api = HG_API_hipGraphAddMemFreeNode,
					.ptr = ptr,
					.stream = stream,
					.stack_id = stack_id });
}

void hg_hip_graph_allocate(struct work *work, uint64_t stream, uint32_t stack_id)
{
	struct hg_ev_alloc event = work->alloc;
	struct hg_hip_block block;

	/* Made by an earlier launch, and released by this one: AutoFreeOnLaunch. */
	work->was_live = hg_hip_memory_find(event.ptr, &block) && block.base == event.ptr;
	if (work->was_live)
		release(event.ptr, stream, stack_id);
	event.stream = stream;
	event.stack_id = stack_id;
	emit_alloc(&event);
}

void hg_hip_graph_release(const struct work *work, uint64_t stream, uint32_t stack_id)
{
	release(work->free.ptr, stream, stack_id);
}

void hg_hip_graph_not_allocated(const struct work *work)
{
	if (!work->was_live)
		release(work->alloc.ptr, 0, 0);
}
