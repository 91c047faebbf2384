/* SPDX-License-Identifier: Apache-2.0 */
/* When what was called: launches and waits, whose faults are told of later, and all calls. */
#include <string.h>

#include "moves_state.h"
#include "watch.h"

#define KINDS 8u /* streams that a look back tells apart */

/* ---- launches and waits ---- */

static struct moment *next_moment(struct moves *moves)
{
	struct moment *moment = &moves->recent[moves->count++ % RECENT];

	memset(moment, 0, sizeof(*moment));
	return moment;
}

static void note_touched(struct moment *moment, struct allocation *allocation, unsigned access)
{
	unsigned i = 0;

	while (i < moment->touched_count && moment->touched[i] != allocation) {
		i++;
	}
	if (i == G_N_ELEMENTS(moment->touched)) {
		moment->unknown = true;
		return;
	}
	/* What is only passed may still be used. */
	if (i == moment->touched_count) {
		moment->touched[moment->touched_count++] = allocation;
		moment->access[i] = access ? access : ANY_ACCESS;
	} else {
		moment->access[i] |= access ? access : ANY_ACCESS;
	}
}

void moment_launch(struct moves *moves, const struct rules_context *context,
		   const struct launch_watch *launch)
{
	const struct hg_ev_launch *event = &context->event->launch;
	struct moment *moment = next_moment(moves);

	moment->ns = context->event->ns;
	moment->kernel_id = event->kernel_id;
	moment->args_id = event->args_id;
	moment->stack_id = event->stack_id;
	moment->work_items = (uint64_t)event->grid_x * event->grid_y * event->grid_z *
			     event->block_x * event->block_y * event->block_z;
	moment->device = event->device;
	moment->stream = event->stream;
	moment->unknown = launch->unknown;
	for (unsigned i = 0; i < launch->touched->len; i++) {
		const struct touched *touched = &g_array_index(launch->touched, struct touched, i);

		note_touched(moment, touched->memory->allocation, touched->access);
	}
	prefetches_launch(moves, moment);
}

void moment_wait(struct moves *moves, const struct hg_event *event)
{
	struct moment *moment;

	if (event->sync.api != HG_API_hipDeviceSynchronize &&
	    event->sync.api != HG_API_hipStreamSynchronize) {
		return;
	}
	moment = next_moment(moves);
	moment->ns = event->ns;
	moment->everything = event->sync.api == HG_API_hipDeviceSynchronize;
	moment->stream = event->sync.stream;
	moment->stack_id = event->sync.stack_id;
}

bool moment_touches(const struct moment *moment, const struct allocation *allocation)
{
	for (unsigned i = 0; i < moment->touched_count; i++) {
		if (moment->touched[i] == allocation) {
			return true;
		}
	}
	return moment->unknown;
}

unsigned moment_access(const struct moment *moment, const struct allocation *allocation)
{
	for (unsigned i = 0; i < moment->touched_count && !moment->unknown; i++) {
		if (moment->touched[i] == allocation) {
			return moment->access[i];
		}
	}
	return ANY_ACCESS;
}

/* Streams that were waited for later than the moment at hand. */
struct waited {
	uint64_t streams[KINDS];
	unsigned count;
};

static void add_wait(struct waited *waited, uint64_t stream)
{
	if (waited->count < KINDS) {
		waited->streams[waited->count++] = stream;
	}
}

static bool is_over(const struct waited *waited, uint64_t stream)
{
	for (unsigned i = 0; i < waited->count; i++) {
		if (waited->streams[i] == stream) {
			return true;
		}
	}
	return false;
}

const struct moment *who_used(const struct moves *moves, int64_t ns, int32_t device,
			      const struct allocation *allocation, bool *several)
{
	const struct moment *found = NULL;
	struct waited waited = { .count = 0 };

	*several = false;
	for (uint64_t i = moves->count; i > 0 && moves->count - i < RECENT; i--) {
		const struct moment *moment = &moves->recent[(i - 1) % RECENT];

		if (moment->ns > ns) {
			continue;
		}
		if (!moment->kernel_id) {
			if (moment->everything) {
				break;
			}
			add_wait(&waited, moment->stream);
			continue;
		}
		if (is_over(&waited, moment->stream) || (device >= 0 && moment->device != device) ||
		    !moment_touches(moment, allocation)) {
			continue;
		}
		*several |= (found && found->kernel_id != moment->kernel_id) || moment->unknown;
		found = moment;
	}
	return found;
}

enum use used_between(const struct moves *moves, const struct allocation *allocation, int64_t from,
		      int64_t to, unsigned *access)
{
	struct waited waited = { .count = 0 };
	enum use use = NOT_USED;

	*access = 0;
	for (uint64_t i = moves->count; i > 0; i--) {
		const struct moment *moment = &moves->recent[(i - 1) % RECENT];

		/* What was before these is forgotten. */
		if (moves->count - i >= RECENT) {
			return CANNOT_TELL;
		}
		if (moment->ns > to) {
			continue;
		}
		if (!moment->kernel_id) {
			if (moment->ns < from && moment->everything) {
				break;
			}
			if (moment->ns < from) {
				add_wait(&waited, moment->stream);
			}
			continue;
		}
		if ((moment->ns < from && is_over(&waited, moment->stream)) ||
		    !moment_touches(moment, allocation)) {
			continue;
		}
		if (moment->unknown) {
			return CANNOT_TELL;
		}
		use = USED;
		*access |= moment_access(moment, allocation);
	}
	return use;
}

/* ---- all calls ---- */

/* Which function, from which place; a call of another kind: api 0. */
static struct call_record record_of(const struct hg_event *event)
{
	struct call_record record = { .end = event->ns };
	uint64_t duration = 0;

#define CALL(name)                                           \
	case HG_EVENT_##name:                                \
		record.call.api = event->name.api;           \
		record.call.stack_id = event->name.stack_id; \
		break
#define TIMED_CALL(name)                                     \
	case HG_EVENT_##name:                                \
		record.call.api = event->name.api;           \
		record.call.stack_id = event->name.stack_id; \
		duration = event->name.duration;             \
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

void note_call(struct moves *moves, const struct hg_event *event)
{
	struct call_record record = record_of(event);

	if (!record.call.api) {
		return;
	}
	moves->calls[moves->call_count++ % RECENT] = record;
	for (unsigned i = 0; i < moves->open->len; i++) {
		struct move_row *row = moves->open->pdata[i];

		if (!row->phase.after.api) {
			row->phase.after = record.call;
		} else {
			row->phase.several_after |=
			    row->phase.after.stack_id != record.call.stack_id;
		}
	}
	g_ptr_array_set_size(moves->open, 0);
}

struct move_phase phase_at(const struct moves *moves, int64_t ns, bool *open)
{
	struct move_phase phase = { .within = false };

	*open = true;
	for (uint64_t i = moves->call_count; i > 0 && moves->call_count - i < RECENT; i--) {
		const struct call_record *record = &moves->calls[(i - 1) % RECENT];

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
