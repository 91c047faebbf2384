/* SPDX-License-Identifier: Apache-2.0 */
/* Services of the runtime that kernels call: printf and assert (hostcall), the device heap. */
#ifndef HIPGRAIN_ISA_SERVICES_H
#define HIPGRAIN_ISA_SERVICES_H

#include "flow.h"
#include "code_image.h"
#include "isa.h"

/*
 * Returns true if an atomic, the instruction at `pc`, is part of such a service; `atomic` is filled
 * in, but for this. `called` is the access with the calls that led there, or NULL.
 */
bool services_runtime(const struct isa_image *image, const struct isa_kernel *kernel, uint64_t pc,
		      const struct access *called, const struct isa_atomic *atomic);

#endif
