/* SPDX-License-Identifier: Apache-2.0 */
/* From a finished HIP call to its event: what every call of a class has in common. */
#include "preload/hip/checks.h"
#include "preload/hip/hip_record.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_capture_stream.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_redact.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_sources.h"
#include "preload/migration/residency.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "preload/trace/batch.h"
#include "preload/trace/batch_add.h"
#include "preload/trace/enter.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"
#include "tracer/provider.h"

/* `src` and the bytes from the first to the last that are read there belong to a copy. */
static void record_error(const struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t src,
			 uint64_t src_size, uint64_t flags)
{
	struct hg_ev_error event = { .api = call->api,
				     .code = call->rc,
				     .ptr = ptr,
				     .size = size,
				     .src = src,
				     .src_size = src_size,
				     .flags = flags };

	if (!call->rc || call->rc == HIP_NOT_READY || !hg_enter_batched())
		return;
	event.stack_id = hg_stack_id(call->caller);
	hg_provider->error(&event);
	hg_leave();
}

void hg_hip_error(const struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags)
{
	record_error(call, ptr, size, 0, 0, flags);
}

static inline uint64_t duration_until(struct hg_hip_call *call, uint64_t end)
{
	call->end = end;
	return end > call->start ? end - call->start : 0;
}

/* Until now, which is the call's end; its start is only about that. */
static uint64_t duration(struct hg_hip_call *call)
{
	return duration_until(call, hg_now());
}

/* A copy of one row, which most are; by value, for it to stay in registers. */
static __attribute__((noinline)) bool add_row_otherwise(struct hg_record_copy row, uint64_t when)
{
	struct hg_batch_room room;
	char *end;

	if (!hg_batch_take(&room, HG_RECORD_COPY_MOST, when))
		return false;
	end = hg_record_put_copy(room.at, room.before, &row, room.since);
	hg_batch_put(&room, end, HG_GROUP_COPY);
	return true;
}

static inline __attribute__((always_inline)) bool add_row(struct hg_record_copy row, uint64_t end)
{
	struct hg_batch *batch = hg_tls.batch;
	uint64_t since;

	/* A stack is defined before the first event that names it. */
	if (HG_UNLIKELY(hg_tls.walked))
		return add_row_otherwise(row, 0);
	if (HG_LIKELY(batch != NULL) && HG_LIKELY(hg_batch_enter(batch))) {
		since = end - batch->begin;
		if (HG_LIKELY(hg_batch_has_room(batch, HG_RECORD_COPY_MOST)) &&
		    HG_LIKELY(hg_batch_may_store(batch)) && HG_LIKELY(!(since >> 32))) {
			hg_batch_begin(batch->page);
			batch->at =
			    hg_record_put_copy(batch->at, &batch->before, &row, (uint32_t)since);
			batch->records[HG_GROUP_COPY]++;
			hg_batch_done(batch->page);
			hg_batch_leave(batch);
			return true;
		}
		hg_batch_leave(batch);
	}
	return add_row_otherwise(row, end);
}

static inline uint64_t row_what(uint16_t api, int32_t kind, int32_t device)
{
	return (uint64_t)(uint16_t)device << 24 | (uint64_t)(uint8_t)kind << 16 | api;
}

/* Returns true if these fit into the record. */
static inline __attribute__((always_inline)) bool fits(int32_t kind, int32_t device,
						       uint64_t duration)
{
	return kind == (uint8_t)kind && device == (int16_t)device && duration <= UINT32_MAX;
}

static bool add_copy(const struct hg_hip_call *call, const struct hg_ev_copy *event)
{
	if (event->rows != 1 || event->depth != 1 ||
	    event->dst_pitch | event->src_pitch | event->dst_slice | event->src_slice ||
	    !fits(event->kind, event->device, event->duration))
		return false;
	return add_row(
	    (struct hg_record_copy){ .dst = event->dst,
				     .src = event->src,
				     .size = event->size,
				     .stream = event->stream,
				     .what = row_what(event->api, event->kind, event->device),
				     .duration = (uint32_t)event->duration,
				     .stack_id = event->stack_id },
	    call->end);
}

static inline void emit_copy(const struct hg_hip_call *call, const struct hg_ev_copy *event)
{
	if (!add_copy(call, event))
		hg_provider->copy(event);
}

#define emit_alloc(call, event)    hg_provider->alloc(event)
#define emit_fill(call, event)     hg_hip_emit_fill(event)
#define emit_call(call, event)     hg_provider->call(event)
#define emit_prefetch(call, event) hg_provider->prefetch(event)
#define emit_advise(call, event)   hg_provider->advise(event)
#define emit_stream(call, event)   hg_provider->stream(event)
#define emit_event(call, event)    hg_provider->event(event)
#define emit_sync(call, event)     hg_provider->sync(event)

/*
 * Every finisher: on success fill in what the class has in common and emit, on failure make an
 * error of the event's main members; then the call is over.
 */
#define FINISH(type, error_ptr, error_size, error_flags, captured, fill_in, remember)          \
	void hg_finish_##type(struct hg_hip_call *call, struct hg_ev_##type *event)            \
	{                                                                                      \
		int saved = errno;                                                             \
                                                                                               \
		if (call->rc) {                                                                \
			record_error(call, error_ptr, error_size, SRC_OF_##type, error_flags); \
		} else if (hg_enter_often()) {                                                 \
			if (!(captured)) {                                                     \
				fill_in;                                                       \
				hg_live_lock();                                                \
				emit_##type(call, event);                                      \
				remember;                                                      \
				hg_live_unlock();                                              \
			}                                                                      \
			hg_leave();                                                            \
		}                                                                              \
		hg_hip_end();                                                                  \
		errno = saved;                                                                 \
	}

/* Returns the bytes from the first to the last that one side of a copy touches. */
static uint64_t extent(const struct hg_ev_copy *event, uint64_t pitch, uint64_t slice)
{
	uint64_t depth = event->depth ? event->depth : 1;

	if (!pitch || !event->size || !event->rows) /* of an array, whose rows are somewhere */
		return event->size * event->rows * depth;
	return event->size + (event->rows - 1) * pitch + (depth - 1) * slice;
}

/* An error has these values of the source as well. */
#define SRC_OF_alloc    0, 0
#define SRC_OF_copy     event->src, extent(event, event->src_pitch, event->src_slice)
#define SRC_OF_fill     0, 0
#define SRC_OF_call     0, 0
#define SRC_OF_prefetch 0, 0
#define SRC_OF_advise   0, 0
#define SRC_OF_stream   0, 0
#define SRC_OF_event    0, 0
#define SRC_OF_sync     0, 0

#define STACK           event->stack_id = hg_hip_stack_id(call)
#define DEVICE          event->device = hg_hip_stream_device(event->stream)
#define DEPTH           event->depth = event->depth ? event->depth : 1
#define TEXT            event->text = event->text ? event->text : ""
#define NOTHING         (void)0
#define DURATION        event->duration = duration(call)
#define WAITED          hg_hip_memory_waited()
#define LOCATED         event->node = event->location ? event->node : -1

static void copied(const struct hg_ev_copy *event)
{
	if (event->rows == 1 && event->depth == 1)
		hg_checks_copied(event->api, event->dst, event->src, event->size, event->kind,
				 event->stack_id);
	hg_hip_pointers_copy(event);
	hg_hip_sources_copied(event->api, event->src, event->size, event->kind);
}

/* Returns where the GPU sees registered host memory; for all other memory it returns `ptr`. */
static uint64_t device_pointer(const struct hg_hip_call *call, uint64_t ptr)
{
	int (*query)(void **, void *, unsigned);
	void *found = NULL;

	if (call->api != HG_API_hipHostRegister || !hg_hip_may_query())
		return ptr;
	query = (int (*)(void **, void *, unsigned))hg_hip_query("hipHostGetDevicePointer");
	if (!query)
		return ptr;
	if (query(&found, (void *)(uintptr_t)ptr, 0)) {
		hg_hip_forget_error();
		return ptr;
	}
	return found ? (uintptr_t)found : ptr;
}

/* Returns the device that has the memory: of a pool the pool's, whatever the stream's is. */
static int32_t device_of(const struct hg_hip_call *call, const struct hg_ev_alloc *event)
{
	int32_t device = -1;

	if (call->api == HG_API_hipMallocFromPoolAsync && event->ptr && hg_hip_may_query())
		device = hg_hip_memory_device(event->ptr);
	return device >= 0 ? device : hg_hip_stream_device(event->stream);
}

static void finish_alloc(const struct hg_hip_call *call, struct hg_ev_alloc *event)
{
	event->symbol = "";
	event->device_ptr = device_pointer(call, event->ptr);
	event->device = device_of(call, event);
	hg_checks_alloc(event);
	/* The runtime knows nothing of a reservation but what is mapped into it. */
	if (event->api != HG_API_hipMemAddressReserve)
		hg_hip_memory_add(event);
	if (event->api == HG_API_hipMallocManaged)
		hg_residency_add(event->ptr, event->size, true);
}

/* Keeps an allocation for later sessions. A mapping begins where its reservation begins: as with
 * mmap(), pieces of it can be unmapped. */
static void keep_alloc(const struct hg_ev_alloc *event)
{
	if (event->api == HG_API_hipMemMap)
		hg_live_map(event);
	else
		hg_live_alloc(event);
}

/* The out parameter of a failed allocation means nothing. */
FINISH(alloc, call->api == HG_API_hipHostRegister ? event->ptr : 0, event->size, event->flags,
       hg_hip_captured_alloc(event), (finish_alloc(call, event), STACK), keep_alloc(event))
FINISH(copy, event->dst, extent(event, event->dst_pitch, event->dst_slice),
       (uint64_t)(uint32_t)event->kind, hg_hip_any_capture() && hg_hip_captured_copy(event),
       (DEPTH, DURATION, DEVICE, STACK), (WAITED, copied(event)))

static __attribute__((noinline)) void finish_bytes_otherwise(struct hg_hip_call *call, uint64_t dst,
							     uint64_t src, uint64_t size, int kind,
							     uint64_t stream)
{
	struct hg_ev_copy event = { .api = call->api,
				    .dst = dst,
				    .src = src,
				    .size = size,
				    .rows = 1,
				    .kind = kind,
				    .stream = stream };

	hg_finish_copy(call, &event);
}

static __attribute__((noinline)) void emit_row(struct hg_record_copy row, uint16_t api,
					       int32_t kind, int32_t device, uint64_t took)
{
	struct hg_ev_copy event = { .api = api,
				    .dst = row.dst,
				    .src = row.src,
				    .size = row.size,
				    .rows = 1,
				    .depth = 1,
				    .kind = kind,
				    .device = device,
				    .stream = row.stream,
				    .stack_id = row.stack_id,
				    .duration = took };

	hg_provider->copy(&event);
}

/* Does what hg_finish_copy() does, which handles the rare cases; an event is made in memory only
 * where it is needed. */
void hg_finish_copy_bytes(struct hg_hip_call *call, uint64_t dst, uint64_t src, uint64_t size,
			  int kind, uint64_t stream)
{
	int saved = errno;
	uint64_t took;
	int32_t device;
	struct hg_record_copy row;

	if (HG_UNLIKELY(call->rc || hg_config.standby || hg_hip_any_capture())) {
		finish_bytes_otherwise(call, dst, src, size, kind, stream);
		return;
	}
	if (hg_enter_often()) {
		took = duration_until(call, hg_now_counted());
		device = hg_hip_stream_device(stream);
		row = (struct hg_record_copy){ .dst = dst,
					       .src = src,
					       .size = size,
					       .stream = stream,
					       .what = row_what(call->api, kind, device),
					       .duration = (uint32_t)took,
					       .stack_id = hg_hip_stack_id(call) };
		if (HG_UNLIKELY(!fits(kind, device, took)) || !add_row(row, call->end))
			emit_row(row, call->api, kind, device, took);
		hg_hip_memory_waited();
		hg_checks_copied(call->api, dst, src, size, kind, row.stack_id);
		hg_hip_pointers_copy_bytes(call->api, dst, src, size, kind);
		hg_hip_sources_copied(call->api, src, size, kind);
		hg_leave();
	}
	hg_hip_end();
	errno = saved;
}

FINISH(fill, event->dst,
       event->pitch && event->rows ? event->size + (event->rows - 1) * event->pitch +
					 (event->depth ? event->depth - 1 : 0) * event->slice
				   : event->size * event->rows * (event->depth ? event->depth : 1),
       event->value, hg_hip_captured_fill(event), (DEPTH, DURATION, DEVICE, STACK), WAITED)
FINISH(call, event->ptr ? event->ptr : event->handle, event->size, event->flags, false,
       (TEXT, DEVICE, STACK), NOTHING)
FINISH(prefetch, event->ptr, event->size, (uint64_t)event->location << 32 | (uint32_t)event->target,
       hg_hip_capturing(event->stream), (LOCATED, DURATION, STACK, hg_residency_prefetched()),
       hg_live_prefetch(event))
FINISH(advise, event->ptr, event->size,
       (uint64_t)(uint16_t)event->target << 48 | (uint64_t)event->location << 32 |
	   (uint32_t)event->advice,
       false, (LOCATED, hg_hip_memory_changed(event->ptr, event->size), STACK),
       hg_live_advise(event))
FINISH(stream, call->api == HG_API_hipStreamDestroy ? event->stream : 0, 0, event->flags, false,
       event->device = call->api == HG_API_hipStreamDestroy ? hg_hip_device()
							    : hg_hip_stream_device(event->stream),
       hg_live_stream(event))
FINISH(event,
       call->api == HG_API_hipEventCreate || call->api == HG_API_hipEventCreateWithFlags
	   ? 0
	   : event->event,
       0, event->flags, hg_hip_capturing(event->stream), NOTHING, hg_live_event(event))
FINISH(sync, event->event ? event->event : event->stream, 0, 0, false,
       (DURATION, DEVICE, STACK, hg_residency_waited(call->api)), WAITED)

void hg_before_free(struct hg_hip_call *call, struct hg_ev_free *event)
{
	int saved = errno;

	/* hipFree(NULL) is how programs wake the runtime up. */
	if (event->ptr && hg_enter_batched()) {
		if (hg_hip_captured_free(event)) {
			hg_leave();
			errno = saved;
			return;
		}
		event->stack_id = hg_stack_id(call->caller);
		hg_live_lock();
		hg_provider->free(event);
		if (event->api == HG_API_hipMemUnmap)
			hg_live_unmap(event);
		else
			hg_live_free(event->ptr);
		hg_live_unlock();
		hg_hip_memory_remove(event->ptr);
		hg_residency_remove(event->ptr, 1);
		hg_leave();
	}
	errno = saved;
}

void hg_finish_free(struct hg_hip_call *call, const struct hg_ev_free *event)
{
	hg_live_freed(call->rc != 0);
	hg_finish_checked(call, event->ptr, 0, 0);
}

void hg_finish_checked(struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags)
{
	int saved = errno;

	hg_hip_error(call, ptr, size, flags);
	hg_hip_end();
	errno = saved;
}

uint64_t hg_hip_symbol_address(const void *symbol)
{
	int (*query)(void **, const void *) =
	    (int (*)(void **, const void *))hg_hip_query("hipGetSymbolAddress");
	void *address = NULL;
	int saved = errno;

	if (!query || !hg_hip_may_query())
		return 0;
	if (query(&address, symbol)) {
		hg_hip_forget_error();
		address = NULL;
	}
	errno = saved;
	return (uintptr_t)address;
}
