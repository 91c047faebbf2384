/* SPDX-License-Identifier: Apache-2.0 */
/* From the addresses an instruction was seen with to an isa_origin; who uses which argument. */
#ifndef HIPGRAIN_ISA_ORIGIN_H
#define HIPGRAIN_ISA_ORIGIN_H

#include "flow.h"
#include "isa.h"

/* Fill *origin for one access. 0 or -ENOMEM. */
int origin_resolve(struct flow *flow, const struct access *access, struct isa_origin *origin);

/* Tells if it accesses memory behind one pointer of the arguments and nothing else. Returns 0 or
 * -ENOMEM. */
int origin_is_argument(struct flow *flow, const struct access *access, bool *argument);

/* Tells if it stores to memory, or may: not to LDS or private memory alone. Returns 0 or -ENOMEM.
 */
int origin_writes(struct flow *flow, const struct access *access, bool *writes);

/* Add what all accesses store, or may, to the kernel's stores; stores_complete becomes false where
 * these are not all. Returns 0 or -ENOMEM. */
int origin_stores(struct flow *flow, struct isa_kernel *kernel);

/* Add what all accesses do to the kernel's uses, path_uses and stores; what is true of them
 * (uses_complete...) becomes false, and incomplete and unvisited are set, where it is not. 0 or
 * -ENOMEM. */
int origin_uses(struct flow *flow, struct isa_kernel *kernel);

#endif
