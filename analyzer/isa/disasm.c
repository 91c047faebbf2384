/* SPDX-License-Identifier: Apache-2.0 */
/* Which disassembler. */
#include "disasm.h"

#include <stdlib.h>
#include <string.h>

struct isa_disasm {
	const struct disasm_backend *backend;
	void *handle;
};

/* In this order; every ROCm has the first, in the version that fits its GPUs. */
static const struct disasm_backend *const backends[] = {
	&disasm_comgr,
#ifdef HIPGRAIN_LIBLLVM
	&disasm_llvm,
#endif
};

struct isa_disasm *isa_disasm_create(const char *processor, unsigned wave_size, const char *backend,
				     const char **why)
{
	struct isa_disasm *disasm = calloc(1, sizeof(*disasm));
	size_t i;

	*why = disasm ? "there is no disassembler of that name" : "out of memory";
	if (!disasm)
		return NULL;
	if (!backend)
		backend = getenv("HIPGRAIN_DISASSEMBLER");
	for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		if (backend && *backend && strcmp(backend, backends[i]->name))
			continue;
		disasm->backend = backends[i];
		disasm->handle = backends[i]->create(processor, wave_size, why);
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

size_t isa_disasm_one(struct isa_disasm *disasm, const uint8_t *code, size_t size, char *text,
		      size_t text_size)
{
	text[0] = 0;
	return disasm->backend->one(disasm->handle, code, size, text, text_size);
}
