/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with the functions of LLVM's disassembler that the analysis calls, which is not one:
 * it prints the same for everything, or with ABORTS ends the process at any processor.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);
void *LLVMCreateDisasmCPUFeatures(const char *triple, const char *processor, const char *features,
				  void *user, int type, void *info, void *symbols);
void LLVMDisasmDispose(void *context);
size_t LLVMDisasmInstruction(void *context, uint8_t *bytes, uint64_t size, uint64_t at, char *text,
			     size_t text_size);

void LLVMInitializeAMDGPUTargetInfo(void)
{
}

void LLVMInitializeAMDGPUTargetMC(void)
{
}

void LLVMInitializeAMDGPUDisassembler(void)
{
}

void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch)
{
	*major = VERSION;
	*minor = 1;
	*patch = 0;
}

void *LLVMCreateDisasmCPUFeatures(const char *triple, const char *processor, const char *features,
				  void *user, int type, void *info, void *symbols)
{
	static char context;

	(void)triple;
	(void)features;
	(void)user;
	(void)type;
	(void)info;
	(void)symbols;
#ifdef ABORTS
	fprintf(stderr, "no such processor: %s\n", processor);
	abort();
#endif
	(void)processor;
	return &context;
}

void LLVMDisasmDispose(void *context)
{
	(void)context;
}

size_t LLVMDisasmInstruction(void *context, uint8_t *bytes, uint64_t size, uint64_t at, char *text,
			     size_t text_size)
{
	(void)context;
	(void)bytes;
	(void)size;
	(void)at;
	snprintf(text, text_size, "s_nop 0");
	return 4;
}
