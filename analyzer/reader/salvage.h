/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream files that end inside a packet (a full disk, a copy that was cut off) make libbabeltrace2
 * refuse the whole trace. This makes a readable view of such a trace: whole packets only.
 */
#ifndef HIPGRAIN_SALVAGE_H
#define HIPGRAIN_SALVAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes a temporary directory that shows the trace in directory `trace` without its incomplete
 * packets. Returns its path (temporary_remove() it) and in *what one line that names what was left
 * out; or NULL if no stream file is cut off, or the directory cannot be made. The trace is not
 * changed.
 */
char *salvage_trace(const char *trace, char **what);

/*
 * The first returns true if the packets that the trace's index files name lie in their stream
 * files. If they do not, libbabeltrace2 2.0 ends the process. It can do without: the second returns
 * a temporary directory as above that shows the whole packets and no index, or NULL if it cannot be
 * made.
 */
bool trace_index_is_sound(const char *trace);
char *trace_without_index(const char *trace);

/*
 * Returns true if each stream file of the trace is a chain of whole packets. libbabeltrace2 2.1
 * does not look at a packet's magic: it takes what lies behind a destroyed header for events, and
 * without an index file reads for ever.
 */
bool trace_is_of_whole_packets(const char *trace);

/*
 * Returns true if the trace's metadata describes any stream. LTTng makes a directory for every user
 * whose processes are registered with the daemon; if it recorded no event of them, their stream
 * files have no description, on which libbabeltrace2 gives up.
 */
bool trace_is_described(const char *trace);

/*
 * Returns true if the trace's metadata file is a chain of whole packets, or plain text, or a
 * sequence of JSON. On one that is not, libbabeltrace2 2.0 can read for ever.
 */
bool trace_metadata_is_sound(const char *trace);

/* Returns true if a stream file of the trace has a packet with an event in it. */
bool trace_holds_events(const char *trace);

/*
 * Returns from when on all streams of a trace are whole, by the trace's clock: a flight recorder
 * overwrites each CPU's oldest packets at its own pace. Returns 0 if none was overwritten.
 */
uint64_t trace_whole_since(const char *trace);

#endif
