/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the disassembler. */
#include "arch.h"
#include "disasm.h"
#include "disasm_guard.h"
#ifdef HIPGRAIN_LLVM
#include "disasm_llvm.h"
#endif

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct isa_disasm {
	const struct disasm_backend *backend;
	void *handle;
	enum arch_generation generation;
};

/* They are tried in this order; every ROCm has the first, in the version that fits its GPUs. */
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
	disasm_guard_install();
	for (i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		const struct disasm_backend *one = backends[i];

		if (!is_wanted(one->name, backend))
			continue;
		if (one->only && strcmp(one->only, processor) &&
		    !(backend && !strcmp(one->name, backend)))
			continue;
		disasm->backend = one;
		disasm->generation =
		    arch_find(processor) ? arch_find(processor)->generation : ARCH_GFX12;
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

const void *isa_disasm_library(const struct isa_disasm *disasm)
{
	return disasm->backend->library(disasm->handle);
}

/* An operand with this number stands behind the instruction. */
#define LITERAL 255u

/*
 * Returns true if it would have a literal where its encoding has none: VOP3 of gfx9, and the scalar
 * offset of buffers before gfx12. It is no instruction, and LLVM from 21 on (hence amd_comgr from
 * ROCm 7.0 on) crashes when it says so.
 */
static bool misplaced_literal(enum arch_generation generation, const uint8_t *code, size_t size)
{
	uint32_t word[2];

	if (size < sizeof(word))
		return false;
	memcpy(word, code, sizeof(word));
	switch (word[0] >> 26) {
	case 0x34: /* VOP3, VOP3P */
		return generation == ARCH_GFX9 &&
		       ((word[1] & 0x1ff) == LITERAL || (word[1] >> 9 & 0x1ff) == LITERAL ||
			(word[1] >> 18 & 0x1ff) == LITERAL);
	case 0x38: /* MUBUF */
	case 0x3a: /* MTBUF */
		return generation < ARCH_GFX12 && word[1] >> 24 == LITERAL;
	default:
		return false;
	}
}

/*
 * LLVM 21 and 22.1.8 also crash where the sources of V_MFMA_*_F8F6F4 are no vector registers, and
 * for made-up V_MFMA_SCALE_* in ways that were not found out: the latter are not read at all.
 */
static bool unreadable_matrix(const uint8_t *code, size_t size)
{
	uint32_t word[2];

	if (size < sizeof(word))
		return false;
	memcpy(word, code, sizeof(word));
	switch (word[0] >> 16) {
	case 0xd3ad:
	case 0xd3ae:
		return !(word[1] >> 8 & 1) || !(word[1] >> 17 & 1);
	default:
		return word[0] >> 16 == 0xd3ac;
	}
}

size_t isa_disasm_one(struct isa_disasm *disasm, const uint8_t *code, size_t size, char *text,
		      size_t text_size)
{
	text[0] = 0;
	if (misplaced_literal(disasm->generation, code, size) ||
	    (disasm->generation == ARCH_GFX9 && unreadable_matrix(code, size)))
		return 0;
	return disasm_guarded(disasm->backend, disasm->handle, code, size, text, text_size);
}
