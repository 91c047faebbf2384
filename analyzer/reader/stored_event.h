/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of events that processes stored (HG_RECORD_EVENT): as the recorder's version had them,
 * which the bundle's file HG_LAYOUT describes (tracer/event_layout.h).
 */
#ifndef HIPGRAIN_READER_STORED_EVENT_H
#define HIPGRAIN_READER_STORED_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/reader/event_queue.h"

struct stored_layout;
struct stored_type;

/*
 * Reads the layout of a bundle; NULL, or a bundle that has none: that of this version. `damage`
 * becomes a line that says where it is damaged, if it was NULL (g_free()).
 */
struct stored_layout *stored_layout_read(const char *bundle, char **damage);
void stored_layout_free(struct stored_layout *layout); /* NULL does nothing */

/* Returns true if the recording's version has a type of that number; also if its layout is not
 * known. */
bool stored_type_is_listed(const struct stored_layout *layout, unsigned number);

/* Returns the type of that number, which the record has; NULL: this version does not know it. */
const struct stored_type *stored_type_of(const struct stored_layout *layout, unsigned number,
					 enum hg_event_type *type);

/* Fills in the fields of an event that is all 0, of which the rest is set. False: it is damaged. */
bool stored_event_fill(struct event_queue *queue, struct event_room *room,
		       const struct stored_type *type, const void *bytes, size_t size);

#endif
