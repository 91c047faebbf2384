/* SPDX-License-Identifier: Apache-2.0 */
/* How the software GPU's devices are called, so that a recording shows what it is one of. */
#ifndef HIPGRAIN_TRACER_SOFTGPU_NAME_H
#define HIPGRAIN_TRACER_SOFTGPU_NAME_H

/* Followed by "GPU" or "APU", and the processor in brackets. */
#define HG_SOFTGPU_NAME "hipgrain software "

#endif
