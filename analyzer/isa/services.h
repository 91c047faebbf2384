/* SPDX-License-Identifier: Apache-2.0 */
/* Services of the runtime that kernels call: printf and assert (hostcall), the device heap. */
#ifndef HIPGRAIN_ISA_SERVICES_H
#define HIPGRAIN_ISA_SERVICES_H

#include "flow.h"
#include "image.h"
#include "isa.h"

/* Whether an atomic is part of such a service; `atomic` is filled in, but for this. */
bool services_runtime(const struct isa_image *image, const struct isa_kernel *kernel,
		      const struct access *access, const struct isa_atomic *atomic);

#endif
