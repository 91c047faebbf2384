/* SPDX-License-Identifier: Apache-2.0 */
/* Read-modify-write operations of memory and LDS. */
#ifndef SOFTGPU_RMW_H
#define SOFTGPU_RMW_H

#include "interp.h"

/* Read-modify-write operations of memory and LDS. */
enum sg_rmw {
	SG_RMW_ADD,
	SG_RMW_SWAP,
	SG_RMW_CMPSWAP,
	SG_RMW_SUB, /* from here to XOR: not carried by PCIe */
	SG_RMW_SMIN,
	SG_RMW_UMIN,
	SG_RMW_SMAX,
	SG_RMW_UMAX,
	SG_RMW_AND,
	SG_RMW_OR,
	SG_RMW_XOR,
	SG_RMW_INC,
	SG_RMW_DEC,
	SG_RMW_RSUB, /* LDS only, like MSKOR, WRAP and FCMPSWAP */
	SG_RMW_MSKOR,
	SG_RMW_WRAP,
	SG_RMW_FADD, /* from here on: floating point of the operand's width */
	SG_RMW_FMIN,
	SG_RMW_FMAX,
	SG_RMW_PK_FADD,
	SG_RMW_PK_BFADD, /* bf16 */
	SG_RMW_FCMPSWAP,
};

/*
 * Perform `op` of `size` (4 or 8) bytes at `p`, atomically against other threads of this process;
 * returns the old value. `other`: compare value, or mask. `flush`: f32 denormals become zero.
 */
uint64_t sg_rmw(enum sg_rmw op, unsigned size, uint8_t *p, uint64_t data, uint64_t other,
		bool flush);

/* Is `op` lost on memory whose page is in `state`? See atomic.c. */
bool sg_rmw_dropped(enum sg_rmw op, unsigned state);

#endif
