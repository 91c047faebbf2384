/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HIP functions whose recording is a row. To add one: a row here and one in tracer/api.def.
 * Parameters as in hip_runtime_api.h (5.2; the same in 6.x and 7.x); enumerations travel as int,
 * handles as void *.
 */
#include "preload/core/base.h"
#include "preload/hip/fix.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/host/alignment.h"
#include "tracer/events.h"

struct pitched {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct extent {
	size_t width, height, depth;
};

/* ---- allocation ---- */

HG_AFTER(alloc, hipMalloc, (void **ptr, size_t size), (ptr, size), .ptr = HG_OUT(ptr), .size = size)
HG_AFTER(alloc, hipExtMallocWithFlags, (void **ptr, size_t size, unsigned flags),
	 (ptr, size, flags), .ptr = HG_OUT(ptr), .size = size, .flags = flags)
/* Where it is to begin at a block's bound, the program does not get what the runtime gives. */
static int allocate_managed(int (*real)(void **, size_t, unsigned), void **ptr, size_t size,
			    unsigned flags)
{
	size_t wanted = ptr && size && hg_hip_may_query() ? hg_fix_managed_size(size) : size;
	int rc = real(ptr, wanted, flags);

	if (rc && wanted != size) { /* there may be no room for more */
		hg_hip_forget_error();
		return real(ptr, size, flags);
	}
	if (!rc && wanted != size)
		*ptr = hg_fix_managed(*ptr, size);
	return rc;
}

HG_HIP(int, hipMallocManaged, (void **ptr, size_t size, unsigned flags))
{
	HG_REAL(int, hipMallocManaged, (void **ptr, size_t size, unsigned flags));
	struct hg_hip_call call;

	if (!hg_hip_begin_timed(&call, HG_API_hipMallocManaged, HG_CALLER()))
		return real(ptr, size, flags);
	call.rc = allocate_managed(real, ptr, size, flags);
	struct hg_ev_alloc event = {
		.api = HG_API_hipMallocManaged, .ptr = HG_OUT(ptr), .size = size, .flags = flags
	};
	hg_finish_alloc(&call, &event);
	if (HG_UNLIKELY(hg_config.fixes & HG_FIX_ALIGN) && !call.rc)
		hg_fix_aligned(*ptr, size, HG_FIX_MANAGED_LEAST, HG_CALLER());
	return call.rc;
}
HG_AFTER(alloc, hipHostMalloc, (void **ptr, size_t size, unsigned flags), (ptr, size, flags),
	 .ptr = HG_OUT(ptr), .size = size, .flags = flags)
HG_AFTER(alloc, hipHostAlloc, (void **ptr, size_t size, unsigned flags), (ptr, size, flags),
	 .ptr = HG_OUT(ptr), .size = size, .flags = flags)
HG_AFTER(alloc, hipMallocHost, (void **ptr, size_t size), (ptr, size), .ptr = HG_OUT(ptr),
	 .size = size)
HG_AFTER(alloc, hipMemAllocHost, (void **ptr, size_t size), (ptr, size), .ptr = HG_OUT(ptr),
	 .size = size)
HG_AFTER(alloc, hipHostRegister, (void *ptr, size_t size, unsigned flags), (ptr, size, flags),
	 .ptr = HG_PTR(ptr), .size = size, .flags = flags)
HG_AFTER(alloc, hipMallocPitch, (void **ptr, size_t *pitch, size_t width, size_t height),
	 (ptr, pitch, width, height), .ptr = HG_OUT(ptr),
	 .size = call.rc ? width * height : *pitch * height)
HG_AFTER(alloc, hipMemAllocPitch,
	 (void **ptr, size_t *pitch, size_t width, size_t height, unsigned element),
	 (ptr, pitch, width, height, element), .ptr = HG_OUT(ptr),
	 .size = call.rc ? width * height : *pitch * height)
HG_AFTER(alloc, hipMalloc3D, (struct pitched * out, struct extent extent), (out, extent),
	 .ptr = call.rc ? 0 : HG_PTR(out->ptr),
	 .size = (call.rc ? extent.width : out->pitch) * extent.height * extent.depth)
HG_AFTER(alloc, hipMallocAsync, (void **ptr, size_t size, void *stream), (ptr, size, stream),
	 .ptr = HG_OUT(ptr), .size = size, .stream = HG_PTR(stream))
HG_AFTER(alloc, hipMallocFromPoolAsync, (void **ptr, size_t size, void *pool, void *stream),
	 (ptr, size, pool, stream), .ptr = HG_OUT(ptr), .size = size, .stream = HG_PTR(stream))

/* ---- release ---- */

/* What the program releases may not be what the runtime gave: fix.h. */
#define RELEASE(name, params, args, given_args, ...)                             \
	HG_HIP(int, name, params)                                                \
	{                                                                        \
		HG_REAL(int, name, params);                                      \
		void *given = hg_fix_release(ptr);                               \
		struct hg_hip_call call;                                         \
                                                                                 \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER()))            \
			return real given_args;                                  \
		struct hg_ev_free event = { .api = HG_API_##name, __VA_ARGS__ }; \
		hg_before_free(&call, &event);                                   \
		call.rc = real given_args;                                       \
		if (call.rc)                                                     \
			hg_fix_kept(ptr, given);                                 \
		hg_finish_free(&call, &event);                                   \
		return call.rc;                                                  \
	}

RELEASE(hipFree, (void *ptr), (ptr), (given), .ptr = HG_PTR(ptr))
HG_FREE(hipHostFree, (void *ptr), (ptr), .ptr = HG_PTR(ptr))
HG_FREE(hipFreeHost, (void *ptr), (ptr), .ptr = HG_PTR(ptr))
HG_FREE(hipHostUnregister, (void *ptr), (ptr), .ptr = HG_PTR(ptr))
RELEASE(hipFreeAsync, (void *ptr, void *stream), (ptr, stream), (given, stream), .ptr = HG_PTR(ptr),
	.stream = HG_PTR(stream))

/* ---- copies: kind is the caller's, or the one that the name says (hipMemcpyKind) ---- */

#define H2D 1
#define D2H 2
#define D2D 3
#define COPY(name, params, args, dst_, src_, size_, kind_, stream_)                  \
	HG_AFTER(copy, name, params, args, .dst = HG_PTR(dst_), .src = HG_PTR(src_), \
		 .size = size_, .rows = 1, .kind = kind_, .stream = HG_PTR(stream_))

COPY(hipMemcpy, (void *dst, const void *src, size_t size, int kind), (dst, src, size, kind), dst,
     src, size, kind, 0)
COPY(hipMemcpy_spt, (void *dst, const void *src, size_t size, int kind), (dst, src, size, kind),
     dst, src, size, kind, 0)
COPY(hipMemcpyAsync, (void *dst, const void *src, size_t size, int kind, void *stream),
     (dst, src, size, kind, stream), dst, src, size, kind, stream)
COPY(hipMemcpyAsync_spt, (void *dst, const void *src, size_t size, int kind, void *stream),
     (dst, src, size, kind, stream), dst, src, size, kind, stream)
COPY(hipMemcpyWithStream, (void *dst, const void *src, size_t size, int kind, void *stream),
     (dst, src, size, kind, stream), dst, src, size, kind, stream)
COPY(hipMemcpyHtoD, (void *dst, void *src, size_t size), (dst, src, size), dst, src, size, H2D, 0)
COPY(hipMemcpyDtoH, (void *dst, void *src, size_t size), (dst, src, size), dst, src, size, D2H, 0)
COPY(hipMemcpyDtoD, (void *dst, void *src, size_t size), (dst, src, size), dst, src, size, D2D, 0)
COPY(hipMemcpyHtoDAsync, (void *dst, void *src, size_t size, void *stream),
     (dst, src, size, stream), dst, src, size, H2D, stream)
COPY(hipMemcpyDtoHAsync, (void *dst, void *src, size_t size, void *stream),
     (dst, src, size, stream), dst, src, size, D2H, stream)
COPY(hipMemcpyDtoDAsync, (void *dst, void *src, size_t size, void *stream),
     (dst, src, size, stream), dst, src, size, D2D, stream)
COPY(hipMemcpyPeer, (void *dst, int dst_device, const void *src, int src_device, size_t size),
     (dst, dst_device, src, src_device, size), dst, src, size, D2D, 0)
COPY(hipMemcpyPeerAsync,
     (void *dst, int dst_device, const void *src, int src_device, size_t size, void *stream),
     (dst, dst_device, src, src_device, size, stream), dst, src, size, D2D, stream)

#define SYMBOL(symbol, offset) (call.rc ? 0 : hg_hip_symbol_address(symbol) + offset)

COPY(hipMemcpyToSymbol, (const void *symbol, const void *src, size_t size, size_t offset, int kind),
     (symbol, src, size, offset, kind), SYMBOL(symbol, offset), src, size, kind, 0)
COPY(hipMemcpyFromSymbol, (void *dst, const void *symbol, size_t size, size_t offset, int kind),
     (dst, symbol, size, offset, kind), dst, SYMBOL(symbol, offset), size, kind, 0)
COPY(hipMemcpyToSymbolAsync,
     (const void *symbol, const void *src, size_t size, size_t offset, int kind, void *stream),
     (symbol, src, size, offset, kind, stream), SYMBOL(symbol, offset), src, size, kind, stream)
COPY(hipMemcpyFromSymbolAsync,
     (void *dst, const void *symbol, size_t size, size_t offset, int kind, void *stream),
     (dst, symbol, size, offset, kind, stream), dst, SYMBOL(symbol, offset), size, kind, stream)

HG_AFTER(copy, hipMemcpy2D,
	 (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
	  size_t height, int kind),
	 (dst, dst_pitch, src, src_pitch, width, height, kind), .dst = HG_PTR(dst),
	 .src = HG_PTR(src), .size = width, .rows = height, .dst_pitch = dst_pitch,
	 .src_pitch = src_pitch, .kind = kind)
HG_AFTER(copy, hipMemcpy2DAsync,
	 (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
	  size_t height, int kind, void *stream),
	 (dst, dst_pitch, src, src_pitch, width, height, kind, stream), .dst = HG_PTR(dst),
	 .src = HG_PTR(src), .size = width, .rows = height, .dst_pitch = dst_pitch,
	 .src_pitch = src_pitch, .kind = kind, .stream = HG_PTR(stream))

/* ---- fills: counts are of elements, recorded in bytes ---- */

#define FILL(name, params, args, dst_, bytes, value_, stream_)                            \
	HG_AFTER(fill, name, params, args, .dst = HG_PTR(dst_), .size = bytes, .rows = 1, \
		 .value = (uint32_t)(value_), .stream = HG_PTR(stream_))

FILL(hipMemset, (void *dst, int value, size_t size), (dst, value, size), dst, size, value, 0)
FILL(hipMemsetAsync, (void *dst, int value, size_t size, void *stream), (dst, value, size, stream),
     dst, size, value, stream)
FILL(hipMemsetD8, (void *dst, unsigned char value, size_t count), (dst, value, count), dst, count,
     value, 0)
FILL(hipMemsetD8Async, (void *dst, unsigned char value, size_t count, void *stream),
     (dst, value, count, stream), dst, count, value, stream)
FILL(hipMemsetD16, (void *dst, unsigned short value, size_t count), (dst, value, count), dst,
     2 * count, value, 0)
FILL(hipMemsetD16Async, (void *dst, unsigned short value, size_t count, void *stream),
     (dst, value, count, stream), dst, 2 * count, value, stream)
FILL(hipMemsetD32, (void *dst, int value, size_t count), (dst, value, count), dst, 4 * count, value,
     0)
FILL(hipMemsetD32Async, (void *dst, int value, size_t count, void *stream),
     (dst, value, count, stream), dst, 4 * count, value, stream)
HG_AFTER(fill, hipMemset2D, (void *dst, size_t pitch, int value, size_t width, size_t height),
	 (dst, pitch, value, width, height), .dst = HG_PTR(dst), .size = width, .rows = height,
	 .pitch = pitch, .value = (uint32_t)value)
HG_AFTER(fill, hipMemset2DAsync,
	 (void *dst, size_t pitch, int value, size_t width, size_t height, void *stream),
	 (dst, pitch, value, width, height, stream), .dst = HG_PTR(dst), .size = width,
	 .rows = height, .pitch = pitch, .value = (uint32_t)value, .stream = HG_PTR(stream))

/* ---- placement ---- */

HG_AFTER(prefetch, hipMemPrefetchAsync, (const void *ptr, size_t size, int device, void *stream),
	 (ptr, size, device, stream), .ptr = HG_PTR(ptr), .size = size, .target = device,
	 .stream = HG_PTR(stream))
HG_AFTER(advise, hipMemAdvise, (const void *ptr, size_t size, int advice, int device),
	 (ptr, size, advice, device), .ptr = HG_PTR(ptr), .size = size, .advice = advice,
	 .target = device)

/* ---- streams and events ---- */

HG_AFTER(stream, hipStreamCreate, (void **stream), (stream), .stream = HG_OUT(stream))
HG_AFTER(stream, hipStreamCreateWithFlags, (void **stream, unsigned flags), (stream, flags),
	 .stream = HG_OUT(stream), .flags = flags)
HG_AFTER(stream, hipStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
	 (stream, flags, priority), .stream = HG_OUT(stream), .flags = flags, .priority = priority)
HG_AFTER(stream, hipStreamDestroy, (void *stream), (stream), .stream = HG_PTR(stream))
HG_AFTER(event, hipEventCreate, (void **handle), (handle), .event = HG_OUT(handle))
HG_AFTER(event, hipEventCreateWithFlags, (void **handle, unsigned flags), (handle, flags),
	 .event = HG_OUT(handle), .flags = flags)
HG_AFTER(event, hipEventDestroy, (void *handle), (handle), .event = HG_PTR(handle))
HG_AFTER(event, hipEventRecord, (void *handle, void *stream), (handle, stream),
	 .event = HG_PTR(handle), .stream = HG_PTR(stream))
HG_AFTER(event, hipStreamWaitEvent, (void *stream, void *handle, unsigned flags),
	 (stream, handle, flags), .event = HG_PTR(handle), .stream = HG_PTR(stream), .flags = flags)

/* ---- waiting ---- */

HG_AFTER(sync, hipDeviceSynchronize, (void), (), .stream = 0)
HG_AFTER(sync, hipCtxSynchronize, (void), (), .stream = 0)
HG_AFTER(sync, hipStreamSynchronize, (void *stream), (stream), .stream = HG_PTR(stream))
HG_AFTER(sync, hipStreamQuery, (void *stream), (stream), .stream = HG_PTR(stream))
HG_AFTER(sync, hipEventSynchronize, (void *handle), (handle), .event = HG_PTR(handle))
HG_AFTER(sync, hipEventQuery, (void *handle), (handle), .event = HG_PTR(handle))

/* ---- calls whose only event is a failure ---- */

HG_CHECK(hipGetDeviceCount, (int *count), (count), 0, 0, 0)
HG_CHECK(hipSetDevice, (int device), (device), 0, 0, (uint64_t)(uint32_t)device)
HG_CHECK(hipGetDevice, (int *device), (device), 0, 0, 0)
HG_CHECK(hipInit, (unsigned flags), (flags), 0, 0, flags)
HG_CHECK(hipDeviceReset, (void), (), 0, 0, 0)
HG_CHECK(__hipPushCallConfiguration,
	 (struct hg_dim3 grid, struct hg_dim3 block, size_t shared, void *stream),
	 (grid, block, shared, stream), 0, shared, 0)
