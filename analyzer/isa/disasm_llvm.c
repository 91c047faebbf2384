/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly by LLVM's library, for processors that the local code object manager is too old for.
 * The library is opened when first needed: it is large, and most scans do without it.
 */
#include <dlfcn.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"
#include "disasm.h"

static struct {
	void (*info)(void);
	void (*target)(void);
	void (*disassembler)(void);
	__typeof__(LLVMCreateDisasmCPUFeatures) *create;
	__typeof__(LLVMDisasmDispose) *dispose;
	__typeof__(LLVMDisasmInstruction) *one;
} llvm;

static const struct {
	const char *name;
	void **to;
} functions[] = {
	{ "LLVMInitializeAMDGPUTargetInfo", (void **)&llvm.info },
	{ "LLVMInitializeAMDGPUTargetMC", (void **)&llvm.target },
	{ "LLVMInitializeAMDGPUDisassembler", (void **)&llvm.disassembler },
	{ "LLVMCreateDisasmCPUFeatures", (void **)&llvm.create },
	{ "LLVMDisasmDispose", (void **)&llvm.dispose },
	{ "LLVMDisasmInstruction", (void **)&llvm.one },
};

static const char *problem;

static void open_library(void)
{
	void *library = dlopen(HIPGRAIN_LIBLLVM, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	problem = library ? NULL : "it takes " HIPGRAIN_LIBLLVM ", which is not installed";
	for (i = 0; !problem && i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].to = dlsym(library, functions[i].name);
		if (!*functions[i].to)
			problem = HIPGRAIN_LIBLLVM " was built without AMDGPU";
	}
	if (problem)
		return;
	llvm.info();
	llvm.target();
	llvm.disassembler();
}

static void *create(const char *processor, unsigned wave_size, const char **why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct arch *arch = arch_find(processor);
	const char *features = "";

	*why = HIPGRAIN_LIBLLVM " does not know it";
	/* It would end the process. */
	if (!arch)
		return NULL;
	*why = "this processor has no such waves";
	if (arch->generation == ARCH_GFX9 && wave_size != arch->lanes)
		return NULL;
	pthread_once(&once, open_library);
	if (problem) {
		*why = problem;
		return NULL;
	}
	if (wave_size != arch->lanes)
		features = wave_size == 64 ? "-wavefrontsize32,+wavefrontsize64"
					   : "+wavefrontsize32,-wavefrontsize64";
	return llvm.create("amdgcn-amd-amdhsa", processor, features, NULL, 0, NULL, NULL);
}

static void destroy(void *handle)
{
	llvm.dispose(handle);
}

static size_t one(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size)
{
	size_t length = llvm.one(handle, (uint8_t *)(uintptr_t)code, size, 0, text, text_size);

	/* What it decodes, but knows to be no instruction. */
	return length && strstr(text, "v_illegal") ? 0 : length;
}

const struct disasm_backend disasm_llvm = { "llvm", create, destroy, one };
