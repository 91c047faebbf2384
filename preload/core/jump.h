/* SPDX-License-Identifier: Apache-2.0 */
/* Defines functions of the loader that look at their caller, so that a call from us would not do.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_JUMP_H
#define HIPGRAIN_PRELOAD_CORE_JUMP_H

/* A hook's answer for which NAME returns NULL. */
#define HG_JUMP_NULL ((void *)-1)

/*
 * Defines NAME, which calls HOOK with its own first three arguments and the address that it returns
 * to. If HOOK returns NULL, NAME jumps to *REAL with its arguments and the return address as they
 * were; else it returns what HOOK did. SETUP is assembly that changes arguments for HOOK alone.
 * HOOK and REAL are hidden, and HOOK has set REAL when it returns.
 */
/* clang-format off */
#define HG_JUMP(NAME, SETUP, HOOK, REAL)				\
	__asm__(".text\n"						\
		".globl " #NAME "\n"					\
		".type " #NAME ", @function\n"				\
		#NAME ":\n"						\
		"	.cfi_startproc\n"				\
		"	pushq %rdi\n"					\
		"	.cfi_adjust_cfa_offset 8\n"			\
		"	pushq %rsi\n"					\
		"	.cfi_adjust_cfa_offset 8\n"			\
		"	pushq %rdx\n"					\
		"	.cfi_adjust_cfa_offset 8\n"			\
		SETUP							\
		"	movq 24(%rsp), %rcx\n"				\
		"	call " #HOOK "\n"				\
		"	popq %rdx\n"					\
		"	.cfi_adjust_cfa_offset -8\n"			\
		"	popq %rsi\n"					\
		"	.cfi_adjust_cfa_offset -8\n"			\
		"	popq %rdi\n"					\
		"	.cfi_adjust_cfa_offset -8\n"			\
		"	testq %rax, %rax\n"				\
		"	jne 1f\n"					\
		"	jmp *" #REAL "(%rip)\n"				\
		"1:	cmpq $-1, %rax\n"				\
		"	jne 2f\n"					\
		"	xorl %eax, %eax\n"				\
		"2:	ret\n"						\
		"	.cfi_endproc\n"					\
		".size " #NAME ", .-" #NAME "\n")
/* clang-format on */

#endif
