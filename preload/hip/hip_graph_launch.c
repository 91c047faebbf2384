/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of instantiated graphs, as the launches, copies and fills that they are. */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_expected.h"
#include "preload/hip/known_graphs.h"
#include "preload/hip/record_launch.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_redact.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/process.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_graph.h"
#include "tracer/events/ev_launch.h"
#include "tracer/provider.h"

/* Reads the memory that the arguments of a graph's kernel lead to, before anything of the graph
 * runs. */
static void read_pointers(const struct work *work, int device, const void *caller)
{
	struct hg_hip_kernel_variant *variant = NULL;
	struct hg_hip_kernel *kernel;
	bool wanted;

	hg_hip_look();
	kernel = hg_hip_kernel_find(work->handle);
	if (kernel)
		variant = hg_hip_kernel_for(kernel, device, caller);
	wanted =
	    variant && hg_hip_pointers_note(variant, work->launch.args_id, work->arguments.bytes,
					    work->arguments.length, device);
	hg_hip_unlock();
	if (wanted)
		hg_hip_pointers_read(work->launch.args_id, device);
}

/* Returns the first work that is recorded after the call: no kernel follows it. */
static struct work *after_kernels(struct work *work)
{
	struct work *rest = work;

	for (; work; work = work->next)
		if (work->kind == KERNEL)
			rest = work->next;
	return rest;
}

static bool is_event(const struct work *work)
{
	return work->kind == KERNEL || work->kind == COPY || work->kind == FILL;
}

/* These hold for all of a graph launch that is recorded at once. */
struct batch {
	uint64_t stream;
	uint32_t stack_id;
	int device;
	uint16_t api;
	bool untouched; /* the host's memory is what it is now: nothing but copies from it came */
};

static void emit_graph(uint64_t handle, const struct work *from, const struct work *to)
{
	struct hg_ev_graph event = { .handle = handle };
	bool ordered = true;

	for (const struct work *work = from; work != to; work = work->next) {
		if (!is_event(work))
			continue;
		event.work++;
		ordered &= work->ordered;
		event.ordered += ordered;
	}
	if (event.work)
		hg_provider->graph(&event);
}

static void emit_kernel(const struct batch *batch, struct work *work)
{
	struct hg_ev_launch launch = work->launch;

	launch.api = batch->api;
	launch.stream = batch->stream;
	launch.device = batch->device;
	launch.stack_id = batch->stack_id;
	hg_provider->launch(&launch);
	hg_hip_expect(launch.kernel_id, 1);
}

#define H2D 1

static void emit_copy(struct batch *batch, const struct work *work)
{
	struct hg_ev_copy copy = work->copy;

	copy.depth = copy.depth ? copy.depth : 1;
	copy.stream = batch->stream;
	copy.device = batch->device;
	copy.stack_id = batch->stack_id;
	hg_provider->copy(&copy);
	batch->untouched &= work->ordered && copy.kind == H2D;
	if (batch->untouched)
		hg_hip_pointers_copy(&copy);
}

static void emit_work(struct batch *batch, uint64_t handle, struct work *from,
		      const struct work *to)
{
	emit_graph(handle, from, to);
	for (struct work *work = from; work != to; work = work->next) {
		if (work->kind == KERNEL) {
			batch->untouched = false;
			emit_kernel(batch, work);
		} else if (work->kind == COPY) {
			emit_copy(batch, work);
		} else if (work->kind == FILL) {
			struct hg_ev_fill fill = work->fill;

			batch->untouched = false;
			fill.depth = fill.depth ? fill.depth : 1;
			fill.stream = batch->stream;
			fill.device = batch->device;
			fill.stack_id = batch->stack_id;
			hg_hip_emit_fill(&fill);
		}
	}
}

/*
 * In the order in which it runs: what leads to the last kernel before the call, the other copies
 * and fills after it; all allocations before it, all releases after it, as if each had been called.
 * handle is the instantiated graph, value how many of its nodes have events, flags how many
 * have none although they may use memory.
 */
static void emit(struct hg_hip_call *call, struct hg_ev_call *event, bool before)
{
	struct batch batch = { .stream = event->stream, .api = call->api, .untouched = before };
	const struct instance *instance;
	struct work *first, *rest;
	int saved = errno;

	if (!hg_hip_enter())
		return;
	hg_modules_poll();
	hg_regions_record();
	batch.device = hg_hip_stream_device(batch.stream);
	batch.stack_id = hg_stack_id(call->caller);
	hg_hip_graph_lock();
	instance = hg_hip_graph_find((const void *)(uintptr_t)event->handle);
	event->flags = instance ? instance->unknown : 1;
	event->value = instance ? instance->count : 0;
	first = instance ? instance->work : NULL;
	rest = after_kernels(first);
	for (struct work *work = before ? first : NULL; work; work = work->next) {
		if (work->kind == ALLOC) {
			hg_hip_graph_allocate(work, batch.stream, batch.stack_id);
		} else if (work->kind == KERNEL) {
			hg_hip_graph_refresh(work, batch.device);
			read_pointers(work, batch.device, call->caller);
		}
	}
	if (before)
		emit_work(&batch, event->handle, first, rest);
	else
		emit_work(&batch, event->handle, rest, NULL);
	for (const struct work *work = before ? NULL : first; work; work = work->next)
		if (work->kind == RELEASE)
			hg_hip_graph_release(work, batch.stream, batch.stack_id);
	hg_hip_graph_unlock();
	hg_leave();
	errno = saved;
}

/* Its kernels did not run, and it allocated nothing. */
static void take_back(const struct hg_hip_call *call, const void *handle)
{
	const struct instance *instance;

	hg_hip_graph_lock();
	instance = hg_hip_graph_find(handle);
	for (struct work *work = instance ? instance->work : NULL; work; work = work->next)
		if (work->kind == KERNEL)
			hg_hip_error(call, work->launch.kernel_id, 0, 0);
	if (hg_hip_enter()) {
		for (struct work *work = instance ? instance->work : NULL; work; work = work->next)
			if (work->kind == ALLOC)
				hg_hip_graph_not_allocated(work);
		hg_leave();
	}
	hg_hip_graph_unlock();
}

#define GRAPH_LAUNCH(name)                                              \
	HG_HIP(int, name, (void *instance, void *stream))               \
	{                                                               \
		HG_REAL(int, name, (void *, void *));                   \
		struct hg_hip_call call;                                \
		struct hg_ev_call event = { .api = HG_API_##name,       \
					    .handle = HG_PTR(instance), \
					    .stream = HG_PTR(stream) }; \
                                                                        \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER()))   \
			return real(instance, stream);                  \
		emit(&call, &event, true);                              \
		hg_open_call(&event);                                   \
		call.rc = real(instance, stream);                       \
		hg_open_call_end();                                     \
		if (call.rc)                                            \
			take_back(&call, instance);                     \
		else                                                    \
			emit(&call, &event, false);                     \
		hg_finish_call(&call, &event);                          \
		return call.rc;                                         \
	}

GRAPH_LAUNCH(hipGraphLaunch)
GRAPH_LAUNCH(hipGraphLaunch_spt)
