/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about processors (arch.def). */
#ifndef HIPGRAIN_ISA_ARCH_H
#define HIPGRAIN_ISA_ARCH_H

#include <stdbool.h>

enum arch_generation { ARCH_GFX9, ARCH_GFX10, ARCH_GFX11, ARCH_GFX12 };
enum arch_scope { ARCH_SCOPE_NONE, ARCH_SCOPE_L2, ARCH_SCOPE_SC1, ARCH_SCOPE_FIELD };

struct arch {
	const char *name;
	enum arch_generation generation;
	unsigned lanes;
	enum arch_scope scope;
	bool preload;
	bool aligned; /* operands of several vector registers begin at even ones */
};

/* Returns NULL for a processor that is not in the table; for a generic one, its member there. */
const struct arch *arch_find(const char *processor);

#endif
