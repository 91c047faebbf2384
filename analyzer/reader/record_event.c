/* SPDX-License-Identifier: Apache-2.0 */
/* Records to events. */
#include "record_event.h"

static void fill_block(struct hg_event *event, const struct hg_record *record)
{
	if (record->block.freed) {
		event->type = HG_EVENT_free;
		event->free = (struct hg_ev_free){ .api = record->block.api,
						   .ptr = record->block.address,
						   .stack_id = record->block.stack_id };
		return;
	}
	event->type = HG_EVENT_alloc;
	event->alloc = (struct hg_ev_alloc){ .api = record->block.api,
					     .ptr = record->block.address,
					     .device_ptr = record->block.address,
					     .size = record->block.size,
					     .device = -1,
					     .symbol = "",
					     .stack_id = record->block.stack_id };
}

static void fill_copy(struct hg_event *event, const struct hg_record_copy *copy)
{
	event->type = HG_EVENT_copy;
	event->copy = (struct hg_ev_copy){ .api = (uint16_t)copy->what,
					   .kind = (uint8_t)(copy->what >> 16),
					   .device = (int16_t)(copy->what >> 24),
					   .duration = copy->duration,
					   .dst = copy->dst,
					   .src = copy->src,
					   .size = copy->size,
					   .rows = 1,
					   .depth = 1,
					   .stream = copy->stream,
					   .stack_id = copy->stack_id };
}

static void fill_stack(struct event_queue *queue, struct hg_event *event,
		       const struct hg_record *record)
{
	uint64_t frames[HG_STACK_FRAMES_MAX];

	hg_stack_read(record, frames);
	event->type = HG_EVENT_stack;
	event->stack =
	    (struct hg_ev_stack){ .stack_id = record->stack.id, .depth = record->stack.count };
	event->stack.frames =
	    event_queue_keep(queue, frames, record->stack.count * sizeof(*frames));
}

void record_event(struct event_queue *queue, struct hg_event *event, const struct hg_record *record)
{
	switch (record->kind) {
	case HG_KIND_BLOCK:
		fill_block(event, record);
		break;
	case HG_KIND_COPY:
		fill_copy(event, &record->copy);
		break;
	case HG_KIND_STACK:
		fill_stack(queue, event, record);
		break;
	case HG_KIND_LAUNCH:
	case HG_KIND_LAUNCH_CHANGED:
	case HG_KIND_EVENT:
	case HG_KIND_BEGIN:
		break;
	}
}
