/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is only looked at by libraries of ranges if a tool is there, so that a wild address does
 * no harm without one: pages are asked for before they are read.
 */
#include "preload/ranges/range.h"

#include <string.h>

#include "preload/stacks/passed_over.h"
#include "preload/stacks/unwind.h"
#include "preload/trace/enter.h"
#include "tracer/events/ev_range.h"
#include "tracer/provider.h"

#define PAGE ((uintptr_t)4096)

enum hg_range_cut hg_text_copy(char to[HG_RANGE_NAME_MOST + 1], const char *from)
{
	size_t done = 0;

	to[0] = 0;
	while (done < HG_RANGE_NAME_MOST) {
		uintptr_t at = (uintptr_t)from + done;
		size_t part = PAGE - at % PAGE, most = HG_RANGE_NAME_MOST - done;
		const char *end;

		if (at < PAGE || !hg_page_readable(at - at % PAGE)) /* NULL is accepted there */
			return HG_RANGE_UNREADABLE;
		part = part < most ? part : most;
		end = memchr((const void *)at, 0, part);
		part = end ? (size_t)(end - (const char *)at) : part;
		memcpy(to + done, (const void *)at, part);
		done += part;
		to[done] = 0;
		if (end)
			return HG_RANGE_WHOLE;
	}
	return HG_RANGE_CUT;
}

void hg_range_record(enum hg_range_source source, enum hg_range_kind kind, uint64_t id,
		     const char *name, const void *caller)
{
	char copy[HG_RANGE_NAME_MOST + 1];
	struct hg_ev_range event = { .source = source, .kind = kind, .id = id, .name = copy };

	if (hg_tls.busy) {
		hg_passed_over(0, caller);
		return;
	}
	if (!hg_enter())
		return;
	copy[0] = 0;
	if (name)
		event.cut = hg_text_copy(copy, name);
	hg_provider->range(&event);
	hg_leave();
}
