/* SPDX-License-Identifier: Apache-2.0 */
/* Which disassembler. */
#include "disasm.h"
#ifdef HIPGRAIN_LLVM
#include "disasm_llvm.h"
#endif

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct isa_disasm {
	const struct disasm_backend *backend;
	void *handle;
};

/* In this order; every ROCm has the first, in the version that fits its GPUs. */
static const struct disasm_backend *const backends[] = {
	&disasm_comgr,
#ifdef HIPGRAIN_LLVM
	&disasm_llvm_19,
	&disasm_llvm_22,
	&disasm_llvm_other,
#endif
};

/* "llvm" is any of them. */
static bool is_wanted(const char *name, const char *wanted)
{
	size_t length = wanted ? strlen(wanted) : 0;

	return !length ||
	       (!strncmp(name, wanted, length) && (!name[length] || name[length] == '-'));
}

struct isa_disasm *isa_disasm_create(const char *processor, unsigned wave_size, const char *backend,
				     const char **why)
{
	struct isa_disasm *disasm = calloc(1, sizeof(*disasm));
	size_t i;

	*why = disasm ? "unknown disassembler" : "out of memory";
	if (!disasm)
		return NULL;
	if (!backend)
		backend = getenv("HIPGRAIN_DISASSEMBLER");
	for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		const struct disasm_backend *one = backends[i];

		if (!is_wanted(one->name, backend))
			continue;
		if (one->only && strcmp(one->only, processor) &&
		    !(backend && !strcmp(one->name, backend)))
			continue;
		disasm->backend = one;
		disasm->handle = one->create(processor, wave_size, why);
		if (disasm->handle)
			return disasm;
	}
	free(disasm);
	return NULL;
}

void isa_disasm_destroy(struct isa_disasm *disasm)
{
	if (!disasm)
		return;
	disasm->backend->destroy(disasm->handle);
	free(disasm);
}

const char *isa_disasm_name(const struct isa_disasm *disasm)
{
	return disasm->backend->name;
}

bool isa_llvm_library(size_t number, struct isa_llvm *found)
{
#ifdef HIPGRAIN_LLVM
	const struct llvm_candidate *list;

	if (number >= llvm_candidates(&list))
		return false;
	*found =
	    (struct isa_llvm){ .path = list[number].path,
			       .version = list[number].version,
			       .tested = list[number].version == 19 || list[number].version == 22,
			       .problem = list[number].problem };
	return true;
#else
	(void)number;
	(void)found;
	return false;
#endif
}

bool isa_llvm_reads(size_t number, const char *processor, const char **why)
{
#ifdef HIPGRAIN_LLVM
	const struct llvm_candidate *list;

	if (number < llvm_candidates(&list))
		return llvm_passes(&list[number], processor, why);
#else
	(void)number;
	(void)processor;
#endif
	*why = "there is none";
	return false;
}

size_t isa_disasm_one(struct isa_disasm *disasm, const uint8_t *code, size_t size, char *text,
		      size_t text_size)
{
	text[0] = 0;
	return disasm->backend->one(disasm->handle, code, size, text, text_size);
}
