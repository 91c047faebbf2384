/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall(): system calls made without the functions of ours of the same name (close(),
 * close_range(), _exit(), execve()). Everything else is a jump to
 * the real function with registers and stack unchanged: a system call may return twice, or on
 * another stack.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/close_range.h"
#include "preload/control/descriptors.h"
#include "preload/control/seccomp.h"
#include "preload/core/base.h"
#include "preload/core/kernel_call.h"

#ifndef __x86_64__
#error "the system call's instruction is that of x86-64"
#endif

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define WATCHED(name)   "	cmpq $" TEXT(__NR_##name) ", %rdi\n	je 1f\n"

__attribute__((visibility("hidden"), used)) long hg_syscall_watched(long number, long a, long b,
								    long c, long d, long e, long f);

/* clang-format off */
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	WATCHED(close)
	WATCHED(execve)
	WATCHED(exit_group)
	WATCHED(close_range)
	WATCHED(seccomp)
	WATCHED(prctl)
	"	jmp *hg_next_syscall(%rip)\n"
	"1:	jmp hg_syscall_watched\n"
	"	.cfi_endproc\n"
	".size syscall, .-syscall\n");
/* clang-format on */

long hg_syscall_watched(long number, long a, long b, long c, long d, long e, long f)
{
	if (!hg_tls.busy && !hg_tls.strict && hg_provider) {
		switch (number) {
		case SYS_close:
			return hg_close_of_program((int)a);
		case SYS_close_range:
			return close_range((unsigned)a, (unsigned)b, (int)c);
		case SYS_execve:
			return execve((const char *)a, (char **)b, (char **)c);
		case SYS_seccomp:
		case SYS_prctl:
			if (number == SYS_seccomp || a == PR_SET_SECCOMP)
				return hg_confine(number, a, b, c, d, e);
			break;
		case SYS_exit_group:
			_exit((int)a);
		}
	}
	return hg_next_syscall(number, a, b, c, d, e, f);
}
