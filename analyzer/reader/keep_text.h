/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of events, which programs chose. */
#ifndef HIPGRAIN_READER_KEEP_TEXT_H
#define HIPGRAIN_READER_KEEP_TEXT_H

#include "analyzer/reader/event_queue.h"
#include "analyzer/reader/fields.h"

/* A copy of a NUL-terminated text of `length` bytes that lives as long as the event at hand. */
const char *keep_text(struct event_queue *queue, const struct field *layout, const char *text,
		      uint64_t length);

#endif
