/* SPDX-License-Identifier: Apache-2.0 */
/* System calls by their instruction. */
#include "preload/core/kernel_call.h"

#include <errno.h>

#ifndef __x86_64__
#error "the system call's instruction is that of x86-64"
#endif

/* Calls go on to this; until it is known, to the kernel. */
__attribute__((visibility("hidden"))) long (*hg_next_syscall)(long number, ...) = hg_syscall;

__attribute__((visibility("hidden"), used)) long hg_syscall_failed(long code);

/* clang-format off */
__asm__(".text\n"
	".hidden hg_syscall\n"
	".globl hg_syscall\n"
	".type hg_syscall, @function\n"
	"hg_syscall:\n"
	"	.cfi_startproc\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 1f\n"
	"	ret\n"
	"1:	movq %rax, %rdi\n"
	"	jmp hg_syscall_failed\n"
	"	.cfi_endproc\n"
	".size hg_syscall, .-hg_syscall\n");
/* clang-format on */

long hg_syscall_failed(long code)
{
	errno = (int)-code;
	return -1;
}
