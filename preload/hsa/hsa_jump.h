/* SPDX-License-Identifier: Apache-2.0 */
/* This finds the table entry that an exported function of the HSA runtime calls (hsa_jump.c). */
#ifndef HIPGRAIN_PRELOAD_HSA_HSA_JUMP_H
#define HIPGRAIN_PRELOAD_HSA_HSA_JUMP_H

/*
 * Returns the address of the pointer through which the function at `code` makes its first call or
 * its tail call, or NULL if the code does not get there by the few instructions that are decoded,
 * or if this is no x86-64 code. It only reads: nothing is executed or written.
 */
const void *hg_jump_slot(const void *code);

#endif
