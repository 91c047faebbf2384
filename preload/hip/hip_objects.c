/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address ranges, pools, arrays, memory of other processes and interfaces, and what programs ask
 * about memory. A row here, and one in tracer/api.def. What an event's members hold is what the
 * row says.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "tracer/events.h"

#define CALL(name, params, args, ...) HG_AFTER(call, name, params, args, __VA_ARGS__)

/* ---- address ranges: what is mapped is an allocation of its own, over the reservation ---- */

/*
 * hipMemLocationType of what is mapped: 1 a device, 2 and more the host (from HIP 7 on); 0 if the
 * runtime does not say. hipMemAllocationProp begins with two integers and the location [H62].
 */
static uint64_t location_of(void *handle)
{
	int properties[64] = { 0 };
	int (*query)(void *, void *) =
	    (int (*)(void *, void *))hg_hip_query("hipMemGetAllocationPropertiesFromHandle");

	if (!query)
		return 0;
	if (query(properties, handle)) {
		hg_hip_forget_error();
		return 0;
	}
	return (uint64_t)(uint32_t)properties[2];
}

HG_AFTER(alloc, hipMemAddressReserve,
	 (void **ptr, size_t size, size_t alignment, void *wish, unsigned long long flags),
	 (ptr, size, alignment, wish, flags), .ptr = HG_OUT(ptr), .size = size, .flags = flags)
HG_FREE(hipMemAddressFree, (void *ptr, size_t size), (ptr, size), .ptr = HG_PTR(ptr), .size = size)
CALL(hipMemCreate, (void **handle, size_t size, const void *properties, unsigned long long flags),
     (handle, size, properties, flags), .handle = call.rc ? 0 : HG_OUT(handle), .size = size,
     .flags = flags)
CALL(hipMemRelease, (void *handle), (handle), .handle = HG_PTR(handle))
HG_AFTER(alloc, hipMemMap,
	 (void *ptr, size_t size, size_t offset, void *handle, unsigned long long flags),
	 (ptr, size, offset, handle, flags), .ptr = HG_PTR(ptr), .size = size,
	 .flags = call.rc ? 0 : location_of(handle))
HG_FREE(hipMemUnmap, (void *ptr, size_t size), (ptr, size), .ptr = HG_PTR(ptr), .size = size)
/* hipMemAccessDesc begins with the location's type and number; the third is the access. */
CALL(hipMemSetAccess, (void *ptr, size_t size, const int *access, size_t count),
     (ptr, size, access, count), .ptr = HG_PTR(ptr), .size = size,
     .flags = access ? (uint32_t)access[2] : 0,
     .value = access && count ? (uint64_t)(uint32_t)access[1] : 0)
CALL(hipMemMapArrayAsync, (void *list, unsigned count, void *stream), (list, count, stream),
     .size = count, .stream = HG_PTR(stream))
CALL(hipMemExportToShareableHandle,
     (void *shared, void *handle, int type, unsigned long long flags),
     (shared, handle, type, flags), .handle = HG_PTR(handle), .flags = flags)
CALL(hipMemImportFromShareableHandle, (void **handle, void *shared, int type),
     (handle, shared, type), .handle = call.rc ? 0 : HG_OUT(handle))
CALL(hipMemRetainAllocationHandle, (void **handle, void *ptr), (handle, ptr),
     .handle = call.rc ? 0 : HG_OUT(handle), .ptr = HG_PTR(ptr))
CALL(hipMemGetHandleForAddressRange,
     (void *handle, void *ptr, size_t size, int type, unsigned long long flags),
     (handle, ptr, size, type, flags), .ptr = HG_PTR(ptr), .size = size, .flags = flags)

/* ---- pools ---- */

CALL(hipMemPoolCreate, (void **pool, const void *properties), (pool, properties),
     .handle = call.rc ? 0 : HG_OUT(pool))
CALL(hipMemPoolDestroy, (void *pool), (pool), .handle = HG_PTR(pool))
CALL(hipMemPoolTrimTo, (void *pool, size_t size), (pool, size), .handle = HG_PTR(pool),
     .size = size)
CALL(hipMemPoolSetAttribute, (void *pool, int attribute, void *value), (pool, attribute, value),
     .handle = HG_PTR(pool), .flags = (uint32_t)attribute)
CALL(hipMemPoolSetAccess, (void *pool, const int *access, size_t count), (pool, access, count),
     .handle = HG_PTR(pool), .flags = access && count ? (uint32_t)access[2] : 0,
     .value = access && count ? (uint64_t)(uint32_t)access[1] : 0)
CALL(hipMemPoolExportToShareableHandle, (void *shared, void *pool, int type, unsigned flags),
     (shared, pool, type, flags), .handle = HG_PTR(pool), .flags = flags)
CALL(hipMemPoolImportFromShareableHandle, (void **pool, void *shared, int type, unsigned flags),
     (pool, shared, type, flags), .handle = call.rc ? 0 : HG_OUT(pool), .flags = flags)
CALL(hipMemPoolExportPointer, (void *data, void *ptr), (data, ptr), .ptr = HG_PTR(ptr))
CALL(hipExternalMemoryGetMappedMipmappedArray, (void **array, void *memory, void *description),
     (array, memory, description), .handle = call.rc ? 0 : HG_OUT(array), .value = HG_PTR(memory))
CALL(hipMemSetMemPool, (void *location, int type, void *pool), (location, type, pool),
     .handle = HG_PTR(pool), .flags = (uint64_t)(uint32_t)type)
CALL(hipDeviceSetMemPool, (int device, void *pool), (device, pool), .handle = HG_PTR(pool),
     .value = (uint64_t)(uint32_t)device)

/* ---- memory of unknown size: an allocation only where the runtime tells the size ---- */

static bool known_size(const void *ptr, size_t *size)
{
	int (*query)(void **, size_t *, const void *) =
	    (int (*)(void **, size_t *, const void *))hg_hip_query("hipMemGetAddressRange");
	void *base = NULL;
	int saved = errno;

	if (!query || !hg_hip_may_query())
		return false;
	if (query(&base, size, ptr)) {
		hg_hip_forget_error();
		base = NULL;
	}
	errno = saved;
	return base && base == ptr;
}

static void finish_import(struct hg_hip_call *call, void **ptr, uint64_t flags, uint64_t handle)
{
	size_t size = 0;

	if (!call->rc && known_size(*ptr, &size)) {
		struct hg_ev_alloc event = {
			.api = call->api, .ptr = HG_PTR(*ptr), .size = size, .flags = flags
		};

		hg_finish_alloc(call, &event);
	} else {
		struct hg_ev_call event = { .api = call->api,
					    .handle = handle,
					    .ptr = call->rc ? 0 : HG_PTR(*ptr),
					    .flags = flags };

		hg_finish_call(call, &event);
	}
}

#define IMPORT(name, params, args, flags_, handle_)                   \
	HG_HIP(int, name, params)                                     \
	{                                                             \
		HG_REAL(int, name, params);                           \
		struct hg_hip_call call;                              \
                                                                      \
		if (!hg_hip_begin(&call, HG_API_##name, HG_CALLER())) \
			return real args;                             \
		call.rc = real args;                                  \
		finish_import(&call, ptr, flags_, handle_);           \
		return call.rc;                                       \
	}

struct ipc_handle {
	char reserved[64];
};

IMPORT(hipIpcOpenMemHandle, (void **ptr, struct ipc_handle handle, unsigned flags),
       (ptr, handle, flags), flags, 0)
IMPORT(hipMemPoolImportPointer, (void **ptr, void *pool, void *data), (ptr, pool, data), 0,
       HG_PTR(pool))
HG_FREE(hipIpcCloseMemHandle, (void *ptr), (ptr), .ptr = HG_PTR(ptr))
CALL(hipIpcGetMemHandle, (void *handle, void *ptr), (handle, ptr), .ptr = HG_PTR(ptr))
CALL(hipEventElapsedTime, (float *ms, void *start, void *stop), (ms, start, stop),
     .handle = HG_PTR(stop), .value = HG_PTR(start))
CALL(hipIpcGetEventHandle, (void *handle, void *from), (handle, from), .handle = HG_PTR(from))
HG_AFTER(event, hipIpcOpenEventHandle, (void **handle, struct ipc_handle from), (handle, from),
	 .event = HG_OUT(handle))

/* ---- other interfaces' memory ---- */

/* hipExternalMemoryBufferDesc: offset, size, flags */
HG_AFTER(alloc, hipExternalMemoryGetMappedBuffer,
	 (void **ptr, void *memory, const unsigned long long *buffer), (ptr, memory, buffer),
	 .ptr = HG_OUT(ptr), .size = buffer ? buffer[1] : 0)
CALL(hipImportExternalMemory, (void **memory, const void *description), (memory, description),
     .handle = call.rc ? 0 : HG_OUT(memory))
CALL(hipDestroyExternalMemory, (void *memory), (memory), .handle = HG_PTR(memory))
CALL(hipImportExternalSemaphore, (void **semaphore, const void *description),
     (semaphore, description), .handle = call.rc ? 0 : HG_OUT(semaphore))
CALL(hipDestroyExternalSemaphore, (void *semaphore), (semaphore), .handle = HG_PTR(semaphore))
CALL(hipSignalExternalSemaphoresAsync,
     (void *const *semaphores, const void *params, unsigned count, void *stream),
     (semaphores, params, count, stream), .handle = count ? HG_OUT(semaphores) : 0, .size = count,
     .stream = HG_PTR(stream))
CALL(hipWaitExternalSemaphoresAsync,
     (void *const *semaphores, const void *params, unsigned count, void *stream),
     (semaphores, params, count, stream), .handle = count ? HG_OUT(semaphores) : 0, .size = count,
     .stream = HG_PTR(stream))
CALL(hipGraphicsGLRegisterBuffer, (void **resource, unsigned buffer, unsigned flags),
     (resource, buffer, flags), .handle = call.rc ? 0 : HG_OUT(resource), .flags = flags)
CALL(hipGraphicsGLRegisterImage, (void **resource, unsigned image, unsigned target, unsigned flags),
     (resource, image, target, flags), .handle = call.rc ? 0 : HG_OUT(resource), .flags = flags)
CALL(hipGraphicsMapResources, (int count, void **resources, void *stream),
     (count, resources, stream), .handle = count > 0 ? HG_OUT(resources) : 0, .size = (size_t)count,
     .stream = HG_PTR(stream))
/* The same memory may be requested again, so this is no allocation. */
CALL(hipGraphicsResourceGetMappedPointer, (void **ptr, size_t *size, void *resource),
     (ptr, size, resource), .handle = HG_PTR(resource), .ptr = call.rc ? 0 : HG_OUT(ptr),
     .size = call.rc || !size ? 0 : *size)
CALL(hipGraphicsUnmapResources, (int count, void **resources, void *stream),
     (count, resources, stream), .handle = count > 0 ? HG_OUT(resources) : 0, .size = (size_t)count,
     .stream = HG_PTR(stream))
CALL(hipGraphicsUnregisterResource, (void *resource), (resource), .handle = HG_PTR(resource))

/* ---- arrays: sizes in elements; their memory has no address ---- */

struct extent {
	size_t width, height, depth;
};

/* hipChannelFormatDesc: bits of the four components, kind */
static size_t element_size(const int *format)
{
	return format ? (size_t)(format[0] + format[1] + format[2] + format[3]) / 8 : 0;
}

static size_t elements(size_t width, size_t height, size_t depth)
{
	return width * (height ? height : 1) * (depth ? depth : 1);
}

CALL(hipMallocArray, (void **array, const int *format, size_t width, size_t height, unsigned flags),
     (array, format, width, height, flags), .handle = call.rc ? 0 : HG_OUT(array),
     .size = elements(width, height, 1) * element_size(format), .flags = flags)
CALL(hipMalloc3DArray, (void **array, const int *format, struct extent extent, unsigned flags),
     (array, format, extent, flags), .handle = call.rc ? 0 : HG_OUT(array),
     .size = elements(extent.width, extent.height, extent.depth) * element_size(format),
     .flags = flags)
CALL(hipMallocMipmappedArray,
     (void **array, const int *format, struct extent extent, unsigned levels, unsigned flags),
     (array, format, extent, levels, flags), .handle = call.rc ? 0 : HG_OUT(array), .flags = flags,
     .value = levels)
CALL(hipArrayCreate, (void **array, const void *description), (array, description),
     .handle = call.rc ? 0 : HG_OUT(array))
CALL(hipArray3DCreate, (void **array, const void *description), (array, description),
     .handle = call.rc ? 0 : HG_OUT(array))
CALL(hipMipmappedArrayCreate, (void **array, const void *description, unsigned levels),
     (array, description, levels), .handle = call.rc ? 0 : HG_OUT(array), .value = levels)
CALL(hipFreeArray, (void *array), (array), .handle = HG_PTR(array))
CALL(hipArrayDestroy, (void *array), (array), .handle = HG_PTR(array))
CALL(hipFreeMipmappedArray, (void *array), (array), .handle = HG_PTR(array))
CALL(hipMipmappedArrayDestroy, (void *array), (array), .handle = HG_PTR(array))

/* ---- questions about memory; the answer's first 8 bytes where it is a number ---- */

static uint64_t number(const void *data, size_t size)
{
	uint64_t value = 0;

	if (data)
		__builtin_memcpy(&value, data, size < 8 ? size : 8);
	return value;
}

CALL(hipMemRangeGetAttribute,
     (void *data, size_t data_size, int attribute, const void *ptr, size_t size),
     (data, data_size, attribute, ptr, size), .ptr = HG_PTR(ptr), .size = size,
     .flags = (uint32_t)attribute, .value = call.rc ? 0 : number(data, data_size))
CALL(hipMemRangeGetAttributes,
     (void **data, size_t *sizes, int *attributes, size_t count, const void *ptr, size_t size),
     (data, sizes, attributes, count, ptr, size), .ptr = HG_PTR(ptr), .size = size, .value = count)
CALL(hipPointerGetAttributes, (void *answer, const void *ptr), (answer, ptr), .ptr = HG_PTR(ptr))
CALL(hipPointerGetAttribute, (void *data, int attribute, const void *ptr), (data, attribute, ptr),
     .ptr = HG_PTR(ptr), .flags = (uint32_t)attribute)
CALL(hipPointerSetAttribute, (const void *value, int attribute, const void *ptr),
     (value, attribute, ptr), .ptr = HG_PTR(ptr), .flags = (uint32_t)attribute)
CALL(hipDrvPointerGetAttributes, (unsigned count, int *attributes, void **data, const void *ptr),
     (count, attributes, data, ptr), .ptr = HG_PTR(ptr), .value = count)
CALL(hipHostGetDevicePointer, (void **device, void *ptr, unsigned flags), (device, ptr, flags),
     .ptr = HG_PTR(ptr), .flags = flags, .value = call.rc ? 0 : HG_OUT(device))
CALL(hipHostGetFlags, (unsigned *flags, void *ptr), (flags, ptr), .ptr = HG_PTR(ptr),
     .value = call.rc || !flags ? 0 : *flags)
CALL(hipMemGetAddressRange, (void **base, size_t *size, void *ptr), (base, size, ptr),
     .ptr = HG_PTR(ptr), .size = call.rc || !size ? 0 : *size, .value = call.rc ? 0 : HG_OUT(base))
CALL(hipMemPtrGetInfo, (void *ptr, size_t *size), (ptr, size), .ptr = HG_PTR(ptr),
     .size = call.rc || !size ? 0 : *size)
CALL(hipGetSymbolAddress, (void **ptr, const void *symbol), (ptr, symbol), .handle = HG_PTR(symbol),
     .ptr = call.rc ? 0 : HG_OUT(ptr))
CALL(hipGetSymbolSize, (size_t * size, const void *symbol), (size, symbol),
     .handle = HG_PTR(symbol), .size = call.rc || !size ? 0 : *size)
CALL(hipStreamAttachMemAsync, (void *stream, void *ptr, size_t size, unsigned flags),
     (stream, ptr, size, flags), .ptr = HG_PTR(ptr), .size = size, .flags = flags,
     .stream = HG_PTR(stream))

/* ---- devices and each other's memory ---- */

CALL(hipDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags), .flags = flags,
     .value = (uint64_t)(uint32_t)peer)
CALL(hipDeviceDisablePeerAccess, (int peer), (peer), .value = (uint64_t)(uint32_t)peer)
CALL(hipCtxEnablePeerAccess, (void *context, unsigned flags), (context, flags),
     .handle = HG_PTR(context), .flags = flags)
CALL(hipCtxDisablePeerAccess, (void *context), (context), .handle = HG_PTR(context))
CALL(hipDeviceSetLimit, (int limit, size_t value), (limit, value), .flags = (uint32_t)limit,
     .value = value)
HG_CHECK(hipSetDeviceFlags, (unsigned flags), (flags), 0, 0, flags)
HG_CHECK(hipCtxCreate, (void **context, unsigned flags, int device), (context, flags, device), 0, 0,
	 flags)
HG_CHECK(hipCtxDestroy, (void *context), (context), HG_PTR(context), 0, 0)
HG_CHECK(hipCtxSetCurrent, (void *context), (context), HG_PTR(context), 0, 0)
HG_CHECK(hipCtxPushCurrent, (void *context), (context), HG_PTR(context), 0, 0)
HG_CHECK(hipCtxPopCurrent, (void **context), (context), 0, 0, 0)
HG_CHECK(hipDevicePrimaryCtxRetain, (void **context, int device), (context, device), 0, 0, 0)
HG_CHECK(hipDevicePrimaryCtxRelease, (int device), (device), 0, 0, 0)
HG_CHECK(hipDevicePrimaryCtxReset, (int device), (device), 0, 0, 0)
HG_CHECK(hipSetValidDevices, (int *devices, int count), (devices, count), 0, 0, 0)
