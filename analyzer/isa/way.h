/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This tells which way a branch goes, by the way that led to it.
 *
 * Compilers lay out an if and its else that all lanes decide together one behind the other: the
 * first part ends with a mask set to zeros, and who skips it comes with ones. A block between both
 * branches by that mask alone:
 *
 *      s_mov_b64 s[30:31], -1        s_mov_b64 s[30:31], 0
 *                      s_andn2_b64 vcc, exec, s[30:31]
 *                      s_cbranch_vccnz
 *
 * Were it followed with what both ways left in the registers, what one of the parts computes would
 * meet what was there before, though no wave has it there.
 */
#ifndef HIPGRAIN_ISA_WAY_H
#define HIPGRAIN_ISA_WAY_H

#include "insn.h"

/* So many blocks are passed one after the other. */
#define WAY_TRAIL 8u

/* Returns true if the branch at the end of a block is of this kind: struct block's `asks`. */
bool way_asks(const struct function *function, const struct block *block);

/*
 * The block that follows on block `index` where control came there through the `count` blocks of
 * `trail`, each from the one before it; NO_BLOCK where either may, or where `index` does not lie
 * behind the last of them: that may be the beginning of a loop. exec is not zero where waves branch
 * by such a mask: compilers skip code with a branch by vcc then.
 */
uint32_t way_from(const struct function *function, const uint32_t *trail, unsigned count,
		  uint32_t index);

#endif
