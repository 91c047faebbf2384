/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes the members of a call's event that are known before the runtime is entered. This comes
 * after hg_hip_begin() or a similar function.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_OPEN_H
#define HIPGRAIN_PRELOAD_HIP_HIP_OPEN_H

#include <limits.h>
#include <stdint.h>

#include "preload/core/clock.h"
#include "preload/trace/enter_calls.h"
#include "tracer/events.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

/* call.rc has this value before the call: the call's results cannot be read yet. */
#define HG_NOT_RETURNED INT_MIN

#define HG_OPEN(type) \
	static inline \
	    __attribute__((always_inline)) void hg_open_##type(const struct hg_ev_##type *event)

/* Publishes an event of that type, whose members may use `call` as after a failure. */
#define HG_OPEN_AS(type, ...)                                \
	do {                                                 \
		call.rc = HG_NOT_RETURNED;                   \
		struct hg_ev_##type open_ = { __VA_ARGS__ }; \
		hg_open_##type(&open_);                      \
	} while (0)

static inline __attribute__((always_inline)) void hg_open_range(uint64_t ptr, uint64_t size,
								uint64_t stream)
{
	struct hg_open_call *open = hg_tls.open_call;

	open->ptr = ptr;
	open->size = size;
	open->stream = stream;
}

static inline __attribute__((always_inline)) void
hg_open_bytes(uint64_t dst, uint64_t src, uint64_t size, int kind, uint64_t stream)
{
	struct hg_open_call *open = hg_tls.open_call;

	hg_open_range(dst, size, stream);
	open->src = src;
	open->rows = open->depth = 1;
	open->kind = kind;
}

HG_OPEN(alloc)
{
	hg_open_range(event->ptr, event->size, event->stream);
}

HG_OPEN(copy)
{
	struct hg_open_call *open = hg_tls.open_call;

	hg_open_bytes(event->dst, event->src, event->size, event->kind, event->stream);
	open->rows = event->rows;
	open->depth = event->depth ? event->depth : 1;
	open->ptr_pitch = event->dst_pitch;
	open->src_pitch = event->src_pitch;
	open->ptr_slice = event->dst_slice;
	open->src_slice = event->src_slice;
}

HG_OPEN(fill)
{
	struct hg_open_call *open = hg_tls.open_call;

	hg_open_range(event->dst, event->size, event->stream);
	open->rows = event->rows;
	open->depth = event->depth ? event->depth : 1;
	open->ptr_pitch = event->pitch;
	open->ptr_slice = event->slice;
}

HG_OPEN(free)
{
	hg_tls.open_call->ptr = event->ptr;
	hg_tls.open_call->stack_id = event->stack_id;
}

HG_OPEN(launch)
{
	struct hg_open_call *open = hg_tls.open_call;

	if (!open->start) /* it is no record of a batch */
		open->start = hg_now();
	open->kernel_id = event->kernel_id;
	open->stack_id = event->stack_id;
	open->stream = event->stream;
}

HG_OPEN(prefetch)
{
	hg_open_range(event->ptr, event->size, event->stream);
}

HG_OPEN(advise)
{
	hg_open_range(event->ptr, event->size, 0);
}

HG_OPEN(stream)
{
	hg_tls.open_call->stream = event->stream;
}

HG_OPEN(event)
{
	hg_tls.open_call->event = event->event;
	hg_tls.open_call->stream = event->stream;
}

HG_OPEN(sync)
{
	hg_tls.open_call->event = event->event;
	hg_tls.open_call->stream = event->stream;
}

HG_OPEN(call)
{
	hg_open_range(event->ptr, event->size, event->stream);
}

#endif
