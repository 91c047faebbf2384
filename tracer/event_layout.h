/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the events of events.def in records (HG_RECORD_EVENT of event_record.h). Numbers and
 * fields change from version to version. DIR/event-layout, which the recorder writes, describes
 * those of its version: a line for each type, of its number, its name and for each field
 * `TYPE:NAME`, where TYPE is that of events.def, `text`, or `TYPE[]`.
 */
#ifndef HIPGRAIN_TRACER_EVENT_LAYOUT_H
#define HIPGRAIN_TRACER_EVENT_LAYOUT_H

#include <stdint.h>

#include "tracer/ring.h"

enum hg_type {
#define HG_EVENT(name) HG_TYPE_##name,
#include "tracer/events/names.def"
};

/* Returns the group in which an event of that number is counted. */
static inline enum hg_group hg_group_of_type(unsigned type)
{
	switch (type) {
	case HG_TYPE_alloc:
		return HG_GROUP_ALLOC;
	case HG_TYPE_free:
		return HG_GROUP_FREE;
	case HG_TYPE_launch:
		return HG_GROUP_LAUNCH;
	case HG_TYPE_copy:
		return HG_GROUP_COPY;
	default:
		return HG_GROUP_OTHER;
	}
}

#define HG_LAYOUT "event-layout"

/* Makes the file in the bundle; the recorder calls it. Returns 0 or -errno. */
int event_layout_make(int bundle);

#endif
