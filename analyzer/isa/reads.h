/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of bytes that are known, behind pointers of the arguments: struct isa_read. */
#ifndef HIPGRAIN_ISA_READS_H
#define HIPGRAIN_ISA_READS_H

#include "flow.h"
#include "isa.h"
#include "certain_path.h"

/* Fills kernel->reads; `witness` is that of the kernel's atomics. Returns 0 or -ENOMEM. */
int reads_find(struct flow *flow, struct witness *witness, const struct flow_entry *entry,
	       struct isa_kernel *kernel);

#endif
