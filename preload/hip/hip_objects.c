/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers of address ranges, pools, arrays, memory of other processes and interfaces, devices, and
 * queries about memory. What an event's members hold is what the row says.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_types.h"
#include "preload/hip/hip_wrap.h"
#include "tracer/api/hip_objects.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"

/* ---- what rows record ---- */

/* Packs a hipMemLocation, or the one that a structure begins with: its type is the upper half, its
 * number the lower. Returns 0 for NULL. */
static uint64_t packed(const int *location)
{
	return location ? (uint64_t)(uint32_t)location[0] << 32 | (uint32_t)location[1] : 0;
}

static unsigned type_of(int type)
{
	return type == 1 ? 1 : type == 0x40000000 ? 2 : 3;
}

/*
 * Returns where mapped memory is: bits 0 to 7 are its hipMemLocationType (1 a device, 2 and more
 * the host, from HIP 7 on), 8 to 15 its hipMemAllocationType (1 pinned, 2 uncached, 3 another), 32
 * to 63 the number of the device or NUMA node. Returns 0 if the runtime does not report it.
 * hipMemAllocationProp begins with the type, another integer and the location [H62].
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
	return (uint64_t)(uint32_t)properties[3] << 32 | (uint64_t)type_of(properties[0]) << 8 |
	       (uint8_t)properties[2];
}

/* Returns the bytes of one element of a hipChannelFormatDesc (bits of the four components, kind),
 * or 0 for NULL. */
static size_t element_size(const int *format)
{
	return format ? (size_t)(format[0] + format[1] + format[2] + format[3]) / 8 : 0;
}

static size_t elements(size_t width, size_t height, size_t depth)
{
	return width * (height ? height : 1) * (depth ? depth : 1);
}

/* Returns the first 8 bytes of an answer as a number, or all of it if it is shorter. */
static uint64_t number(const void *data, size_t size)
{
	uint64_t value = 0;

	if (data)
		__builtin_memcpy(&value, data, size < 8 ? size : 8);
	return value;
}

/* Returns a number for what hipIpcGetMemHandle() returned, and hipIpcOpenMemHandle() is given:
 * FNV-1a of all its bytes. */
static __attribute__((noinline)) uint32_t ipc_identity(const struct ipc_handle *handle)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < sizeof(handle->reserved); i++)
		hash = (hash ^ (unsigned char)handle->reserved[i]) * 16777619u;
	return hash;
}

/* ---- memory of unknown size: an allocation only where the runtime reports the size ---- */

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

#define HG_WRAP_IMPORT(class, name, params, args, flags, handle) \
	HG_CALLED(hg_hip_begin, name, params, args, (void)0,     \
		  finish_import(&call, ptr, flags, handle))

#define HG_API HG_WRAP
#include "tracer/api/hip_objects.def"
#undef HG_API
