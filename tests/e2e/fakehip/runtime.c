/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A HIP runtime in name only: every function of api.def notes what it was called with and
 * returns fake_result. What a function cannot know is how many parameters it has, so the
 * registers for integers and the first words of the stack are noted as they are. Each finds an
 * errno, which is noted too, and leaves one of its own.
 */
#include <errno.h>
#include <stdint.h>

#define CALLS 2048

/* 256 bytes, on which the assembly below relies. */
struct fake_call {
	uint64_t count;
	uint64_t registers[6];
	uint64_t stack[25];
};

struct fake_call fake_calls[CALLS];
int fake_result;
int fake_errnos[CALLS];
#define LEAVES 10000 /* and the function's id more */

/* By the assembly below. */
__attribute__((used, visibility("hidden"))) void fake_note_errno(uint64_t id);
void fake_note_errno(uint64_t id)
{
	fake_errnos[id] = errno;
	errno = LEAVES + (int)id;
}

__asm__(".text\n"
	".type fake_note, @function\n"
	"fake_note:\n"
	"	pushq %rax\n"
	"	shlq $8, %rax\n"
	"	movq fake_calls@GOTPCREL(%rip), %r10\n"
	"	addq %rax, %r10\n"
	"	incq (%r10)\n"
	"	movq %rdi, 8(%r10)\n"
	"	movq %rsi, 16(%r10)\n"
	"	movq %rdx, 24(%r10)\n"
	"	movq %rcx, 32(%r10)\n"
	"	movq %r8, 40(%r10)\n"
	"	movq %r9, 48(%r10)\n"
	"	leaq 16(%rsp), %rsi\n"
	"	leaq 56(%r10), %rdi\n"
	"	movl $25, %ecx\n"
	"	cld\n"
	"	rep movsq\n"
	"	movq (%rsp), %rdi\n"
	"	call fake_note_errno\n"
	"	addq $8, %rsp\n"
	"	movq fake_result@GOTPCREL(%rip), %rax\n"
	"	movslq (%rax), %rax\n"
	"	ret\n");

/* Functions of the host have ids below 100 (HG_HIP_APIS) and are the C library's. */
#define HG_API(id, name, class, ...)                       \
	__asm__(".if " #id " >= 100\n"                     \
		".globl " #name "\n"                       \
		".type " #name ", @function\n" #name ":\n" \
		"	movl $" #id ", %eax\n"             \
		"	jmp fake_note\n"                         \
		".endif\n");
#include "tracer/api.def"
