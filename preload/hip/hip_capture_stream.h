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

/* Whether any stream is: mostly none, and the following then need not be called. */
static inline bool hg_hip_any_capture(void)
{
	return __atomic_load_n(&hg_hip_captures, __ATOMIC_RELAXED);
}

/* Whether what is submitted to a stream becomes a node of a graph instead of being carried out. */
bool hg_hip_capturing(uint64_t stream);
/* Remember a copy or fill that was captured; true if it was, and then has no event of its own. */
bool hg_hip_captured_copy(const struct hg_ev_copy *event);
bool hg_hip_captured_fill(const struct hg_ev_fill *event);
/* Whether an allocation became a node; before a release, whether it will. */
bool hg_hip_captured_alloc(const struct hg_ev_alloc *event);
bool hg_hip_captured_free(const struct hg_ev_free *event);

#endif
