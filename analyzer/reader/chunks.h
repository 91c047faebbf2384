/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that LTTng rotated (tracer/rotation.h): the directories TRACE/archives/CHUNK/REST of one
 * REST are one trace, in the order of the chunks' numbers. TRACE/REST is what is written still.
 */
#ifndef HIPGRAIN_CHUNKS_H
#define HIPGRAIN_CHUNKS_H

#include <glib.h>
#include <stdbool.h>

/* Brings directories of traces into order: by trace, and its chunks by age. */
void chunks_sort(GPtrArray *traces);

/* Returns true if number `index` of sorted directories continues the trace of the one before it. */
bool chunk_continues(const GPtrArray *traces, unsigned index);

#endif
