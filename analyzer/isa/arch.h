/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the instructions of processors (codeobj/arch.def). */
#ifndef HIPGRAIN_ISA_ARCH_H
#define HIPGRAIN_ISA_ARCH_H

#include <stdbool.h>

enum arch_generation {
	ARCH_GFX9,
	ARCH_GFX10,
	ARCH_GFX11,
	ARCH_GFX12,
	ARCH_GFX12_5,
	ARCH_GENERATIONS
};
enum arch_scope { ARCH_SCOPE_NONE, ARCH_SCOPE_L2, ARCH_SCOPE_SC1, ARCH_SCOPE_FIELD };
/* LLVM libraries that the tests know (disasm_llvm.c), of which one may not know a processor. */
enum arch_lacks { ARCH_LACKS_NOTHING, ARCH_LACKS_LLVM_22, ARCH_LACKS_LLVM_19 };

struct arch {
	const char *name;
	enum arch_generation generation;
	unsigned lanes;
	enum arch_scope scope;
	bool preload;
	bool aligned; /* operands of several vector registers begin at even ones */
	enum arch_lacks lacks;
};

/* Returns NULL for a processor that is not in the table; for a generic one, its member there. */
const struct arch *arch_find(const char *processor);

/* Returns the name of a processor that stands for all of its generation. */
const char *arch_of_generation(enum arch_generation generation);

#endif
