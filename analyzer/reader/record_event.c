/* SPDX-License-Identifier: Apache-2.0 */
/* Records to events. */
#include "record_event.h"

#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_stack.h"

static void fill_block(struct event_room *room, const struct hg_record *record)
{
	if (record->block.freed) {
		room->event.type = HG_EVENT_free;
		room->of.free = (struct hg_ev_free){ .api = record->block.api,
						     .ptr = record->block.address,
						     .stack_id = record->block.stack_id };
		return;
	}
	room->event.type = HG_EVENT_alloc;
	room->of.alloc = (struct hg_ev_alloc){ .api = record->block.api,
					       .ptr = record->block.address,
					       .device_ptr = record->block.address,
					       .size = record->block.size,
					       .device = -1,
					       .symbol = "",
					       .stack_id = record->block.stack_id };
}

static void fill_copy(struct event_room *room, const struct hg_record_copy *copy)
{
	room->event.type = HG_EVENT_copy;
	room->of.copy = (struct hg_ev_copy){ .api = (uint16_t)copy->what,
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

static void fill_stack(struct event_queue *queue, struct event_room *room,
		       const struct hg_record *record)
{
	uint64_t frames[HG_STACK_FRAMES_MAX];

	hg_stack_read(record, frames);
	room->event.type = HG_EVENT_stack;
	room->of.stack =
	    (struct hg_ev_stack){ .stack_id = record->stack.id, .depth = record->stack.count };
	room->of.stack.frames =
	    event_queue_keep(queue, frames, record->stack.count * sizeof(*frames));
}

void record_event(struct event_queue *queue, struct event_room *room,
		  const struct hg_record *record)
{
	switch (record->kind) {
	case HG_KIND_BLOCK:
		fill_block(room, record);
		break;
	case HG_KIND_COPY:
		fill_copy(room, &record->copy);
		break;
	case HG_KIND_STACK:
		fill_stack(queue, room, record);
		break;
	case HG_KIND_LAUNCH:
	case HG_KIND_LAUNCH_CHANGED:
	case HG_KIND_EVENT:
	case HG_KIND_BEGIN:
		break;
	}
}
