/* SPDX-License-Identifier: Apache-2.0 */
/* This makes struct hg_event of libbabeltrace2's messages, whoever runs the graph. */
#ifndef HIPGRAIN_DECODE_MESSAGES_H
#define HIPGRAIN_DECODE_MESSAGES_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "analyzer/reader/event_queue.h"
#include "analyzer/reader/reader.h"

struct decode;

/* Decoded events go into the batches, losses into the statistics; both are borrowed. */
struct decode *decode_new(struct event_queue *queue, struct reader_stats *stats);
void decode_free(struct decode *decode);

/* Reads, before the first message, what events of processes' files consist of, from the bundle;
 * NULL: there is none. */
void decode_layout(struct decode *decode, const char *bundle);

/*
 * Opens, before the first message, records of processes, from the bundle's directory HG_RINGS.
 * Returns false if there is no such directory; in an empty one no process recorded anything. If
 * `last` is true they are what the recorder had not put into the trace when it was killed.
 */
bool decode_rings(struct decode *decode, const char *folder, bool last);

/*
 * Decodes, before the first message too, the calls that did not return, from the directory
 * HG_OPEN_CALLS. Each comes as an event of type HG_EVENT_OPEN_CALL, which is not counted.
 */
void decode_open_calls(struct decode *decode, const char *folder);

/* Leaves out memory blocks and copies of the processes' files, before the first message, too. */
void decode_leave_out_blocks(struct decode *decode);

/* Leaves out events before that moment of the trace's clock. */
void decode_begin_at(struct decode *decode, uint64_t moment);

/* Takes one message of any kind, which stays the caller's. Does nothing more once it has
 * stopped. */
void decode_message(struct decode *decode, const bt_message *message);

/* Ends the decoding: no message follows. */
void decode_end(struct decode *decode);

/* Returns true if the consumer of the batches wants no more. */
bool decode_stopped(const struct decode *decode);

#endif
