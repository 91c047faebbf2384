/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's libraries on this machine, apart from the two versions that the tests know. */
#ifndef HIPGRAIN_ISA_DISASM_LLVM_H
#define HIPGRAIN_ISA_DISASM_LLVM_H

#include <llvm-c/Disassembler.h>
#include <stdbool.h>
#include <stddef.h>

struct llvm_functions {
	void (*info)(void);
	void (*target)(void);
	void (*disassembler)(void);
	__typeof__(LLVMCreateDisasmCPUFeatures) *create;
	__typeof__(LLVMDisasmDispose) *dispose;
	__typeof__(LLVMDisasmInstruction) *one;
};

struct llvm_candidate {
	char *path;
	unsigned version; /* 0: it does not say */
	void *handle;
	const char *problem; /* why it cannot be used at all, or NULL */
	struct llvm_functions functions;
};

/* Finds them when first called, and keeps them; returns how many. */
size_t llvm_candidates(const struct llvm_candidate **list);

/*
 * Returns true if it knows the processor and prints its instructions as those do that the tests
 * know. *why, if not NULL, is set to a static text when it does not. It is tried once in a process
 * of its own, as some versions end the process at a processor that they do not know.
 */
bool llvm_passes(const struct llvm_candidate *candidate, const char *processor, const char **why);

#endif
