/* SPDX-License-Identifier: Apache-2.0 */
/* Which code need not be disassembled to know that it updates nothing atomically. */
#ifndef HIPGRAIN_ISA_FILTER_H
#define HIPGRAIN_ISA_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether `size` bytes of gfx9 machine code may hold an atomic instruction, or one that continues
 * in other code. Looks at every aligned word as if an instruction began there: false is certain,
 * true is not.
 */
bool filter_interesting(const uint8_t *code, size_t size);

/* Bytes of the gfx9 instruction that begins with `word`; 0 if that is no encoding. For its test. */
size_t filter_length(uint32_t word);

#endif
