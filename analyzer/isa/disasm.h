/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The disassembler behind the analysis: AMD's code object manager where it knows the processor,
 * otherwise LLVM's library, if its headers were there when hipgrain was built. All print the same
 * syntax.
 */
#ifndef HIPGRAIN_ISA_DISASM_H
#define HIPGRAIN_ISA_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_disasm;

/*
 * Creates one for a processor ("gfx90a") and 32 or 64 lanes a wave. `backend` is "comgr",
 * "llvm-19", "llvm-22", "llvm-other" (another version, tried before it is used), or "llvm" for
 * whichever of these is right; NULL takes the environment variable HIPGRAIN_DISASSEMBLER, and
 * without it the first that knows both. Returns NULL if none does, or memory is short; *why is then
 * a static text about it.
 */
struct isa_disasm *isa_disasm_create(const char *processor, unsigned wave_size, const char *backend,
				     const char **why);
void isa_disasm_destroy(struct isa_disasm *disasm);

/* Returns "comgr", "llvm-19", "llvm-22" or "llvm-other". */
const char *isa_disasm_name(const struct isa_disasm *disasm);

/* Returns an address in the library behind it, which tells it from others. */
const void *isa_disasm_library(const struct isa_disasm *disasm);

/*
 * Disassemble the instruction at `code` (at most `size` readable bytes) into text[text_size].
 * Returns its length in bytes, or 0 if these bytes are no instruction.
 */
size_t isa_disasm_one(struct isa_disasm *disasm, const uint8_t *code, size_t size, char *text,
		      size_t text_size);

/* isa_llvm_library() finds one of LLVM's libraries on this machine, by number from 0 on; it returns
 * false if there are no more. */
struct isa_llvm {
	const char *path;
	unsigned version;
	bool tested;         /* of a version that the tests know */
	const char *problem; /* why it cannot be used for any processor, or NULL */
};
bool isa_llvm_library(size_t number, struct isa_llvm *found);
/* Returns true if it reads code of the processor when tried; else *why is a static text. */
bool isa_llvm_reads(size_t number, const char *processor, const char **why);

/* Returns the demangled name, malloc'ed; a copy of `symbol` if it is not mangled. NULL: out of
 * memory. */
char *isa_demangle(const char *symbol);

/* ---- between disasm.c and its back ends ---- */

struct disasm_backend {
	const char *name;
	/* The one processor for which it is taken where it is not named; NULL: any. */
	const char *only;
	/* Returns NULL if it is not known to it, with a static text in *why. */
	void *(*create)(const char *processor, unsigned wave_size, const char **why);
	void (*destroy)(void *handle);
	/* Returns an address in the library that does the work. */
	const void *(*library)(void *handle);
	/* Does what isa_disasm_one() does. */
	size_t (*one)(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size);
};

extern const struct disasm_backend disasm_comgr, disasm_llvm_19, disasm_llvm_22, disasm_llvm_other;

#endif
