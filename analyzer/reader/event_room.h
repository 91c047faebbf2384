/* SPDX-License-Identifier: Apache-2.0 */
/* An event with the memory of its fields, whichever it is: the reader fills these in. */
#ifndef HIPGRAIN_READER_EVENT_ROOM_H
#define HIPGRAIN_READER_EVENT_ROOM_H

#include <string.h>

#include "analyzer/reader/event.h"
#include "tracer/events/all_events.h"

struct event_room {
	struct hg_event event;
	union {
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) struct hg_ev_##name name;
#include "tracer/events/names.def"
	} of;
};

/* Makes the event one of no known type, whose fields, all 0, are those in the room. */
static inline void event_room_clear(struct event_room *room)
{
	memset(room, 0, sizeof(*room));
	room->event.type = HG_EVENT_TYPES;
	room->event.fields = &room->of;
}

#endif
