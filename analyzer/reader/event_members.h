/* SPDX-License-Identifier: Apache-2.0 */
/* Declares how members of events are read by libbabeltrace2. */
#ifndef HIPGRAIN_READER_EVENT_MEMBERS_H
#define HIPGRAIN_READER_EVENT_MEMBERS_H

#include <glib.h>

#include "analyzer/reader/decoder.h"
#include "analyzer/reader/event_queue.h"

/* Returns a member of a structure; NULL if the structure is NULL or the member NO_MEMBER. */
const bt_field *member_field(const bt_field *structure, uint64_t member);
/* Returns the number that a member holds, 0 where there is none. */
uint64_t member_number(const bt_field *structure, uint64_t member);

/*
 * Stores a field in the struct of an event, as its layout says. Texts and sequences live as long as
 * the event at hand of the queue. The contents of `scratch` are lost.
 */
void member_store(struct event_queue *queue, GByteArray *scratch, const bt_field *field,
		  const struct field *layout, char *fields);

#endif
