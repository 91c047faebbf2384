/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders work, and the names that later releases gave to calls of hip_calls.c. Parameters as
 * in hip_runtime_api.h of the release that added the name (docs/hip-api.md#functions-added-later).
 */
#include "preload/core/base.h"
#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"

#define CALL(name, params, args, ...) HG_AFTER(call, name, params, args, __VA_ARGS__)

/* ---- per-thread default streams ---- */

HG_AFTER(sync, hipStreamSynchronize_spt, (void *stream), (stream), .stream = HG_PTR(stream))
HG_AFTER(sync, hipStreamQuery_spt, (void *stream), (stream), .stream = HG_PTR(stream))
HG_AFTER(event, hipStreamWaitEvent_spt, (void *stream, void *handle, unsigned flags),
	 (stream, handle, flags), .event = HG_PTR(handle), .stream = HG_PTR(stream), .flags = flags)
HG_AFTER(event, hipEventRecord_spt, (void *handle, void *stream), (handle, stream),
	 .event = HG_PTR(handle), .stream = HG_PTR(stream))
HG_AFTER(event, hipEventRecordWithFlags, (void *handle, void *stream, unsigned flags),
	 (handle, stream, flags), .event = HG_PTR(handle), .stream = HG_PTR(stream), .flags = flags)

/* ---- streams ---- */

HG_AFTER(stream, hipExtStreamCreateWithCUMask,
	 (void **stream, uint32_t words, const uint32_t *mask), (stream, words, mask),
	 .stream = HG_OUT(stream))
HG_AFTER(stream, hipExecutionCtxStreamCreate,
	 (void **stream, void *context, unsigned flags, int priority),
	 (stream, context, flags, priority), .stream = HG_OUT(stream), .flags = flags,
	 .priority = priority)
CALL(hipStreamCopyAttributes, (void *to, void *from), (to, from), .handle = HG_PTR(from),
     .stream = HG_PTR(to))

/* Host functions in a stream: ptr is the function, value what it is given. */
CALL(hipStreamAddCallback, (void *stream, void *function, void *data, unsigned flags),
     (stream, function, data, flags), .ptr = HG_PTR(function), .flags = flags,
     .value = HG_PTR(data), .stream = HG_PTR(stream))
CALL(hipStreamAddCallback_spt, (void *stream, void *function, void *data, unsigned flags),
     (stream, function, data, flags), .ptr = HG_PTR(function), .flags = flags,
     .value = HG_PTR(data), .stream = HG_PTR(stream))
CALL(hipLaunchHostFunc, (void *stream, void *function, void *data), (stream, function, data),
     .ptr = HG_PTR(function), .value = HG_PTR(data), .stream = HG_PTR(stream))
CALL(hipLaunchHostFunc_spt, (void *stream, void *function, void *data), (stream, function, data),
     .ptr = HG_PTR(function), .value = HG_PTR(data), .stream = HG_PTR(stream))

/* All streams of an execution context (HIP 7.14). */
HG_AFTER(sync, hipExecutionCtxSynchronize, (void *context), (context), .stream = 0)
CALL(hipExecutionCtxRecordEvent, (void *context, void *event_), (context, event_),
     .handle = HG_PTR(event_), .value = HG_PTR(context))
CALL(hipExecutionCtxWaitEvent, (void *context, void *event_), (context, event_),
     .handle = HG_PTR(event_), .value = HG_PTR(context))

/* Streams that wait for, or write to, a word of memory. */
CALL(hipStreamWaitValue32, (void *stream, void *ptr, uint32_t value, unsigned flags, uint32_t mask),
     (stream, ptr, value, flags, mask), .ptr = HG_PTR(ptr), .size = 4, .flags = flags,
     .value = value, .stream = HG_PTR(stream))
CALL(hipStreamWaitValue64, (void *stream, void *ptr, uint64_t value, unsigned flags, uint64_t mask),
     (stream, ptr, value, flags, mask), .ptr = HG_PTR(ptr), .size = 8, .flags = flags,
     .value = value, .stream = HG_PTR(stream))
CALL(hipStreamWriteValue32, (void *stream, void *ptr, uint32_t value, unsigned flags),
     (stream, ptr, value, flags), .ptr = HG_PTR(ptr), .size = 4, .flags = flags, .value = value,
     .stream = HG_PTR(stream))
CALL(hipStreamWriteValue64, (void *stream, void *ptr, uint64_t value, unsigned flags),
     (stream, ptr, value, flags), .ptr = HG_PTR(ptr), .size = 8, .flags = flags, .value = value,
     .stream = HG_PTR(stream))
CALL(hipStreamBatchMemOp, (void *stream, unsigned count, void *operations, unsigned flags),
     (stream, count, operations, flags), .size = count, .flags = flags, .stream = HG_PTR(stream))

/* ---- placement, by location instead of device ---- */

/* hipMemLocation: type 1 is a device, the others are the CPU's. [CLR7] */
struct location {
	int type, id;
};

#define TARGET(location) ((location).type == 1 ? (location).id : -1)

HG_AFTER(prefetch, hipMemPrefetchAsync_v2,
	 (const void *ptr, size_t size, struct location location, unsigned flags, void *stream),
	 (ptr, size, location, flags, stream), .ptr = HG_PTR(ptr), .size = size,
	 .target = TARGET(location), .stream = HG_PTR(stream))
HG_AFTER(advise, hipMemAdvise_v2,
	 (const void *ptr, size_t size, int advice, struct location location),
	 (ptr, size, advice, location), .ptr = HG_PTR(ptr), .size = size, .advice = advice,
	 .target = TARGET(location))

/* Each location is that of the ranges from its index on. */
static int batch_target(const struct location *locations, const size_t *indices, size_t count,
			size_t range)
{
	int target = -1;

	for (size_t i = 0; locations && indices && i < count && indices[i] <= range; i++)
		target = TARGET(locations[i]);
	return target;
}

HG_HIP(int, hipMemPrefetchBatchAsync,
       (void **ptrs, size_t *sizes, size_t count, const struct location *locations, size_t *indices,
	size_t location_count, unsigned long long flags, void *stream))
{
	HG_REAL(int, hipMemPrefetchBatchAsync,
		(void **, size_t *, size_t, const struct location *, size_t *, size_t,
		 unsigned long long, void *));
	struct hg_hip_call call;
	size_t i = 0;

	if (!hg_hip_begin_timed(&call, HG_API_hipMemPrefetchBatchAsync, HG_CALLER()))
		return real(ptrs, sizes, count, locations, indices, location_count, flags, stream);
	call.rc = real(ptrs, sizes, count, locations, indices, location_count, flags, stream);
	do {
		struct hg_ev_prefetch event = { .api = HG_API_hipMemPrefetchBatchAsync,
						.stream = HG_PTR(stream) };

		if (count && ptrs && sizes) {
			event.ptr = HG_PTR(ptrs[i]);
			event.size = sizes[i];
		}
		event.target = batch_target(locations, indices, location_count, i);
		if (i)
			hg_tls.hip++; /* every finisher ends a call */
		hg_finish_prefetch(&call, &event);
	} while (++i < count && !call.rc);
	return call.rc;
}

/* ---- run-time compilation: handle is the program ---- */

CALL(hiprtcCreateProgram,
     (void **program, const char *source, const char *name, int count, const char **headers,
      const char **names),
     (program, source, name, count, headers, names), .handle = call.rc ? 0 : HG_OUT(program),
     .text = name)
CALL(hiprtcCompileProgram, (void *program, int count, const char **options),
     (program, count, options), .handle = HG_PTR(program), .size = (size_t)count)
/* ptr: where the code was stored, as later given to hipModuleLoadData() */
CALL(hiprtcGetCode, (void *program, char *code), (program, code), .handle = HG_PTR(program),
     .ptr = HG_PTR(code))
CALL(hiprtcGetLoweredName, (void *program, const char *expression, const char **name),
     (program, expression, name), .handle = HG_PTR(program),
     .text = call.rc || !name ? NULL : *name)
CALL(hiprtcDestroyProgram, (void **program), (program), .handle = 0)

/* ---- functions by name: ours in place of the runtime's, which it forwards to ---- */

#define LOOKUP(name, params, args)                                        \
	HG_HIP(int, name, params)                                         \
	{                                                                 \
		HG_REAL(int, name, params);                               \
		struct hg_hip_call call;                                  \
		int rc;                                                   \
                                                                          \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER())) {   \
			rc = real args;                                   \
		} else {                                                  \
			rc = call.rc = real args;                         \
			hg_finish_checked(&call, 0, 0, 0);                \
		}                                                         \
		if (!rc && hg_awake() && symbol && function && *function) \
			*function = hg_hip_offer(symbol, *function);      \
		return rc;                                                \
	}

LOOKUP(hipGetProcAddress,
       (const char *symbol, void **function, int version, uint64_t flags, void *status),
       (symbol, function, version, flags, status))
LOOKUP(hipGetProcAddress_spt,
       (const char *symbol, void **function, int version, uint64_t flags, void *status),
       (symbol, function, version, flags, status))
LOOKUP(hipGetDriverEntryPoint,
       (const char *symbol, void **function, unsigned long long flags, void *status),
       (symbol, function, flags, status))
LOOKUP(hipGetDriverEntryPoint_spt,
       (const char *symbol, void **function, unsigned long long flags, void *status),
       (symbol, function, flags, status))
