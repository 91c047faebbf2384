/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the runtime's interface
 * are written out here, because no HIP header is needed to build and none fits every release
 * (docs/hip-api.md, docs/memory-model.md#types-and-attributes).
 */
#ifndef HIPGRAIN_PRELOAD_HIP_HIP_H
#define HIPGRAIN_PRELOAD_HIP_HIP_H

#include <stdint.h>

/* hipError_t */
#define HIP_NO_RUNTIME 302 /* hipErrorSharedObjectSymbolNotFound: there is no runtime behind us */
#define HIP_NOT_READY  600 /* hipErrorNotReady: an answer, not a failure */

struct hg_hip_runtime; /* a copy of it in this process */

#endif
