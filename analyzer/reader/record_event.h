/* SPDX-License-Identifier: Apache-2.0 */
/* Records (tracer/event_record.h) to the events that they are shorter forms of. */
#ifndef HIPGRAIN_READER_RECORD_EVENT_H
#define HIPGRAIN_READER_RECORD_EVENT_H

#include "analyzer/reader/event_queue.h"
#include "tracer/event_record_reader.h"

/*
 * Fills in type and fields of an event, of which the rest is set, from a record of a block, a copy
 * or a stack; what it points to is kept by `queue`, of which the event is the next.
 */
void record_event(struct event_queue *queue, struct event_room *room,
		  const struct hg_record *record);

#endif
