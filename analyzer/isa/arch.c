/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what differs between the instructions of processors, in codeobj/arch.def. */
#include "arch.h"

#include <stddef.h>
#include <string.h>

static const struct arch archs[] = {
#define HG_ARCH(name, mach, generation, xnack, l2, host, apu, lds, generic, code, f64, lanes, \
		scope, preload, aligned, lacks)                                               \
	{                                                                                     \
		name,    ARCH_##generation, lanes, ARCH_SCOPE_##scope, preload,               \
		aligned, ARCH_LACKS_##lacks                                                   \
	},
#include "codeobj/arch.def"
};

static const struct {
	const char *name, *member;
} generics[] = {
#define HG_GENERIC(name, mach, member) { name, member },
#include "codeobj/arch.def"
};

static const char *const generations[] = {
#define HG_GENERATION(generation, processor) [ARCH_##generation] = (processor),
#include "codeobj/arch.def"
};

const struct arch *arch_find(const char *processor)
{
	size_t i;

	for (i = 0; i < sizeof(generics) / sizeof(generics[0]); i++)
		if (!strcmp(generics[i].name, processor))
			processor = generics[i].member;
	for (i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (!strcmp(archs[i].name, processor))
			return &archs[i];
	return NULL;
}

const char *arch_of_generation(enum arch_generation generation)
{
	return generations[generation];
}
