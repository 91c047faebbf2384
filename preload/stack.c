/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks by libunwind's cached local unwinder, or glibc's backtrace() where that is absent.
 *
 * libunwind.so also exports backtrace() and _Unwind_*: linked, or opened globally, it would
 * replace the program's C++ unwinder; so it is opened for ourselves alone.
 */
#include <dlfcn.h>
#include <string.h>

#include "preload.h"

/* Frames of our own that an unwinder may find before the application's. */
#define OWN_FRAMES 16u

static int (*unwind)(void **frames, int size);
static struct hg_intern stacks;

int hg_stack_init(void)
{
	void *frames[4];
	void *library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

	if (library)
		unwind = (int (*)(void **, int))hg_libc.dlsym(library, "unw_backtrace");
	if (!unwind) {
		hg_say("libunwind.so.8 is not installed: call stacks are recorded more slowly");
		unwind = (int (*)(void **, int))hg_libc.dlsym(RTLD_NEXT, "backtrace");
	}
	if (unwind)
		unwind(frames, HG_COUNT(frames)); /* glibc's loads libgcc_s at its first call */
	return hg_intern_init(&stacks);
}

void hg_stack_reset(void)
{
	hg_intern_reset(&stacks);
}

uint32_t hg_stack_id(const void *caller)
{
	void *frames[HG_STACK_DEPTH_MAX + OWN_FRAMES];
	struct hg_ev_stack event;
	uint32_t id;
	unsigned first = 0, count = 0;
	bool fresh;

	/* Unwinders call dl_iterate_phdr(), and hold locks of their own while they do. */
	if (unwind && !hg_tls.in_phdr) {
		int found = unwind(frames, (int)(hg_config.stack_depth + OWN_FRAMES));

		count = found > 0 ? (unsigned)found : 0;
	}
	while (first < count && frames[first] != caller)
		first++;
	if (first == count) { /* not unwindable up to the application: its caller alone is sure */
		frames[0] = (void *)caller;
		first = 0;
		count = 1;
	}
	count -= first;
	if (count > hg_config.stack_depth)
		count = hg_config.stack_depth;
	id = hg_intern_id(&stacks, hg_hash(0, frames + first, count * sizeof(frames[0])), &fresh);
	if (fresh) {
		if (!hg_tls.in_phdr)
			hg_modules_poll();
		event.stack_id = id;
		event.frames = (const uint64_t *)(frames + first);
		event.depth = count;
		hg_provider->stack(&event);
		hg_intern_defined(&stacks, id);
	}
	return id;
}
