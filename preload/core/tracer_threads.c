/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LTTng-UST's threads take of a process's address space. It starts two, with stacks of the
 * default size (8 MiB), and glibc makes an arena of 64 MiB for each thread that allocates: under a
 * limit (RLIMIT_AS) programs had 150 MiB less. Here these threads get small stacks, and their
 * memory comes from our pool. A thread's first allocation (thread-local variables, by the loader)
 * happens before any code of LTTng-UST runs in it, so the threads are recognised when they are
 * started.
 *
 * The variables that LTTng-UST has in each thread of the program come from there as well. They
 * would be a block of the program's heap (5 KiB in 2.16) that our code allocates, and the end of
 * the thread frees.
 *
 * To glibc's callers their blocks look like huge ones: the word before the block is not a chunk's
 * size. With another allocator that word may not be mapped, and there are no such arenas: nothing
 * is changed then.
 */
#include "preload/core/tracer_threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"

/* Beside what glibc itself puts there; LTTng-UST's threads were seen to use 40 KiB. */
#define STACK_SIZE ((size_t)256 << 10)

/* ---- memory ---- */

/* Right before each block; the pool's are aligned to 16 bytes, and begin `offset` bytes before. */
struct header {
	size_t size, offset;
	size_t unused;
	size_t mark;
};
_Static_assert(sizeof(struct header) % 16 == 0, "blocks are aligned to 16 bytes");

bool hg_tracers_heap; /* atomic: there are such blocks */

static struct header *header_of(const void *ptr)
{
	return (struct header *)(uintptr_t)ptr - 1;
}

void *hg_tracers_alloc(size_t alignment, size_t size)
{
	size_t total;
	char *memory;
	uintptr_t at;

	if (alignment < 16)
		alignment = 16;
	memory = __builtin_add_overflow(size, sizeof(struct header) + alignment - 16, &total)
		     ? NULL
		     : hg_pool_alloc(total);
	if (!memory) {
		errno = ENOMEM;
		return NULL;
	}
	at = ((uintptr_t)memory + sizeof(struct header) + alignment - 1) & -alignment;
	*header_of((void *)at) = (struct header){ .size = size,
						  .offset = at - (uintptr_t)memory,
						  .mark = HG_TRACERS_MARK };
	return (void *)at;
}

size_t hg_tracers_size(const void *ptr)
{
	return header_of(ptr)->size;
}

/*
 * A block of the program's heap that a thread of LTTng-UST frees: doing so there would make an
 * arena. The next thread that gets here frees it.
 */
struct hg_tracers_left {
	struct hg_tracers_left *next;
};

struct hg_tracers_left *hg_tracers_all_left;

static void leave_to_others(void *ptr)
{
	struct hg_tracers_left *left = ptr;

	left->next = __atomic_load_n(&hg_tracers_all_left, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&hg_tracers_all_left, &left->next, left, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

__attribute__((noinline)) void hg_tracers_give_back(void)
{
	struct hg_tracers_left *left =
	    __atomic_exchange_n(&hg_tracers_all_left, NULL, __ATOMIC_ACQUIRE);
	int saved = errno;

	while (left) {
		struct hg_tracers_left *next = left->next;

		hg_libc.free(left);
		left = next;
	}
	errno = saved;
}

void hg_tracers_take(void *ptr)
{
	int saved = errno;

	if (hg_tracers_own(ptr)) {
		header_of(ptr)->mark = 0;
		hg_pool_free((char *)ptr - header_of(ptr)->offset);
	} else if (ptr) {
		leave_to_others(ptr);
	}
	errno = saved;
}

bool hg_tracers_realloc(void *old, size_t size, void **ptr)
{
	bool own = hg_tracers_own(old);
	size_t had;

	if (!own && !hg_tls.tracer)
		return false;
	*ptr = hg_tls.tracer ? hg_tracers_alloc(16, size) : hg_libc.malloc(size);
	if (!*ptr || !old)
		return true;
	had = own ? hg_tracers_size(old) : hg_libc.malloc_usable_size(old);
	memcpy(*ptr, old, had < size ? had : size);
	hg_tracers_free(old);
	return true;
}

/* ---- which they are ---- */

bool hg_is_tracers_thread(void)
{
	static const char suffix[] = "-ust"; /* lttng-ust 2.13, src/common/procname.h */
	char name[16] = "";
	size_t length;

	hg_tls.looked++;
	if (hg_syscall(SYS_prctl, PR_GET_NAME, name))
		return false;
	length = strnlen(name, sizeof(name));
	if (length < sizeof(suffix) - 1 ||
	    memcmp(name + length - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1))
		return false;
	hg_tls.busy = 1;
	return true;
}
