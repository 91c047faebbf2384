/* SPDX-License-Identifier: Apache-2.0 */
/* From libbabeltrace2's messages to struct hg_event, whoever runs the graph. */
#ifndef HIPGRAIN_DECODE_H
#define HIPGRAIN_DECODE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "analyzer/reader/event_queue.h"
#include "analyzer/reader/reader.h"

struct decode;

/* What is decoded goes into the batches, losses into the statistics; both are borrowed. */
struct decode *decode_new(struct event_queue *queue, struct reader_stats *stats);
void decode_free(struct decode *decode);

/* Before the first message: what events of processes' files consist of, by the bundle; NULL: there
 * is none. */
void decode_layout(struct decode *decode, const char *bundle);

/* Before the first message: records of processes, from the bundle's directory HG_RINGS. False:
 * there is no such directory; in an empty one no process recorded anything. `last`: they are what
 * the recorder had not put into the trace when it was killed.
 */
bool decode_rings(struct decode *decode, const char *folder, bool last);

/*
 * Decodes, before the first message too, the calls that did not return, from the directory
 * HG_OPEN_CALLS. Each comes as an event of type HG_EVENT_OPEN_CALL, which is not counted.
 */
void decode_open_calls(struct decode *decode, const char *folder);

/* Leave out events before that moment of the trace's clock. */
void decode_begin_at(struct decode *decode, uint64_t moment);

/* One message of any kind, which stays the caller's. Nothing more is done once it has stopped. */
void decode_message(struct decode *decode, const bt_message *message);

/* No message follows. */
void decode_end(struct decode *decode);

/* The consumer of the batches wants no more. */
bool decode_stopped(const struct decode *decode);

#endif
