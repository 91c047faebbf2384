/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly by LLVM's library, for processors that the local code object manager is too old for.
 * A library is opened when first needed: it is large, and most scans do without it. What is called
 * has been the same since long before the oldest of them [llvm-c/Disassembler.h].
 *
 * The tests know two versions. Of others any may be installed, AMD's own builds with them: each is
 * tried in a process of its own, for each processor, and used if it prints some instructions as
 * those two do (llvm_trial.c).
 */
#include <dlfcn.h>
#include <glob.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch.h"
#include "disasm.h"
#include "disasm_llvm.h"

/* Versions that the tests know: what an untried one prints may be read as something else. */
enum version { LLVM_22, LLVM_19, VERSIONS };

static struct library {
	const char *name;    /* of its file */
	const char *absent;  /* why not, if it is not there */
	const char *unknown; /* why not, if it does not know a processor */
	const char *problem;
	bool tried;
	struct llvm_functions functions;
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
	{ "LLVMInitializeAMDGPUTargetInfo", offsetof(struct llvm_functions, info) },
	{ "LLVMInitializeAMDGPUTargetMC", offsetof(struct llvm_functions, target) },
	{ "LLVMInitializeAMDGPUDisassembler", offsetof(struct llvm_functions, disassembler) },
	{ "LLVMCreateDisasmCPUFeatures", offsetof(struct llvm_functions, create) },
	{ "LLVMDisasmDispose", offsetof(struct llvm_functions, dispose) },
	{ "LLVMDisasmInstruction", offsetof(struct llvm_functions, one) },
};

/* Returns NULL if they are there, and the library is ready; else why not. */
static const char *find_functions(void *handle, struct llvm_functions *found)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(handle, functions[i].name);

		memcpy((char *)found + functions[i].offset, &function, sizeof(function));
		if (!function)
			return "LLVM's library was built without AMDGPU";
	}
	found->info();
	found->target();
	found->disassembler();
	return NULL;
}

static void open_library(struct library *library)
{
	void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);

	library->tried = true;
	library->problem = handle ? find_functions(handle, &library->functions) : library->absent;
}

/* ---- other versions ---- */

#define OTHERS 32

/* In this order: newer ones crash on made-up bytes more often, older ones know fewer GPUs. */
static const unsigned char other_versions[] = { 20, 18, 21, 17, 16, 15, 22, 19, 23, 24 };

static struct llvm_candidate others[OTHERS];
static size_t other_count;
static pthread_once_t others_once = PTHREAD_ONCE_INIT;

/* Finds the version by the library's own answer (from 16 on), else by its name. */
static void find_version(struct llvm_candidate *candidate, void *handle)
{
	void (*query)(unsigned *, unsigned *, unsigned *);
	unsigned minor = 0, patch = 0;
	const char *digits =
	    strpbrk(strrchr(candidate->path, '/') ? strrchr(candidate->path, '/') : candidate->path,
		    "0123456789");

	*(void **)&query = dlsym(handle, "LLVMGetVersion");
	if (query)
		query(&candidate->version, &minor, &patch);
	else if (digits)
		candidate->version = (unsigned)strtoul(digits, NULL, 10);
}

static void add_candidate(const char *name)
{
	struct llvm_candidate *candidate = &others[other_count];
	void *handle, *function;
	Dl_info info;

	if (other_count == OTHERS)
		return;
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	/* A name without a directory that the linker does not find is no candidate. */
	if (!handle && !strchr(name, '/') && strstr(dlerror(), "No such file or directory"))
		return;
	*candidate = (struct llvm_candidate){ .handle = handle };
	function = handle ? dlsym(handle, "LLVMDisasmInstruction") : NULL;
	if (function && dladdr(function, &info) && info.dli_fname)
		candidate->path = realpath(info.dli_fname, NULL);
	if (!candidate->path)
		candidate->path = strdup(name);
	if (!candidate->path)
		return;
	for (size_t i = 0; i < other_count; i++) {
		if (!strcmp(others[i].path, candidate->path)) {
			free(candidate->path);
			return;
		}
	}
	if (handle)
		find_version(candidate, handle);
	candidate->problem =
	    handle ? find_functions(handle, &candidate->functions) : "it cannot be loaded";
	other_count++;
}

static void find_others(void)
{
	static const char *const names[] = { "libLLVM.so.%u.1", "libLLVM-%u.so.1", "libLLVM-%u.so",
					     "/usr/lib/llvm-%u/lib/libLLVM.so.1" };
	static const char *const places[] = { "/opt/rocm*/lib/llvm/lib/libLLVM*.so*",
					      "/opt/rocm*/llvm/lib/libLLVM*.so*",
					      "/opt/rocm*/core-*/lib/llvm/lib/libLLVM*.so*" };
	char name[64];
	glob_t found;

	for (size_t i = 0; i < sizeof(other_versions); i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			snprintf(name, sizeof(name), names[j], other_versions[i]);
			if (*name != '/' || !access(name, R_OK))
				add_candidate(name);
		}
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (glob(places[i], 0, NULL, &found))
			continue;
		for (size_t j = 0; j < found.gl_pathc; j++)
			add_candidate(found.gl_pathv[j]);
		globfree(&found);
	}
}

size_t llvm_candidates(const struct llvm_candidate **list)
{
	pthread_once(&others_once, find_others);
	*list = others;
	return other_count;
}

/* More than the longest instruction has with its literals. */
#define WINDOW 32u

struct llvm {
	const struct llvm_functions *functions;
	LLVMDisasmContextRef context;
	bool gfx9;
};

static const char *wave_features(const struct arch *arch, unsigned wave_size)
{
	return wave_size == arch->lanes ? ""
	       : wave_size == 64        ? "-wavefrontsize32,+wavefrontsize64"
					: "+wavefrontsize32,-wavefrontsize64";
}

static struct llvm *make(const struct llvm_functions *functions_, const struct arch *arch,
			 const char *processor, unsigned wave_size, const char **why)
{
	struct llvm *llvm = calloc(1, sizeof(*llvm));

	*why = "out of memory";
	if (!llvm)
		return NULL;
	llvm->functions = functions_;
	llvm->gfx9 = arch->generation == ARCH_GFX9;
	llvm->context = functions_->create("amdgcn-amd-amdhsa", processor,
					   wave_features(arch, wave_size), NULL, 0, NULL, NULL);
	if (!llvm->context) {
		free(llvm);
		return NULL;
	}
	return llvm;
}

static void *create(enum version version, const char *processor, unsigned wave_size,
		    const char **why)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	enum arch_lacks lacks = version == LLVM_22 ? ARCH_LACKS_LLVM_22 : ARCH_LACKS_LLVM_19;
	struct library *library = &libraries[version];
	const struct arch *arch = arch_find(processor);
	struct llvm *llvm;

	*why = library->unknown;
	/* It would end the process for a processor that it does not know. */
	if (!arch || arch->lacks == lacks)
		return NULL;
	*why = "this processor has no such waves";
	if (arch->generation == ARCH_GFX9 && wave_size != arch->lanes)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!library->tried)
		open_library(library);
	pthread_mutex_unlock(&lock);
	if (library->problem) {
		*why = library->problem;
		return NULL;
	}
	llvm = make(&library->functions, arch, processor, wave_size, why);
	if (!llvm)
		*why = library->unknown;
	return llvm;
}

static void *create_other(const char *processor, unsigned wave_size, const char **why)
{
	const struct arch *arch = arch_find(processor);
	const struct llvm_candidate *list;
	size_t count = llvm_candidates(&list);

	*why = "this processor has no such waves";
	if (!arch || (arch->generation == ARCH_GFX9 && wave_size != arch->lanes))
		return NULL;
	*why = "neither a libamd_comgr nor an LLVM library that knows it is installed";
	for (size_t i = 0; i < count; i++)
		if (!list[i].problem && llvm_passes(&list[i], processor, NULL))
			return make(&list[i].functions, arch, processor, wave_size, why);
	return NULL;
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

	llvm->functions->dispose(llvm->context);
	free(llvm);
}

static const void *library(void *handle)
{
	const struct llvm *llvm = handle;
	const void *address;

	memcpy(&address, &llvm->functions->one, sizeof(address));
	return address;
}

static size_t one(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size)
{
	const struct llvm *llvm = handle;
	uint8_t bytes[WINDOW] = { 0 };
	size_t length;

	/* Version 22 crashes where the bytes end ahead of a literal. */
	memcpy(bytes, code, size < WINDOW ? size : WINDOW);
	length = llvm->functions->one(llvm->context, bytes, WINDOW, 0, text, text_size);
	/* It also finds literals behind vector instructions of two words, which gfx9 has not. */
	if (length > size || (llvm->gfx9 && length == 12))
		return 0;
	/* It decodes this, but knows it to be no instruction. */
	return length && strstr(text, "v_illegal") ? 0 : length;
}

const struct disasm_backend disasm_llvm_19 = { "llvm-19", NULL, create_19, destroy, library, one };
/*
 * Version 22.1.8 crashes where an instruction that allows no literal has one (made-up bytes): on
 * other gfx9 processors in VOP3 and MTBUF, on gfx12 in SOP1. On gfx950 it was not seen to, in
 * millions of them.
 */
const struct disasm_backend disasm_llvm_22 = {
	"llvm-22", "gfx950", create_22, destroy, library, one
};
const struct disasm_backend disasm_llvm_other = { "llvm-other", NULL,    create_other,
						  destroy,      library, one };
