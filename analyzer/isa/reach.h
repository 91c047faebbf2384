/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which bytes behind a pointer of the arguments the work-items access for certain: struct
 * isa_reach.
 */
#ifndef HIPGRAIN_ISA_REACH_H
#define HIPGRAIN_ISA_REACH_H

#include "flow.h"
#include "isa.h"

/* Fills `reach` of the kernel's uses, after origin_uses(). Returns 0 or -ENOMEM. */
int reach_find(const struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel);

#endif
