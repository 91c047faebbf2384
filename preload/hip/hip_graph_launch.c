/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of instantiated graphs, as the launches, copies and fills that they are. */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hip/hip_expected.h"
#include "preload/hip/hip_graph.h"
#include "preload/hip/hip_launch.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_redact.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/process.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events.h"
#include "tracer/provider.h"

/*
 * Allocations and kernels before the call, copies and releases after it, as if each had been
 * called. handle is the instantiated graph, value how many of its nodes have events, flags how many
 * have none although they may use memory.
 */
static void emit(struct hg_hip_call *call, struct hg_ev_call *event, bool kernels)
{
	const struct instance *instance;
	uint32_t stack_id;
	int device, saved = errno;

	if (!hg_hip_enter())
		return;
	hg_modules_poll();
	hg_regions_record();
	device = hg_hip_device();
	stack_id = hg_stack_id(call->caller);
	hg_hip_graph_lock();
	instance = hg_hip_graph_find((const void *)(uintptr_t)event->handle);
	event->flags = instance ? instance->unknown : 1;
	event->value = instance ? instance->count : 0;
	for (struct work *work = instance && kernels ? instance->work : NULL; work;
	     work = work->next)
		if (work->kind == ALLOC)
			hg_hip_graph_allocate(work, event->stream, stack_id);
	for (struct work *work = instance ? instance->work : NULL; work; work = work->next) {
		if ((work->kind == KERNEL) != kernels)
			continue;
		if (work->kind == KERNEL) {
			struct hg_ev_launch launch;

			hg_hip_graph_refresh(work, device);
			launch = work->launch;
			launch.api = call->api;
			launch.stream = event->stream;
			launch.device = device;
			launch.stack_id = stack_id;
			hg_hip_launch_emit(&launch);
			hg_hip_expect(launch.kernel_id, 1);
		} else if (work->kind == COPY) {
			struct hg_ev_copy copy = work->copy;

			copy.depth = copy.depth ? copy.depth : 1;
			copy.stream = event->stream;
			copy.device = device;
			copy.stack_id = stack_id;
			hg_provider->copy(&copy);
		} else if (work->kind == FILL) {
			struct hg_ev_fill fill = work->fill;

			fill.depth = fill.depth ? fill.depth : 1;
			fill.stream = event->stream;
			fill.device = device;
			fill.stack_id = stack_id;
			hg_hip_emit_fill(&fill);
		}
	}
	for (const struct work *work = instance && !kernels ? instance->work : NULL; work;
	     work = work->next)
		if (work->kind == RELEASE)
			hg_hip_graph_release(work, event->stream, stack_id);
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
		call.rc = real(instance, stream);                       \
		if (call.rc)                                            \
			take_back(&call, instance);                     \
		else                                                    \
			emit(&call, &event, false);                     \
		hg_finish_call(&call, &event);                          \
		return call.rc;                                         \
	}

GRAPH_LAUNCH(hipGraphLaunch)
GRAPH_LAUNCH(hipGraphLaunch_spt)
