/* SPDX-License-Identifier: Apache-2.0 */
/* Applies calls that failed: they are counted, and what they did not do is taken back. */
#include "mappings.h"
#include "memory_events.h"
#include "process_state.h"

#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_launch.h"

/* hipErrorIllegalAddress, hipErrorAssert. hipErrorLaunchFailure is also that of a launch which is
 * too large. */
static bool is_stop(int code)
{
	return code == 700 || code == 710;
}

bool process_refused_launch(const struct process *process, int code, int64_t launch_ns)
{
	return !is_stop(code) || (process->stopped_ns && process->stopped_ns < launch_ns);
}

/* The launch that failed was recorded before its call, unless another thread's came between. */
static void set_launch(struct failed_call *failed, const struct process *process, int32_t tid)
{
	const struct hg_ev_launch *launch = &process->latest_launch;

	if (process->latest_launch_tid != tid || launch->kernel_id != failed->kernel_id)
		return;
	failed->sized = true;
	failed->grid[0] = launch->grid_x;
	failed->grid[1] = launch->grid_y;
	failed->grid[2] = launch->grid_z;
	failed->block[0] = launch->block_x;
	failed->block[1] = launch->block_y;
	failed->block[2] = launch->block_z;
	failed->lds = launch->shared;
}

static void count_failure(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_error *from = event->error;
	bool launch = hg_api_class(from->api) == HG_CLASS_LAUNCH;
	bool full = process->failed->len >= FAILED_PLACES;
	struct failed_call failed = { .api = from->api,
				      .code = from->code,
				      .stack_id = from->api >= HG_HIP_APIS ? from->stack_id : 0,
				      .kernel_id = launch ? (uint32_t)from->ptr : 0,
				      .size = from->size,
				      .count = 1 };

	for (unsigned i = 0; i < process->failed->len; i++) {
		struct failed_call *old = &g_array_index(process->failed, struct failed_call, i);

		if (old->api == failed.api && old->code == failed.code &&
		    (old->elsewhere ||
		     (old->stack_id == failed.stack_id && old->kernel_id == failed.kernel_id))) {
			old->count++;
			return;
		}
	}
	if (launch)
		set_launch(&failed, process, event->tid);
	if (full) {
		failed = (struct failed_call){
			.api = from->api, .elsewhere = true, .code = from->code, .count = 1
		};
	}
	g_array_append_val(process->failed, failed);
}

void process_call_failed(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_error *from = event->error;
	uint16_t api = from->api;
	const struct allocation *restored;

	/* A release that failed, and a realloc that failed: the old block lives on. */
	if (hg_api_class(api) == HG_CLASS_FREE || api == HG_API_realloc ||
	    api == HG_API_reallocarray) {
		restored = address_space_restore(&process->space, from->ptr, event->tid, api);
		while (restored) { /* hipMemUnmap: and what it unmapped beside it */
			int64_t ns = restored->free_ns;
			uint64_t next = restored->ptr + restored->size;

			memory_restored(process, restored);
			restored = api == HG_API_hipMemUnmap
				       ? address_space_restore_at(&process->space, next, ns)
				       : NULL;
		}
	}
	if (api == HG_API_mremap)
		mapping_failed(process, event);
	if (api >= HG_HIP_APIS && is_stop(from->code) && !process->stopped_ns)
		process->stopped_ns = event->ns;
	count_failure(process, event);
}
