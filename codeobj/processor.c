/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up facts of processors in arch.def. */
#include "processor.h"

#include <stdbool.h>
#include <string.h>

static const struct codeobj_processor processors[] = {
#define HG_ARCH(name, mach, generation, xnack, l2, host, apu, lds, generic, code, f64, lanes, \
		scope, preload, aligned, lacks)                                               \
	{ name,                                                                               \
	  mach,                                                                               \
	  CODEOBJ_##generation,                                                               \
	  CODEOBJ_XNACK_##xnack,                                                              \
	  CODEOBJ_L2_##l2,                                                                    \
	  CODEOBJ_HOST_##host,                                                                \
	  CODEOBJ_APU_##apu,                                                                  \
	  lds,                                                                                \
	  generic,                                                                            \
	  code,                                                                               \
	  CODEOBJ_F64_##f64 },
#define HG_ARCH_UNREAD(name, mach, generation, xnack, generic) \
	{ name,                                                \
	  mach,                                                \
	  CODEOBJ_##generation,                                \
	  CODEOBJ_XNACK_##xnack,                               \
	  CODEOBJ_L2_UNKNOWN,                                  \
	  CODEOBJ_HOST_UNKNOWN,                                \
	  CODEOBJ_APU_UNKNOWN,                                 \
	  0,                                                   \
	  generic,                                             \
	  NULL,                                                \
	  CODEOBJ_F64_UNKNOWN },
#include "arch.def"
};

static const struct {
	const char *name;
	uint8_t mach;
} generics[] = {
#define HG_GENERIC(name, mach, member) { name, mach },
#define HG_GENERIC_UNREAD(name, mach)  { name, mach },
#include "arch.def"
};

static bool is_named(const struct codeobj_processor *processor, const char *name, size_t length)
{
	return !strncmp(processor->name, name, length) && !processor->name[length];
}

const struct codeobj_processor *codeobj_processor(const char *name)
{
	/* Callers mostly look up the same name, as at each launch. */
	static const struct codeobj_processor *latest = processors;
	const struct codeobj_processor *found = __atomic_load_n(&latest, __ATOMIC_RELAXED);
	size_t length = strcspn(name, ":");

	if (is_named(found, name, length))
		return found;
	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
		if (!is_named(&processors[i], name, length))
			continue;
		__atomic_store_n(&latest, &processors[i], __ATOMIC_RELAXED);
		return &processors[i];
	}
	return NULL;
}

const char *codeobj_processor_name(unsigned mach)
{
	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
		if (processors[i].mach == mach)
			return processors[i].name;
	for (size_t i = 0; i < sizeof(generics) / sizeof(generics[0]); i++)
		if (generics[i].mach == mach)
			return generics[i].name;
	return NULL;
}
