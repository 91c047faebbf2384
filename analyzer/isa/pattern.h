/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that differ in the numbers of their registers only. A disassembler takes ten
 * microseconds an instruction and a library has tens of thousands of different ones, but of a few
 * hundred patterns. Which bits of an encoding are the number of which operand is not taken from a
 * table: the disassembler is given two instructions that differ in all of these fields, and
 * what changes with a field is that field's. What does not come out in proportion is no pattern.
 */
#ifndef HIPGRAIN_ISA_PATTERN_H
#define HIPGRAIN_ISA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "insn.h"

struct patterns;

/* Decode `size` bytes by the disassembler. */
typedef bool (*pattern_decode)(void *user, const uint8_t *code, size_t size, struct insn *insn);

/* Returns patterns for a processor of gfx9 or gfx10; NULL if out of memory. */
struct patterns *patterns_new(const struct arch *arch);
void patterns_free(struct patterns *patterns);

/*
 * The instruction of `length` bytes (4 or 8, as filter.h tells) in `word`, lowest first, as
 * decode() would give it. False if it follows no pattern.
 */
bool patterns_insn(struct patterns *patterns, uint64_t word, size_t length, pattern_decode decode,
		   void *user, struct insn *insn);

#endif
