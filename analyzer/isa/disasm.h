/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The disassembler behind the analysis. One file implements this (disasm_comgr.c); another back
 * end only has to print the same text.
 */
#ifndef HIPGRAIN_ISA_DISASM_H
#define HIPGRAIN_ISA_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct isa_disasm;

/* For a processor ("gfx90a"). NULL if it is not known or memory is short. */
struct isa_disasm *isa_disasm_create(const char *processor);
void isa_disasm_destroy(struct isa_disasm *disasm);

/*
 * Disassemble the instruction at `code` (at most `size` readable bytes) into text[text_size].
 * Returns its length in bytes, or 0 if these bytes are no instruction.
 */
size_t isa_disasm_one(struct isa_disasm *disasm, const uint8_t *code, size_t size, char *text,
		      size_t text_size);

/* Demangled name, malloc'ed; a copy of `symbol` if it is not mangled. NULL: out of memory. */
char *isa_demangle(const char *symbol);

#endif
