/* SPDX-License-Identifier: Apache-2.0 */
/* The times of launches, waits and other calls, because page faults are reported after them. */
#include <string.h>

#include "migration_state.h"
#include "analyzer/rules/engine/call_history.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_prefetch.h"

#define KINDS 8u /* streams that a look back tells apart */

/* ---- launches and waits ---- */

static struct gpu_work *next_work(struct migration *migration)
{
	struct gpu_work *work = &migration->recent[migration->count++ % RECENT];

	memset(work, 0, sizeof(*work));
	return work;
}

static void note_touched(struct gpu_work *work, struct allocation *allocation, unsigned access)
{
	unsigned i = 0;

	while (i < work->touched_count && work->touched[i] != allocation)
		i++;
	if (i == G_N_ELEMENTS(work->touched)) {
		work->unknown = true;
		return;
	}
	/* A pointer that is only passed may still be used. */
	if (i == work->touched_count) {
		work->touched[work->touched_count++] = allocation;
		work->access[i] = access ? access : ANY_ACCESS;
	} else {
		work->access[i] |= access ? access : ANY_ACCESS;
	}
}

void gpu_work_launch(struct migration *migration, const struct rules_context *context,
		     const struct launch_memory *launch)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct gpu_work *work = next_work(migration);

	work->ns = context->event->ns;
	work->kernel_id = event->kernel_id;
	work->args_id = event->args_id;
	work->stack_id = event->stack_id;
	work->work_items = (uint64_t)event->grid_x * event->grid_y * event->grid_z *
			   event->block_x * event->block_y * event->block_z;
	work->device = event->device;
	work->stream = event->stream;
	work->unknown = launch->unknown;
	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);

		note_touched(work, touched->memory->allocation, touched->access);
	}
	prefetches_launch(migration, work);
}

void gpu_work_wait(struct migration *migration, const struct hg_event *event)
{
	struct gpu_work *work;

	if (event->sync->api != HG_API_hipDeviceSynchronize &&
	    event->sync->api != HG_API_hipStreamSynchronize)
		return;
	work = next_work(migration);
	work->ns = event->ns;
	work->everything = event->sync->api == HG_API_hipDeviceSynchronize;
	work->stream = event->sync->stream;
	work->stack_id = event->sync->stack_id;
}

bool gpu_work_touches(const struct gpu_work *work, const struct allocation *allocation)
{
	for (unsigned i = 0; i < work->touched_count; i++)
		if (work->touched[i] == allocation)
			return true;
	return work->unknown;
}

unsigned gpu_work_access(const struct gpu_work *work, const struct allocation *allocation)
{
	for (unsigned i = 0; i < work->touched_count && !work->unknown; i++)
		if (work->touched[i] == allocation)
			return work->access[i];
	return ANY_ACCESS;
}

/* Streams that were waited for later than the moment at hand. */
struct waited {
	uint64_t streams[KINDS];
	unsigned count;
};

static void add_wait(struct waited *waited, uint64_t stream)
{
	if (waited->count < KINDS)
		waited->streams[waited->count++] = stream;
}

static bool is_over(const struct waited *waited, uint64_t stream)
{
	for (unsigned i = 0; i < waited->count; i++)
		if (waited->streams[i] == stream)
			return true;
	return false;
}

const struct gpu_work *who_used(const struct migration *migration, int64_t ns, int32_t device,
				const struct allocation *allocation, bool *several)
{
	const struct gpu_work *found = NULL;
	struct waited waited = { .count = 0 };

	*several = false;
	for (uint64_t i = migration->count; i > 0 && migration->count - i < RECENT; i--) {
		const struct gpu_work *work = &migration->recent[(i - 1) % RECENT];

		if (work->ns > ns)
			continue;
		if (!work->kernel_id) {
			if (work->everything)
				break;
			add_wait(&waited, work->stream);
			continue;
		}
		if (is_over(&waited, work->stream) || (device >= 0 && work->device != device) ||
		    !gpu_work_touches(work, allocation))
			continue;
		*several |= (found && found->kernel_id != work->kernel_id) || work->unknown;
		found = work;
	}
	return found;
}

enum page_use used_between(const struct migration *migration, const struct allocation *allocation,
			   int64_t from, int64_t to, unsigned *access)
{
	struct waited waited = { .count = 0 };
	enum page_use use = NOT_USED;

	*access = 0;
	for (uint64_t i = migration->count; i > 0; i--) {
		const struct gpu_work *work = &migration->recent[(i - 1) % RECENT];

		/* The work before these is forgotten. */
		if (migration->count - i >= RECENT)
			return USE_UNKNOWN;
		if (work->ns > to)
			continue;
		if (!work->kernel_id) {
			if (work->ns < from && work->everything)
				break;
			if (work->ns < from)
				add_wait(&waited, work->stream);
			continue;
		}
		if ((work->ns < from && is_over(&waited, work->stream)) ||
		    !gpu_work_touches(work, allocation))
			continue;
		if (work->unknown)
			return USE_UNKNOWN;
		use = USED;
		*access |= gpu_work_access(work, allocation);
	}
	return use;
}

/* ---- all calls ---- */

/* Returns which function was called from which place; api is 0 for a call of another kind. */
static struct call_record record_of(const struct hg_event *event)
{
	struct call_record record = { .end = event->ns };
	uint64_t duration = 0;

#define CALL(name)                                            \
	case HG_EVENT_##name:                                 \
		record.call.api = event->name->api;           \
		record.call.stack_id = event->name->stack_id; \
		break
#define TIMED_CALL(name)                                      \
	case HG_EVENT_##name:                                 \
		record.call.api = event->name->api;           \
		record.call.stack_id = event->name->stack_id; \
		duration = event->name->duration;             \
		break
	switch (event->type) {
		CALL(alloc);
		CALL(free);
		CALL(launch);
		CALL(advise);
		TIMED_CALL(copy);
		TIMED_CALL(fill);
		TIMED_CALL(prefetch);
		TIMED_CALL(sync);
	default:
		break;
	}
#undef CALL
#undef TIMED_CALL
	record.call.tid = event->tid;
	record.begin = event->ns - (int64_t)duration;
	return record;
}

void note_call(struct migration *migration, const struct hg_event *event)
{
	struct call_record record = record_of(event);

	if (!record.call.api)
		return;
	migration->calls[migration->call_count++ % RECENT] = record;
	for (unsigned i = 0; i < migration->open->len; i++) {
		struct migration_row *row = migration->open->pdata[i];

		if (!row->phase.after.api) {
			row->phase.after = record.call;
		} else {
			row->phase.several_after |=
			    row->phase.after.stack_id != record.call.stack_id;
		}
	}
	g_ptr_array_set_size(migration->open, 0);
}

struct migration_phase phase_at(const struct migration *migration, int64_t ns, bool *open)
{
	struct migration_phase phase = { .within = false };

	*open = true;
	for (uint64_t i = migration->call_count; i > 0 && migration->call_count - i < RECENT; i--) {
		const struct call_record *record = &migration->calls[(i - 1) % RECENT];

		if (record->begin <= ns) {
			phase.before = record->call;
			phase.within = ns < record->end;
			break;
		}
		phase.after = record->call;
		*open = false;
	}
	return phase;
}
