/* SPDX-License-Identifier: Apache-2.0 */
/* This keeps texts of events, which programs chose. */
#ifndef HIPGRAIN_READER_KEEP_TEXT_H
#define HIPGRAIN_READER_KEEP_TEXT_H

#include "analyzer/reader/event_queue.h"
#include "analyzer/reader/fields.h"

/* Returns a copy of a NUL-terminated text of `length` bytes, as one line unless it is the
 * environment. It lives as long as the event at hand. */
const char *keep_text(struct event_queue *queue, const struct field *layout, const char *text,
		      uint64_t length);

#endif
