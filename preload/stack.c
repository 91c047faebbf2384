/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks: by cached rules (unwind.c), and for stacks with code that these do not cover
 * (compiled at run time, or without call-frame information) by libunwind's local unwinder, or
 * glibc's backtrace() where that is absent.
 *
 * libunwind.so also exports backtrace() and _Unwind_*: linked, or opened globally, it would
 * replace the program's C++ unwinder; so it is opened for ourselves alone.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

/* Frames of our own that an unwinder may find before the application's. */
#define OWN_FRAMES 16u

static int (*unwind)(void **frames, int size);
static struct hg_intern stacks;

/* Where libunwind keeps its variables of threads, as code that is compiled to use them says it. */
struct tls_index {
	size_t module, offset;
};
extern void *__tls_get_addr(struct tls_index *index);
static struct tls_index unwinders; /* module 0: there are none */

/* Changes when a library was unloaded: the same addresses may then be other code. */
static uint64_t epoch; /* atomic */

/* Changes with it, and when ids are to be defined anew. */
static uint32_t generation; /* atomic */

int hg_stack_init(void)
{
	int rc;
	void *library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

	if (library)
		unwind = (int (*)(void **, int))hg_libc.dlsym(library, "unw_backtrace");
	if (library && dlinfo(library, RTLD_DI_TLS_MODID, &unwinders.module))
		unwinders.module = 0;
	if (!unwind) {
		void *frames[4];

		hg_say("libunwind.so.8 is not installed: call stacks are recorded more slowly");
		unwind = (int (*)(void **, int))hg_libc.dlsym(RTLD_NEXT, "backtrace");
		if (unwind)
			unwind(frames, HG_COUNT(frames)); /* loads libgcc_s at its first call */
	}
	rc = hg_unwind_init();
	if (!rc)
		rc = hg_threads_init();
	return rc ? rc : hg_intern_init(&stacks);
}

/* What is remembered of before a recording names stacks by their ids: these then stay. */
void hg_stack_reset(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
	if (hg_config.standby)
		hg_intern_forget(&stacks);
	else
		hg_intern_reset(&stacks);
}

/* ---- frames for a recording that begins later ---- */

#define KEPT_WORDS (1u << 25) /* 256 MiB of addresses; costs what is used of it */

static uint64_t *kept; /* at an index: depth, then that many frames */
static uint32_t kept_used = 1;

static void keep(uint32_t id, const uint64_t *frames, unsigned count)
{
	_Atomic uint32_t *at = hg_intern_kept(&stacks, id);
	uint32_t index, none = 0;

	if (!kept || !at || atomic_load_explicit(at, memory_order_acquire))
		return;
	index = __atomic_fetch_add(&kept_used, count + 1, __ATOMIC_RELAXED);
	if (index > KEPT_WORDS - HG_STACK_DEPTH_MAX - 1) {
		__atomic_fetch_sub(&kept_used, count + 1, __ATOMIC_RELAXED);
		return;
	}
	kept[index] = count;
	memcpy(&kept[index + 1], frames, count * sizeof(*frames));
	atomic_compare_exchange_strong(at, &none, index);
}

int hg_stack_keep(void)
{
	void *space = hg_libc.mmap(NULL, KEPT_WORDS * sizeof(*kept), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (space == MAP_FAILED)
		return -ENOMEM;
	kept = space;
	return 0;
}

void hg_stack_define(uint32_t id)
{
	_Atomic uint32_t *at = hg_intern_kept(&stacks, id);
	uint32_t index = at ? atomic_load_explicit(at, memory_order_acquire) : 0;
	struct hg_ev_stack event = { .stack_id = id };

	if (!index || hg_intern_is_defined(&stacks, id))
		return;
	event.depth = (uint32_t)kept[index];
	event.frames = &kept[index + 1];
	hg_provider->stack(&event);
	hg_intern_defined(&stacks, id);
}

void hg_stack_forget(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
	hg_intern_forget(&stacks);
}

uint32_t hg_stack_generation(void)
{
	return __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

void hg_stack_unloaded(void)
{
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
	hg_unwind_flush();
}

/* Of a signal, as far as can be told. */
static bool in_handler(void)
{
	uint64_t frames[HG_STACK_DEPTH_MAX], hash = 0;
	struct hg_frame start;

	hg_unwind_start(&start);
	hg_unwind_from(&start, (void *)start.ip, frames, HG_STACK_DEPTH_MAX, &hash, NULL);
	return hg_tls.interrupted;
}

bool hg_thread_prepare(bool anywhere)
{
	sigset_t blocked, before;
	int saved = errno;

	if (hg_tls.busy || hg_active != HG_ACTIVE || !*hg_provider->recording)
		return true;
	hg_tls.busy++;
	if (anywhere && in_handler()) {
		hg_wait_give_up();
		hg_tls.busy--;
		errno = saved;
		return false;
	}
	sigfillset(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (hg_provider->init_thread)
		hg_provider->init_thread();
	if (unwinders.module)
		__tls_get_addr(&unwinders);
	hg_tls.prepared = true;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	hg_tls.busy--;
	errno = saved;
	return true;
}

/* The slow way; at least the caller, which alone is sure. */
static __attribute__((noinline)) unsigned unwind_slowly(const void *caller, uint64_t *out,
							uint64_t *hash)
{
	void *frames[HG_STACK_DEPTH_MAX + OWN_FRAMES];
	unsigned first = 0, count = 0;

	/* Unwinders call dl_iterate_phdr(), and hold locks of their own while they do. */
	if (unwind && !hg_tls.in_phdr && !hg_tls.interrupted) {
		int found = unwind(frames, (int)(hg_config.stack_depth + OWN_FRAMES));

		count = found > 0 ? (unsigned)found : 0;
	}
	while (first < count && frames[first] != caller)
		first++;
	if (first == count) {
		frames[0] = (void *)caller;
		first = 0;
		count = 1;
	}
	count -= first;
	if (count > hg_config.stack_depth)
		count = hg_config.stack_depth;
	for (unsigned i = 0; i < count; i++) {
		out[i] = (uintptr_t)frames[first + i];
		*hash = hg_mix(*hash, out[i]);
	}
	return count;
}

/* Its id, defined if that is new. */
static uint32_t define(const uint64_t *frames, unsigned count, uint64_t hash)
{
	bool fresh;
	uint32_t id = hg_intern_id(&stacks, hg_mix(hash, count), &fresh);

	if (HG_UNLIKELY(fresh)) {
		struct hg_ev_stack event = { .stack_id = id, .frames = frames, .depth = count };

		if (hg_config.standby)
			keep(id, frames, count);
		if (!*hg_provider->recording)
			return id;
		if (!hg_tls.in_phdr)
			hg_modules_poll();
		hg_provider->stack(&event);
		hg_intern_defined(&stacks, id);
	}
	return id;
}

static __attribute__((noinline)) uint32_t walk(const struct hg_frame *start, const void *caller,
					       struct hg_trail *trail, uint32_t generation_before)
{
	uint64_t frames[HG_STACK_DEPTH_MAX];
	uint64_t seed = __atomic_load_n(&epoch, __ATOMIC_RELAXED), hash = seed;
	unsigned count = hg_unwind_from(start, caller, frames, hg_config.stack_depth, &hash, trail);
	bool walked = count;
	uint32_t id;

	if (HG_UNLIKELY(!walked)) {
		hash = seed;
		count = unwind_slowly(caller, frames, &hash);
	}
	id = define(frames, count, hash);
	if (trail && walked)
		hg_trail_keep(trail, start, caller, generation_before, id);
	return id;
}

uint32_t hg_stack_id(const void *caller)
{
	uint32_t before = __atomic_load_n(&generation, __ATOMIC_RELAXED), id = 0;
	struct hg_trail *trail = NULL;
	struct hg_frame start;

	hg_tls.walked = false;
	if (!hg_config.stack_depth)
		return 0;
	if (HG_LIKELY(hg_unwind_start(&start)))
		trail = hg_trail_find(&start, caller, before, &id);
	hg_tls.walked = !id;
	return HG_LIKELY(id != 0) ? id : walk(&start, caller, trail, before);
}
