/* SPDX-License-Identifier: Apache-2.0 */
/* This finds where the program's own frames begin, below those of this library's functions. */
#include "preload/core/base.h"
#include "preload/stacks/past.h"
#include "preload/stacks/unwind.h"

#define FRAME_MOST 4096u /* bytes; more is not believed */

/* This library's code, by names that the linker defines. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own(uintptr_t ip)
{
	return ip - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

bool hg_unwind_is_own(uintptr_t ip)
{
	return is_own(ip);
}

/*
 * Out of our own functions by their frame pointers, which they are compiled to keep: each step
 * is one load, where rules cost a chain of them. Left as it was where that does not hold.
 */
static void leave_own(struct hg_frame *frame)
{
	struct hg_frame at = *frame;

	for (unsigned i = 0; i < HG_PAST_OWN_FRAMES && is_own(at.ip); i++) {
		const uintptr_t *base = (const uintptr_t *)at.bp;

		if (at.bp - at.sp >= FRAME_MOST || at.bp & 7u)
			return;
		at = (struct hg_frame){ base[1], (uintptr_t)(base + 2), base[0] };
	}
	if (!is_own(at.ip))
		*frame = at;
}

void *hg_unwind_out_of_own(const uintptr_t *frame)
{
	struct hg_frame at = { frame[1], (uintptr_t)(frame + 2), frame[0] };

	leave_own(&at);
	return (void *)at.ip;
}

__attribute__((noinline)) bool hg_unwind_start(struct hg_frame *frame)
{
	/* On a stack of ours the program's frames begin where it was left. */
	const uintptr_t *own =
	    HG_UNLIKELY(hg_tls.outside != NULL) ? hg_tls.outside : __builtin_frame_address(0);

	*frame = (struct hg_frame){ own[1], (uintptr_t)(own + 2), own[0] };
	leave_own(frame);
	return !is_own(frame->ip);
}
