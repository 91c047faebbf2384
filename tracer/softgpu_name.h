/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder and the analyzer know of the software GPU (kernels/softgpu/README.md). */
#ifndef HIPGRAIN_TRACER_SOFTGPU_NAME_H
#define HIPGRAIN_TRACER_SOFTGPU_NAME_H

/* The name of its devices begins so, which shows in a recording. It is followed by "GPU" or "APU",
 * and the processor in brackets. */
#define HG_SOFTGPU_NAME "hipgrain software "

/* The processor without SOFTGPU_ARCH, and that with more than one XCD. */
#define HG_SOFTGPU_ARCH      "gfx90a"
#define HG_SOFTGPU_XCDS_ARCH "gfx942"

#endif
