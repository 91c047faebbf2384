/* SPDX-License-Identifier: Apache-2.0 */
/* The atomic instructions of kernels/probe/operations.def, as the host computes them. */
#ifndef HIPGRAIN_PROBE_OPERATIONS_H
#define HIPGRAIN_PROBE_OPERATIONS_H

#include "kernels/probe/probe_layout.h"
#include "probe.h"

enum probe_form { PROBE_FORM_PLAIN, PROBE_FORM_SWAP, PROBE_FORM_CAS };

/* Values are the bytes of the operand's type, in the low ones of 64 bits. */
struct probe_operation_row {
	const char *name; /* of the kernel, without "probe_" */
	enum atomic_kind kind;
	unsigned size; /* of the operand, in bytes */
	enum probe_form form;
	uint64_t start, result;
	uint64_t operands[PROBE_ITEMS];
};

/* Returns row `operation`, 0 to PROBE_OPERATIONS - 1; static. */
const struct probe_operation_row *probe_operation_row(unsigned operation);

/*
 * Judges a launch that left `after` and returned[PROBE_ITEMS] (of SWAP and CAS): PROBE_WORKS,
 * PROBE_LOST: as if there had been none, PROBE_WRONG: something else.
 */
enum probe_state probe_operation_judge(const struct probe_operation_row *row, uint64_t after,
				       const uint64_t *returned);

#endif
