/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what differs between architectures, in arch.def. */
#include "arch.h"

#include <stddef.h>
#include <string.h>

static const struct arch archs[] = {
#define HG_GENERIC(name, member)
#define HG_ARCH(name, generation, lanes, scope, preload, aligned) \
	{ name, ARCH_##generation, lanes, ARCH_SCOPE_##scope, preload, aligned },
#include "arch.def"
#undef HG_ARCH
#undef HG_GENERIC
};

static const struct {
	const char *name, *member;
} generics[] = {
#define HG_GENERIC(name, member) { name, member },
#define HG_ARCH(name, generation, lanes, scope, preload, aligned)
#include "arch.def"
#undef HG_ARCH
#undef HG_GENERIC
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
