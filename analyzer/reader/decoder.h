/* SPDX-License-Identifier: Apache-2.0 */
/* This maps the members of an event class of a trace to struct hg_event. */
#ifndef HIPGRAIN_READER_DECODER_H
#define HIPGRAIN_READER_DECODER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/fields.h"

enum batch_event { NO_BATCH, PAGE, SWEPT };

/* This maps the members of one event class of one trace to an event layout. */
struct decoder {
	int type; /* enum hg_event_type, or -1: not ours, or unknown */
	enum batch_event batch;
	bool unknown;
	const struct field *fields;
	uint64_t member[FIELDS_MAX]; /* NO_MEMBER: the trace has no such field */
	uint64_t pid, tid;           /* members of the common context, NO_MEMBER without one */
};
#define NO_MEMBER UINT64_MAX

/* Returns the decoder of a class, which may be of no use (type); for g_free(). */
struct decoder *decoder_of_class(const bt_event_class *class);

#endif
