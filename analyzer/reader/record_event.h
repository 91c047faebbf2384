/* SPDX-License-Identifier: Apache-2.0 */
/* Records of batches (tracer/batch_events.h) to the events that they stand for. */
#ifndef HIPGRAIN_READER_RECORD_EVENT_H
#define HIPGRAIN_READER_RECORD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"
#include "analyzer/reader/event_queue.h"

/*
 * Fill in type and fields of an event, of which the rest is set, from a whole record; what it
 * points to is kept by `queue`, of which the event is the next. Not for launches, which depend on
 * other records. False if the record is damaged, or of a launch.
 */
bool record_event(struct event_queue *queue, struct hg_event *event, const uint64_t *words);

#endif
