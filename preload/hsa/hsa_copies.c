/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts copies and fills that a program makes by the HSA runtime itself: what they carry, and when
 * they end, is not followed, but what was known of the memory does not hold any more. Calls come by
 * name only.
 */
#include <errno.h>

#include "preload/core/base.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_times.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/ompt/ompt.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

/* hsa_pitched_ptr_t and hsa_dim3_t of hsa_ext_amd.h and hsa.h. */
struct hsa_pitched {
	void *base;
	size_t pitch, slice;
};
struct hsa_dimensions {
	uint32_t x, y, z;
};

/* Records that `size` bytes at `to` were, or will be, written. What HIP does is recorded as HIP's,
 * and transfers of OpenMP's as that. */
static void record_written(uint16_t api, const void *to, size_t size, const void *caller)
{
	int saved = errno;

	if (__atomic_load_n(&hg_hsa_waits, __ATOMIC_RELAXED) && !hg_ompt_in_region() &&
	    !hg_ompt_in_data_op() && !(hg_hsa_hip_reports && hg_hip_has_caller(caller)) &&
	    hg_hsa_enter(api, caller, 0)) {
		struct hg_ev_call event = { .api = api,
					    .ptr = (uintptr_t)to,
					    .size = size,
					    .device = -1,
					    .text = "",
					    .stack_id = hg_hsa_stack(caller) };

		hg_provider->call(&event);
		hg_leave();
	}
	errno = saved;
}

static size_t extent(const struct hsa_pitched *to, const struct hsa_dimensions *at,
		     const struct hsa_dimensions *range)
{
	if (!range->x || !range->y || !range->z)
		return 0;
	return (at->z + (size_t)range->z - 1) * to->slice +
	       (at->y + (size_t)range->y - 1) * to->pitch + at->x + range->x;
}

#define COPY(name, params, args, to, size, signal)                            \
	HSA_HEAD(int, name, params)                                           \
	{                                                                     \
		HSA_REACHED(int, name, params);                               \
		unsigned number = hg_hsa_time_copy(signal, size);             \
		int rc = real args;                                           \
                                                                              \
		hg_hsa_time_copied(number, !rc);                              \
		if (!rc)                                                      \
			record_written(HG_API_##name, to, size, HG_CALLER()); \
		return rc;                                                    \
	}

COPY(hsa_amd_memory_async_copy,
     (void *to, struct hsa_handle to_agent, const void *from, struct hsa_handle from_agent,
      size_t size, uint32_t count, const struct hsa_handle *after, struct hsa_handle completion),
     (to, to_agent, from, from_agent, size, count, after, completion), to, size, completion.handle)
COPY(hsa_amd_memory_async_copy_on_engine,
     (void *to, struct hsa_handle to_agent, const void *from, struct hsa_handle from_agent,
      size_t size, uint32_t count, const struct hsa_handle *after, struct hsa_handle completion,
      int engine, bool force),
     (to, to_agent, from, from_agent, size, count, after, completion, engine, force), to, size,
     completion.handle)
COPY(hsa_amd_memory_async_copy_rect,
     (const struct hsa_pitched *to, const struct hsa_dimensions *to_offset,
      const struct hsa_pitched *from, const struct hsa_dimensions *from_offset,
      const struct hsa_dimensions *range, struct hsa_handle agent, int direction, uint32_t count,
      const struct hsa_handle *after, struct hsa_handle completion),
     (to, to_offset, from, from_offset, range, agent, direction, count, after, completion),
     to->base, extent(to, to_offset, range), completion.handle)
COPY(hsa_amd_memory_fill, (void *to, uint32_t value, size_t count), (to, value, count), to,
     count * sizeof value, 0)

/* This one lasts until the bytes are there, and is published meanwhile (hsa_wait.c). */
HSA_HEAD(int, hsa_memory_copy, (void *to, const void *from, size_t size))
{
	HSA_REACHED(int, hsa_memory_copy, (void *to, const void *from, size_t size));
	bool published =
	    hg_hsa_publish(HG_API_hsa_memory_copy, HG_CALLER(), __builtin_frame_address(0));
	int rc = real(to, from, size);

	if (published)
		hg_hsa_published_end();
	if (!rc)
		record_written(HG_API_hsa_memory_copy, to, size, HG_CALLER());
	return rc;
}
