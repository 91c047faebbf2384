/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly by LLVM's library, for processors that the local code object manager is too old for.
 * A library is opened when first needed: it is large, and most scans do without it. What is called
 * has been the same since long before the oldest of them [llvm-c/Disassembler.h].
 */
#include <dlfcn.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "disasm.h"

/* Versions that the tests know: what an untried one prints may be read as something else. */
enum version { LLVM_22, LLVM_19, VERSIONS };

static struct library {
	const char *name;    /* of its file */
	const char *absent;  /* why not, if it is not there */
	const char *unknown; /* why not, if it does not know a processor */
	const char *problem;
	bool tried;
	void (*info)(void);
	void (*target)(void);
	void (*disassembler)(void);
	__typeof__(LLVMCreateDisasmCPUFeatures) *create;
	__typeof__(LLVMDisasmDispose) *dispose;
	__typeof__(LLVMDisasmInstruction) *one;
} libraries[VERSIONS] = {
#define LIBRARY(file)                                                                \
	{                                                                            \
		.name = file, .absent = "it needs " file ", which is not installed", \
		.unknown = file " does not know it"                                  \
	}
	[LLVM_22] = LIBRARY("libLLVM.so.22.1"),
	[LLVM_19] = LIBRARY("libLLVM.so.19.1"),
#undef LIBRARY
};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{ "LLVMInitializeAMDGPUTargetInfo", offsetof(struct library, info) },
	{ "LLVMInitializeAMDGPUTargetMC", offsetof(struct library, target) },
	{ "LLVMInitializeAMDGPUDisassembler", offsetof(struct library, disassembler) },
	{ "LLVMCreateDisasmCPUFeatures", offsetof(struct library, create) },
	{ "LLVMDisasmDispose", offsetof(struct library, dispose) },
	{ "LLVMDisasmInstruction", offsetof(struct library, one) },
};

/* Of the processors in arch.def, those that a version does not know; it would end the process. */
static const struct {
	const char *processor;
	enum version version;
} unknown[] = {
	{ "gfx940", LLVM_22 },
	{ "gfx941", LLVM_22 },
	{ "gfx950", LLVM_19 },
};

static void open_library(struct library *library)
{
	void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);

	library->tried = true;
	library->problem = handle ? NULL : library->absent;
	for (size_t i = 0; !library->problem && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(handle, functions[i].name);

		memcpy((char *)library + functions[i].offset, &function, sizeof(function));
		if (!function)
			library->problem = "LLVM's library was built without AMDGPU";
	}
	if (library->problem)
		return;
	library->info();
	library->target();
	library->disassembler();
}

/* More than the longest instruction has with its literals. */
#define WINDOW 32u

struct llvm {
	const struct library *library;
	LLVMDisasmContextRef context;
	bool gfx9;
};

static void *create(enum version version, const char *processor, unsigned wave_size,
		    const char **why)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct library *library = &libraries[version];
	const struct arch *arch = arch_find(processor);
	const char *features = "";
	struct llvm *llvm;

	*why = library->unknown;
	if (!arch)
		return NULL;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (unknown[i].version == version && !strcmp(unknown[i].processor, processor))
			return NULL;
	*why = "this processor has no such waves";
	if (arch->generation == ARCH_GFX9 && wave_size != arch->lanes)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!library->tried)
		open_library(library);
	pthread_mutex_unlock(&lock);
	*why = library->problem ? library->problem : "out of memory";
	llvm = library->problem ? NULL : calloc(1, sizeof(*llvm));
	if (!llvm)
		return NULL;
	if (wave_size != arch->lanes)
		features = wave_size == 64 ? "-wavefrontsize32,+wavefrontsize64"
					   : "+wavefrontsize32,-wavefrontsize64";
	llvm->library = library;
	llvm->gfx9 = arch->generation == ARCH_GFX9;
	llvm->context =
	    library->create("amdgcn-amd-amdhsa", processor, features, NULL, 0, NULL, NULL);
	if (!llvm->context) {
		*why = library->unknown;
		free(llvm);
		return NULL;
	}
	return llvm;
}

static void *create_22(const char *processor, unsigned wave_size, const char **why)
{
	return create(LLVM_22, processor, wave_size, why);
}

static void *create_19(const char *processor, unsigned wave_size, const char **why)
{
	return create(LLVM_19, processor, wave_size, why);
}

static void destroy(void *handle)
{
	struct llvm *llvm = handle;

	llvm->library->dispose(llvm->context);
	free(llvm);
}

/*
 * Whether it may be used at all: version 22.1.8 crashes where the sources of V_MFMA_*_F8F6F4 are
 * no vector registers, and for made-up V_MFMA_SCALE_* in ways that were not found out.
 */
static bool may_ask(const uint8_t bytes[WINDOW])
{
	uint32_t word[2];

	memcpy(word, bytes, sizeof(word));
	switch (word[0] >> 16) {
	case 0xd3ad:
	case 0xd3ae:
		return word[1] >> 8 & 1 && word[1] >> 17 & 1;
	default:
		return word[0] >> 16 != 0xd3ac;
	}
}

static size_t one(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size)
{
	const struct llvm *llvm = handle;
	uint8_t bytes[WINDOW] = { 0 };
	size_t length;

	/* Version 22 crashes where the bytes end ahead of a literal. */
	memcpy(bytes, code, size < WINDOW ? size : WINDOW);
	if (llvm->gfx9 && !may_ask(bytes))
		return 0;
	length = llvm->library->one(llvm->context, bytes, WINDOW, 0, text, text_size);
	/* It also finds literals behind vector instructions of two words, which gfx9 has not. */
	if (length > size || (llvm->gfx9 && length == 12))
		return 0;
	/* What it decodes, but knows to be no instruction. */
	return length && strstr(text, "v_illegal") ? 0 : length;
}

const struct disasm_backend disasm_llvm_19 = { "llvm-19", NULL, create_19, destroy, one };
/*
 * Version 22.1.8 crashes where an instruction that allows no literal has one (made-up bytes): on
 * other gfx9 processors in VOP3 and MTBUF, on gfx12 in SOP1. On gfx950 it was not seen to, in
 * millions of them.
 */
const struct disasm_backend disasm_llvm_22 = { "llvm-22", "gfx950", create_22, destroy, one };
