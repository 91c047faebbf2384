/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls with little stack left: from coroutines, handlers on an alternate stack, threads with the
 * smallest possible stack, deep recursion. An event takes some KiB of stack, the first one of a
 * process much more (paths, files), and below a stack there may be the program's
 * data. So a call that does not come from its thread's own stack with NEED bytes left is handled on
 * a stack of ours.
 *
 * All signals are blocked there. A signal handler may have been running on the alternate stack when
 * we left it: the kernel would take that stack for unused and start the next handler at its top
 * (sigaltstack(2)). And a handler that ran on our stack might never return.
 */
#include "preload/core/own_stack.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/objects.h"
#include "preload/core/signals.h"

#define NEED      ((size_t)64 << 10)
#define SIZE      ((size_t)256 << 10)
#define GUARD     ((size_t)4096)
#define STACKS    64u
#define TRIES_MAX 1000u

/* The first thread's stack is taken to be so large if the kernel sets no limit. */
#define UNLIMITED ((size_t)8 << 20)

/* These are in use only while all signals are blocked, so that each is given back; they are never
 * unmapped. */
static struct {
	int used;  /* atomic */
	char *low; /* NULL: not mapped yet */
} stacks[STACKS];

static pthread_t first;

/* The C library's addresses: its calls may come from under locks of its own. */
static uintptr_t libc_start, libc_size;

/* The loader's: where the first thread's stack begins, towards higher addresses. */
extern void *__libc_stack_end;

static void set_bounds(uintptr_t low, uintptr_t high)
{
	hg_tls.room_from = low + NEED;
	hg_tls.room_size = high - low > NEED ? high - low - NEED : 0;
	hg_tls.room_end = high;
	hg_tls.room_low = low;
}

static void bound_first(void)
{
	uintptr_t high = (uintptr_t)__libc_stack_end;
	struct rlimit limit;
	size_t size = UNLIMITED;

	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		size = (size_t)limit.rlim_cur;
	set_bounds(size < high ? high - size : 0, high);
}

/* Finds where the C library is. It does not call dladdr(), which looks at each of its symbols. */
static void find_libc(void)
{
	__typeof__(&dl_iterate_phdr) iterate =
	    (__typeof__(iterate))hg_libc_function("dl_iterate_phdr");
	struct hg_object object;

	if (!iterate || !hg_object_of(iterate, (void *)(uintptr_t)pthread_getattr_np, &object))
		return;
	libc_start = object.start;
	libc_size = object.end - object.start;
}

void hg_room_init(void)
{
	find_libc();
	if (hg_syscall(SYS_gettid) != getpid())
		return;
	first = pthread_self();
	bound_first();
}

void hg_room_note_caller(const void *caller)
{
	hg_tls.room_locked = (uintptr_t)caller - libc_start < libc_size;
}

/* The C library may allocate for it, but not in the first thread, where it reads a file, too. */
void hg_room_find(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (hg_tls.room_end || hg_tls.room_locked)
		return;
	if (pthread_equal(first, pthread_self())) {
		bound_first();
		return;
	}
	hg_tls.busy++;
	if (!pthread_getattr_np(pthread_self(), &attributes)) {
		if (!pthread_attr_getstack(&attributes, &low, &size))
			set_bounds((uintptr_t)low, (uintptr_t)low + size);
		pthread_attr_destroy(&attributes);
	}
	hg_tls.busy--;
}

/* The highest address of a stack that is the caller's until it gives back `*which`; or NULL. */
static char *take(unsigned *which)
{
	unsigned start = (unsigned)((uintptr_t)&hg_tls >> 12) * 0x9e3779b9u >> 16;

	for (unsigned i = 0; i < TRIES_MAX; i++) {
		unsigned at = (start + i) % STACKS;
		int unused = 0;
		char *low;

		if (i && i % STACKS == 0)
			sched_yield();
		if (!__atomic_compare_exchange_n(&stacks[at].used, &unused, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		low = stacks[at].low;
		if (!low) {
			low = hg_libc.mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
			if (low == MAP_FAILED) {
				__atomic_store_n(&stacks[at].used, 0, __ATOMIC_RELEASE);
				return NULL;
			}
			mprotect(low, GUARD, PROT_NONE);
			stacks[at].low = low;
		}
		*which = at;
		return low + SIZE;
	}
	return NULL;
}

/* Call work(data) on the stack that ends at `top`. Unwinders find their way by rbp. */
void hg_room_switch(char *top, void (*work)(void *data), void *data)
    __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
	".globl hg_room_switch\n"
	".hidden hg_room_switch\n"
	".type hg_room_switch, @function\n"
	"hg_room_switch:\n"
	".cfi_startproc\n"
	"endbr64\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"mov %rdi, %rsp\n"
	"mov %rdx, %rdi\n"
	"call *%rsi\n"
	"mov %rbp, %rsp\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size hg_room_switch, .-hg_room_switch\n"
	".popsection\n");

__attribute__((noinline)) bool hg_room_elsewhere(void (*work)(void *data), void *data)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), start = hg_tls.stack_start,
		  end = hg_tls.stack_end;
	bool foreign = here < hg_tls.room_low || here >= hg_tls.room_end;
	int saved = errno;
	struct hg_signals signals;
	unsigned which;
	char *top;

	if (hg_tls.outside) {
		work(data);
		return true;
	}
	top = hg_signals_block(&signals) ? take(&which) : NULL;
	if (top) {
		hg_tls.outside = __builtin_frame_address(0);
		/* The bounds that are known to be readable are those of another stack, or of one
		 * that was there. */
		if (foreign)
			hg_tls.stack_start = hg_tls.stack_end = 0;
		errno = saved;
		hg_room_switch(top, work, data);
		saved = errno;
		if (foreign) {
			hg_tls.stack_start = start;
			hg_tls.stack_end = end;
		}
		hg_tls.outside = NULL;
		__atomic_store_n(&stacks[which].used, 0, __ATOMIC_RELEASE);
	}
	hg_signals_restore(&signals);
	errno = saved;
	return top != NULL;
}

void hg_room_reset(void)
{
	for (unsigned i = 0; i < STACKS; i++)
		stacks[i].used = 0;
}
