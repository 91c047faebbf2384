/* SPDX-License-Identifier: Apache-2.0 */
/* This makes the events of host allocations that are moved to the bounds of migration blocks. */
#include "preload/host/alignment.h"

#include <errno.h>

#include "preload/core/base.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "tracer/events.h"
#include "tracer/events/ev_fix.h"
#include "tracer/provider.h"

void hg_fix_record_aligned(const void *ptr, size_t size, const void *caller)
{
	struct hg_ev_fix event = {
		.fix = HG_FIX_ALIGN,
		.outcome = HG_FIX_DONE,
		.ptr = (uintptr_t)ptr,
		.size = size,
		.given = hg_fix_round(size),
		.device = -1,
		.stack_id = hg_stack_id(caller),
	};

	hg_provider->fix(&event);
}

void hg_fix_aligned(void *ptr, size_t size, size_t least, const void *caller)
{
	int saved = errno;

	if (ptr && size >= least && !((uintptr_t)ptr % HG_FIX_BLOCK) && hg_active == HG_ACTIVE &&
	    !hg_tls.hip && !hg_modules_is_tool(caller) && hg_enter()) {
		hg_fix_record_aligned(ptr, size, caller);
		hg_leave();
	}
	errno = saved;
}
