/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments are recorded with only their addresses as they are. */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_REDACT_H
#define HIPGRAIN_PRELOAD_HIP_HIP_REDACT_H

#include <stdint.h>

#include "codeobj/codeobj.h"
#include "tracer/events.h"

struct codeobj_kernel;
struct hg_ev_fill;

/*
 * Writes the arguments in `bytes`, with everything redacted that is not an address, to `veiled` (as
 * long), and to `kept` (HG_ARGS_KEPT_MAX) which bytes are unchanged: hg_ev_args. Returns the length
 * of `kept`.
 */
uint32_t hg_hip_redact_arguments(const struct codeobj_kernel *layout, const uint8_t *bytes,
				 uint32_t length, uint8_t *veiled, uint8_t *kept);

/* Records a fill. The value that memory is filled with is recorded as arguments are. */
void hg_hip_emit_fill(const struct hg_ev_fill *event);

#endif
