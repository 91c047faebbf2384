/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocTX: the library that the caller would have reached is called, if there is one. Programs that
 * call it weakly reach these functions without a library, too, and get what it would return.
 */
#include <stddef.h>

#include "preload/hip/hip_dispatch.h"
#include "preload/hip/hip_wrap.h"
#include "preload/ranges/range.h"
#include "preload/stacks/passed_over.h"

/* The thread's pushed ranges, where there is no library. */
static __thread int level __attribute__((tls_model("initial-exec")));
static uint64_t last_id; /* atomic */

/*
 * The frame of the call of a library that is in progress, or NULL. The library's function may call
 * another one, which is no call of the program's, unless a signal's handler makes it.
 */
static __thread const char *outermost __attribute__((tls_model("initial-exec")));

/* Returns what leave() is to be given. */
static const char *enter(const char *frame)
{
	const char *before = outermost;

	if (!before)
		outermost = frame;
	return before;
}

static void leave(const char *before, enum hg_range_kind kind, uint64_t id, const char *name,
		  const void *caller)
{
	outermost = before;
	if (!before || hg_interrupts_call(before))
		hg_range_record(HG_RANGE_ROCTX, kind, id, name, caller);
}

#define ROCTX_HEAD(type, name, params)                                                        \
	HG_FUNCTION_AS_(name, HG_OF_ROCTX, type, name, params)                                \
	{                                                                                     \
		type(*real) params = (type(*) params)hg_plain_real(&row_##name, HG_CALLER()); \
		bool absent = (void *)real == (void *)hg_no_roctx;                            \
		const char *before = enter(__builtin_frame_address(0));

#define ROCTX(type, name, params, args, kind, id, text, without) \
	ROCTX_HEAD(type, name, params)                           \
	type rc;                                                 \
	rc = absent ? (type)(without) : real args;               \
	leave(before, HG_RANGE_##kind, id, text, HG_CALLER());   \
	return rc;                                               \
	}

#define ROCTX_VOID(name, params, args, kind, id, text)         \
	ROCTX_HEAD(void, name, params)                         \
	if (!absent)                                           \
		real args;                                     \
	leave(before, HG_RANGE_##kind, id, text, HG_CALLER()); \
	}

#include "preload/ranges/roctx.def"
