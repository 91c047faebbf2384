/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that processes stored in the bundle before they had LTTng-UST (tracer/early_events.h), of
 * all processes in the order of time.
 */
#ifndef HIPGRAIN_READER_EARLY_EVENTS_H
#define HIPGRAIN_READER_EARLY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/reader/event.h"
#include "analyzer/reader/event_queue.h"

struct early_events;

/* An event's fields as they are in the file. */
struct early_event {
	int32_t pid, tid;
	uint64_t ns;     /* CLOCK_MONOTONIC */
	uint64_t origin; /* add this: since the clock's origin */
	const struct early_type *type;
	const uint8_t *bytes;
	size_t size;
};

/* What kind of event it is. */
enum early_class { EARLY_EVENT, EARLY_BATCH_OPEN, EARLY_BATCH, EARLY_UNKNOWN };

/*
 * The files of a bundle's directory HG_EARLY, if there is one (NULL: none). `damage` is then or
 * later set to a line that says which file is damaged and where, if that was NULL (g_free()).
 */
struct early_events *early_events_open(const char *folder, char **damage);
void early_events_close(struct early_events *events);

/* The earliest event that was not taken yet, until the next call; NULL: none is left. */
const struct early_event *early_events_next(struct early_events *events);
void early_events_take(struct early_events *events);

/* The event of a record of a ring's page (HG_RECORD_EVENT), whose type has that number. */
struct early_event early_event_of(const struct early_events *events, unsigned number,
				  const void *bytes, size_t size);

/* A copy that lives until it is given to g_free(). */
struct early_event *early_event_copy(const struct early_event *event);

enum early_class early_event_class(const struct early_event *event);
unsigned early_event_kind(const struct early_event *event); /* as counts.h numbers it */
/* Of an EARLY_EVENT; *alias: a shorter form of it was recorded. */
enum hg_event_type early_event_type(const struct early_event *event, bool *alias);

/* Fill in the fields of an event that is all 0, of which the rest is set. False: it is damaged. */
bool early_event_fill(struct event_queue *queue, struct hg_event *event,
		      const struct early_event *early);

/* A batch; its records are the caller's (g_free()). False: it is damaged. */
bool early_event_batch(const struct early_event *early, struct hg_ev_batch *batch,
		       uint64_t **records);

/* The number of the batch that begins. */
uint32_t early_event_number(const struct early_event *early);

#endif
