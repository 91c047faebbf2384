/* SPDX-License-Identifier: Apache-2.0 */
/* These functions make an event of a finished call: there is one for each event type. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_RECORD_H
#define HIPGRAIN_PRELOAD_HIP_HIP_RECORD_H

#include <stdint.h>

#include "preload/hip/hip_runtime.h"
#include "tracer/events.h"

struct hg_ev_free;

struct hg_hip_call;

#define HG_FINISH(type)      \
	struct hg_ev_##type; \
	void hg_finish_##type(struct hg_hip_call *call, struct hg_ev_##type *event)
HG_FINISH(alloc);
HG_FINISH(copy);
HG_FINISH(fill);
HG_FINISH(prefetch);
HG_FINISH(advise);
HG_FINISH(stream);
HG_FINISH(event);
HG_FINISH(sync);
HG_FINISH(call);
#undef HG_FINISH
/* Does the same for a copy of `size` bytes in one row. */
void hg_finish_copy_bytes(struct hg_hip_call *call, uint64_t dst, uint64_t src, uint64_t size,
			  int kind, uint64_t stream);
void hg_before_free(struct hg_hip_call *call, struct hg_ev_free *event);
void hg_finish_free(struct hg_hip_call *call, const struct hg_ev_free *event);
void hg_finish_checked(struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags);
/* Records that a call failed, unless it returned success or "not ready". */
void hg_hip_error(const struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags);
/* Returns the device address of a __device__ variable, or 0 if it cannot be had; `symbol` is the
 * host shadow. */
uint64_t hg_hip_symbol_address(const void *symbol);

#endif
