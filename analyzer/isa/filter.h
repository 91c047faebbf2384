/* SPDX-License-Identifier: Apache-2.0 */
/* This tells which code need not be disassembled to know that it updates nothing atomically. */
#ifndef HIPGRAIN_ISA_FILTER_H
#define HIPGRAIN_ISA_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"

/*
 * Returns true if `size` bytes of machine code may hold an atomic instruction, or one that
 * continues in other code: false is certain, true is not. Of gfx9 and gfx10 it looks at
 * instructions; of others at every word as if one began there.
 */
bool filter_interesting(enum arch_generation generation, const uint8_t *code, size_t size);

/*
 * Returns the bytes of the gfx9 instruction that begins with `word`, 0 if it is none. For its test.
 */
size_t filter_length(uint32_t word);
/* The same for gfx10; `next` is the word behind it. */
size_t filter_length10(uint32_t word, uint32_t next);

#endif
