/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events as a trace of CTF 1.8: one stream a process, in packets laid out as LTTng-UST's,
 * one event type for each row of tracer/events.def that is no container of others.
 */
#ifndef HIPGRAIN_CTF_WRITER_H
#define HIPGRAIN_CTF_WRITER_H

#include <stdint.h>

#include "analyzer/reader/event.h"

#define CTF_UUID_SIZE 16u

struct ctf_trace {
	int folder; /* a directory's descriptor, the caller's */
	uint8_t uuid[CTF_UUID_SIZE];
};

struct ctf_writer;

/* Gives a trace in the directory `folder` its number. */
void ctf_trace_begin(struct ctf_trace *trace, int folder);

/*
 * Writes the file "metadata", which describes the events; the functions of the field `api` are an
 * enumeration. Returns 0 or -errno: -EEXIST if there is one.
 */
int ctf_write_metadata(const struct ctf_trace *trace);

/*
 * Returns a stream of one process, the file "process-PID", or "process-PID-PART" if `part` is not
 * 0, which its first packet makes. The trace must outlive it.
 */
struct ctf_writer *ctf_writer_open(const struct ctf_trace *trace, int32_t pid, unsigned part);

/* Adds an event of a known type; times of one stream must not decrease. */
void ctf_writer_event(struct ctf_writer *writer, const struct hg_event *event);

/*
 * Ends the stream, of which so many events are missing, and frees it. Returns 0, or -errno of the
 * first write that failed.
 */
int ctf_writer_close(struct ctf_writer *writer, uint64_t missing);

#endif
