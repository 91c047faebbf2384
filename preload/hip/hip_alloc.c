/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of what allocates and releases memory, and of what says where memory is to be. */
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/hip/checks.h"
#include "preload/hip/fix.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_types.h"
#include "preload/hip/hip_wrap.h"
#include "preload/host/alignment.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_free.h"

/* ---- device and host memory ---- */

/* The program may release another address than the runtime gave: fix.h. */
#define HG_WRAP_RELEASE(class, name, params, args, given_args, ...)              \
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
		hg_open_free(&event);                                            \
		if (event.api == HG_API_hipFreeAsync)                            \
			hg_checks_release_async(given, event.stream);            \
		given = hg_checks_release(HG_API_##name, given);                 \
		call.rc = real given_args;                                       \
		hg_open_call_end();                                              \
		if (call.rc)                                                     \
			hg_fix_kept(ptr, given);                                 \
		hg_finish_free(&call, &event);                                   \
		return call.rc;                                                  \
	}

/* The runtime may be asked for more memory than the program wants: checks.h. */
#define HG_WRAP_GUARDED(class, name, params, args, guarded_args, ...)              \
	HG_HIP(int, name, params)                                                  \
	{                                                                          \
		HG_REAL(int, name, params);                                        \
		struct hg_hip_call call;                                           \
                                                                                   \
		if (!HG_BEGIN_OF_alloc(&call, HG_API_##name, HG_CALLER()))         \
			return real args;                                          \
		HG_OPEN_AS(alloc, .api = HG_API_##name, __VA_ARGS__);              \
		call.rc = real guarded_args;                                       \
		if (HG_UNLIKELY(call.rc) && hg_checks_plain()) {                   \
			hg_hip_forget_error(); /* there may be no room for more */ \
			call.rc = real args;                                       \
		}                                                                  \
		hg_open_call_end();                                                \
		struct hg_ev_alloc event = { .api = HG_API_##name, __VA_ARGS__ };  \
		hg_finish_alloc(&call, &event);                                    \
		return call.rc;                                                    \
	}

#define HG_API HG_WRAP
#include "tracer/api/hip_alloc_device.def"
#include "tracer/api/hip_alloc_host.def"
#undef HG_API

/* ---- managed memory ---- */

/* If the memory is to begin at a block's bound, the program gets another address than the runtime
 * gives. */
static int allocate_managed(int (*real)(void **, size_t, unsigned), void **ptr, size_t size,
			    unsigned flags)
{
	bool aligns = ptr && size && hg_hip_may_query() && hg_fix_managed_size(size) != size;
	int rc = real(ptr, aligns ? hg_fix_managed_size(size) : hg_checks_size(size), flags);
	bool other = aligns;

	if (aligns || rc)
		other |= hg_checks_plain();
	if (rc && other) { /* there may be no room for more */
		hg_hip_forget_error();
		return real(ptr, size, flags);
	}
	if (aligns)
		*ptr = hg_fix_managed(*ptr, size);
	return rc;
}

HG_HIP(int, hipMallocManaged, (void **ptr, size_t size, unsigned flags))
{
	HG_REAL(int, hipMallocManaged, (void **ptr, size_t size, unsigned flags));
	struct hg_hip_call call;

	if (!hg_hip_begin_walked(&call, HG_API_hipMallocManaged, HG_CALLER()))
		return real(ptr, size, flags);
	hg_open_range(0, size, 0);
	call.rc = allocate_managed(real, ptr, size, flags);
	hg_open_call_end();
	struct hg_ev_alloc event = {
		.api = HG_API_hipMallocManaged, .ptr = HG_OUT(ptr), .size = size, .flags = flags
	};
	hg_finish_alloc(&call, &event);
	if (HG_UNLIKELY(hg_config.fixes & HG_FIX_ALIGN) && !call.rc)
		hg_fix_aligned(*ptr, size, HG_FIX_MANAGED_LEAST, HG_CALLER());
	return call.rc;
}

/* ---- where memory is to be ---- */

/* Returns the NUMA node that a location of the host means, or -1 if there is none or it is not
 * known. */
static int32_t node_of(struct location location)
{
	unsigned node;

	if (location.type == LOCATION_HOST_NODE)
		return location.id;
	if (location.type == LOCATION_CALLERS_NODE && !hg_syscall(SYS_getcpu, NULL, &node, NULL))
		return (int32_t)node;
	return -1;
}

#define AT(where)                                                    \
	.target = (where).type == LOCATION_DEVICE ? (where).id : -1, \
	.location = (uint8_t)(where).type, .node = node_of(where)

/* Each location is that of the ranges from its index on. */
static struct location batch_location(const struct location *locations, const size_t *indices,
				      size_t count, size_t range)
{
	struct location found = { 0, -1 };

	for (size_t i = 0; locations && indices && i < count && indices[i] <= range; i++)
		found = locations[i];
	return found;
}

#define BATCH_PARAMS                                                                 \
	(void **ptrs, size_t *sizes, size_t count, const struct location *locations, \
	 size_t *indices, size_t location_count, unsigned long long flags, void *stream)
#define BATCH_ARGS (ptrs, sizes, count, locations, indices, location_count, flags, stream)

/* This makes one event for each range, and one error for all. */
#define BATCH(type, name, params, args, ...)                                            \
	HG_HIP(int, name, params)                                                       \
	{                                                                               \
		HG_REAL(int, name, params);                                             \
		struct hg_hip_call call;                                                \
		size_t i = 0;                                                           \
                                                                                        \
		if (!hg_hip_begin_walked(&call, HG_API_##name, HG_CALLER()))            \
			return real args;                                               \
		hg_tls.open_call->stream = HG_PTR(stream);                              \
		call.rc = real args;                                                    \
		hg_open_call_end();                                                     \
		do {                                                                    \
			bool any = count && ptrs && sizes;                              \
			struct hg_ev_##type event = { .api = HG_API_##name,             \
						      .ptr = any ? HG_PTR(ptrs[i]) : 0, \
						      .size = any ? sizes[i] : 0,       \
						      .stream = HG_PTR(stream),         \
						      __VA_ARGS__ };                    \
                                                                                        \
			if (i)                                                          \
				hg_tls.hip++; /* every finisher ends a call */          \
			hg_finish_##type(&call, &event);                                \
		} while (++i < count && !call.rc);                                      \
		return call.rc;                                                         \
	}

#define HG_WRAP_BATCH_OF_PREFETCHES(class, name, params, args) \
	BATCH(prefetch, name, params, args,                    \
	      AT(batch_location(locations, indices, location_count, i)))
#define HG_WRAP_BATCH_OF_DISCARDS(class, name, ...)                                               \
	BATCH(call, name,                                                                         \
	      (void **ptrs, size_t *sizes, size_t count, unsigned long long flags, void *stream), \
	      (ptrs, sizes, count, flags, stream), .flags = flags)

#define HG_API HG_WRAP
#include "tracer/api/hip_alloc_managed.def"
#undef HG_API
