/* SPDX-License-Identifier: Apache-2.0 */
/* Records of batches to events. */
#include "record_event.h"

#include "tracer/stack_record.h"

static void fill_alloc(struct hg_event *event, const uint64_t *words, uint64_t stack_id)
{
	event->type = HG_EVENT_alloc;
	event->alloc = (struct hg_ev_alloc){ .api = (uint8_t)(words[0] >> 48),
					     .ptr = words[0] & HG_RECORD_ADDRESS,
					     .device_ptr = words[0] & HG_RECORD_ADDRESS,
					     .size = words[1] >> 32,
					     .device = -1,
					     .symbol = "",
					     .stack_id = (uint32_t)stack_id };
}

static void fill_free(struct hg_event *event, const uint64_t *words)
{
	event->type = HG_EVENT_free;
	event->free = (struct hg_ev_free){ .api = (uint8_t)(words[0] >> 48),
					   .ptr = words[0] & HG_RECORD_ADDRESS,
					   .stack_id = (uint32_t)(words[1] >> 32) };
}

static void fill_copy(struct hg_event *event, const uint64_t *words)
{
	event->type = HG_EVENT_copy;
	event->copy = (struct hg_ev_copy){ .api = (uint16_t)words[0],
					   .kind = (uint8_t)(words[0] >> 16),
					   .device = (int16_t)(words[0] >> 24),
					   .duration = words[1] >> 32,
					   .dst = words[2],
					   .src = words[3],
					   .size = words[4],
					   .rows = 1,
					   .depth = 1,
					   .stream = words[5],
					   .stack_id = (uint32_t)words[6] };
}

static bool fill_stack(struct event_queue *queue, struct hg_event *event, const uint64_t *words)
{
	uint64_t frames[HG_STACK_FRAMES_MAX];
	uint32_t depth;

	if (!hg_stack_read(words, hg_record_words(words[0]), frames, &depth))
		return false;
	event->type = HG_EVENT_stack;
	event->stack = (struct hg_ev_stack){ .stack_id = (uint32_t)words[0], .depth = depth };
	event->stack.frames = event_queue_keep(queue, frames, depth * sizeof(*frames));
	return true;
}

bool record_event(struct event_queue *queue, struct hg_event *event, const uint64_t *words)
{
	switch ((enum hg_record)(words[0] >> 56)) {
	case HG_RECORD_ALLOC:
		fill_alloc(event, words, 0);
		break;
	case HG_RECORD_ALLOC_STACK:
		fill_alloc(event, words, words[2]);
		break;
	case HG_RECORD_FREE:
		fill_free(event, words);
		break;
	case HG_RECORD_COPY:
		fill_copy(event, words);
		break;
	case HG_RECORD_STACK:
		return fill_stack(queue, event, words);
	case HG_RECORD_RELAUNCH:
	case HG_RECORD_LAUNCH:
	case HG_RECORD_LAUNCH_CHANGED:
	case HG_RECORD_PACKED: /* not among whole ones */
	case HG_RECORD_EVENT:
	case HG_RECORD_BEGIN:
	case HG_RECORD_KINDS:
		return false;
	}
	return true;
}
