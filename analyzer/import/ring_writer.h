/* SPDX-License-Identifier: Apache-2.0 */
/* Writes events as a process records them: a file of records (tracer/ring.h). */
#ifndef HIPGRAIN_IMPORT_RING_WRITER_H
#define HIPGRAIN_IMPORT_RING_WRITER_H

#include <stdint.h>

#include "analyzer/reader/event.h"

struct ring_writer;

/* Makes the file of a process in the directory `folder`, the caller's. */
struct ring_writer *ring_writer_open(int folder, int32_t pid);

/*
 * Adds an event of a known type. In a file each has a time of its own: one that is not later than
 * that before it is 1 ns later.
 */
void ring_writer_event(struct ring_writer *writer, const struct hg_event *event);

/* Ends the file, and frees the writer. Returns 0, or -errno of what failed first. */
int ring_writer_close(struct ring_writer *writer);

#endif
