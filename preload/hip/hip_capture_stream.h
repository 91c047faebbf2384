/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are captured into graphs (hip_graph.c). */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_CAPTURE_STREAM_H
#define HIPGRAIN_PRELOAD_HIP_HIP_CAPTURE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/events.h"

struct hg_ev_alloc;
struct hg_ev_copy;
struct hg_ev_fill;
struct hg_ev_free;

extern HG_HIDDEN int hg_hip_captures; /* begun and not ended; atomic */

/* Returns true if any stream is being captured. Mostly none is, and the functions below need not be
 * called. */
static inline bool hg_hip_any_capture(void)
{
	return __atomic_load_n(&hg_hip_captures, __ATOMIC_RELAXED);
}

/* Returns true if work that is submitted to the stream becomes a node of a graph instead of being
 * executed. */
bool hg_hip_capturing(uint64_t stream);
/* Remembers a copy or fill and returns true, if it was captured: it has no event of its own
 * then. */
bool hg_hip_captured_copy(const struct hg_ev_copy *event);
bool hg_hip_captured_fill(const struct hg_ev_fill *event);
/* Returns true if an allocation has become a node, or if a release is about to become one. */
bool hg_hip_captured_alloc(const struct hg_ev_alloc *event);
bool hg_hip_captured_free(const struct hg_ev_free *event);

#endif
