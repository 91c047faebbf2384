/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This is one decoded event, as the rest of the analyzer sees it. The structs are those of the
 * schema (tracer/events.h); fields, strings and sequences belong to the reader and live until the
 * callback that received the event returns.
 */
#ifndef HIPGRAIN_EVENT_H
#define HIPGRAIN_EVENT_H

#include <stdbool.h>

#include "tracer/events.h"

enum hg_event_type {
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) HG_EVENT_##name,
#include "tracer/events/names.def"
	HG_EVENT_TYPES,
	HG_EVENT_OPEN_CALL, /* not recorded: a call that did not return, when it was made */
};

struct open_call;

struct hg_event {
	enum hg_event_type type;
	int64_t ns; /* since the trace clock's origin */
	int32_t pid;
	int32_t tid;
	/* The fields, which belong to whoever made the event: see tracer/events/ev_NAME.h. */
	union {
		const void *fields;
		const struct open_call *open_call; /* reader/read_open_calls.h */
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) const struct hg_ev_##name *name;
#include "tracer/events/names.def"
	};
};

/*
 * These return the name of an interface function by its id. Recordings of later releases and
 * damaged recordings have ids that this release does not know: hg_api_name() returns "unknown
 * function" for them, hg_api_name_if_known() NULL. The strings are static.
 */
const char *hg_api_name(unsigned api);
const char *hg_api_name_if_known(unsigned api);

/* Returns the class of an interface function (enum hg_api_class), or -1 if its id is unknown. */
int hg_api_class(unsigned api);

#endif
