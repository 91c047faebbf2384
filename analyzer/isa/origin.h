/* SPDX-License-Identifier: Apache-2.0 */
/* From the addresses an instruction was seen with to an isa_origin; who uses which argument. */
#ifndef HIPGRAIN_ISA_ORIGIN_H
#define HIPGRAIN_ISA_ORIGIN_H

#include "flow.h"
#include "isa.h"

/* Fill *origin for one access. 0 or -ENOMEM. */
int origin_resolve(struct flow *flow, const struct access *access, struct isa_origin *origin);

/* Fill the kernel's uses, uses_complete and incomplete from all accesses. 0 or -ENOMEM. */
int origin_uses(struct flow *flow, struct isa_kernel *kernel);

#endif
