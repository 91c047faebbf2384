/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices that the host changes pinned memory before it has waited for an asynchronous copy from
 * there. A sample of the bytes is read after the copy was submitted, and again before the thread's
 * next copy from there and before it waits for anything.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_SOURCES_H
#define HIPGRAIN_PRELOAD_HIP_HIP_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/api/hip_copies.h"

/* Counts the copies of the calling thread that are followed. */
extern HG_HIDDEN __thread unsigned hg_hip_sources_followed
    __attribute__((tls_model("initial-exec")));

/* Follows a copy from there that was recorded. Needs hg_hip_enter(), and no lock of ours. */
void hg_hip_sources_copy(uint64_t src, uint64_t size);
/*
 * Does the same for any copy of bytes; `kind` is as passed: 1 is from the host, 4 is by the
 * addresses.
 */
static inline void hg_hip_sources_copied(uint16_t api, uint64_t src, uint64_t size, int kind)
{
	if ((api == HG_API_hipMemcpyAsync || api == HG_API_hipMemcpyHtoDAsync ||
	     api == HG_API_hipMemcpyAsync_spt) &&
	    (kind == 1 || kind == 4))
		hg_hip_sources_copy(src, size);
}

/* Looks once more at what the thread has copied: it is about to wait. errno is kept. */
void hg_hip_sources_look(void);

/* Does as hg_hip_begin_walked(), for a call that waits. */
static inline bool hg_hip_begin_waiting(struct hg_hip_call *call, uint16_t api, const void *caller)
{
	if (HG_UNLIKELY(hg_hip_sources_followed))
		hg_hip_sources_look();
	return hg_hip_begin_walked(call, api, caller);
}

#endif
