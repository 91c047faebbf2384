/* SPDX-License-Identifier: Apache-2.0 */
/* Between the analysis of a code object and the cache. */
#include "cached_analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cache/cache.h"
#include "arch.h"
#include "decode.h"
#include "isa.h"
#include "pack.h"

bool kept_begin(struct kept *kept, const void *elf, size_t size, const struct isa_options *options)
{
	const struct arch *arch = NULL;
	struct codeobj_target target;
	struct decoder *decoder;
	const char *why;
	size_t used;

	kept->use = false;
	if (!cache_usable() || codeobj_identify(elf, size) == CODEOBJ_SPIRV ||
	    codeobj_identify(elf, size) == CODEOBJ_BITCODE)
		return false;
	if (!codeobj_elf_target(elf, size, &target, NULL))
		arch = arch_find(target.processor);
	decoder = arch ? decoder_get(arch, arch->lanes, options->disassembler, &why) : NULL;
	if (!decoder)
		return false;
	used = (size_t)snprintf(kept->disassembler, sizeof(kept->disassembler), "%s ",
				isa_disasm_name(decoder_disasm(decoder)));
	kept->use = cache_build_of(isa_disasm_library(decoder_disasm(decoder)),
				   kept->disassembler + used, sizeof(kept->disassembler) - used);
	decoder_put(decoder);
	return kept->use;
}

/* Makes the name under which results are kept; `symbol` NULL means all kernels. */
static bool name_of(const struct kept *kept, bool atomics_only, const char *symbol,
		    struct cache_name *name)
{
	return cache_name(name, kept->sha256, kept->disassembler, atomics_only ? "atomics" : "all",
			  symbol ? symbol : "", NULL);
}

static bool find(const struct kept *kept, bool atomics_only, const char *symbol, const char *only,
		 struct isa_code_object **out)
{
	struct cache_name name;
	size_t size = 0;
	uint8_t *data = name_of(kept, atomics_only, symbol, &name) ? cache_get(&name, &size) : NULL;
	bool found = data && !unpack_object(data, size, only, out);

	free(data);
	return found;
}

bool kept_find(const struct kept *kept, const struct isa_options *options,
	       struct isa_code_object **out)
{
	bool atomics_only = options && options->atomics_only;
	const char *symbol = options ? options->only_symbol : NULL;

	/* The results of one kernel are also among those of all of them. */
	return kept->use && (find(kept, atomics_only, symbol, NULL, out) ||
			     (symbol && find(kept, atomics_only, NULL, symbol, out)));
}

void kept_add(const struct kept *kept, const struct isa_options *options,
	      const struct isa_code_object *object)
{
	struct cache_name name;
	uint8_t *data;
	size_t size;

	if (!kept->use || !name_of(kept, options && options->atomics_only,
				   options ? options->only_symbol : NULL, &name))
		return;
	data = pack_object(object, &size);
	if (data)
		cache_put(&name, data, size);
	free(data);
}
