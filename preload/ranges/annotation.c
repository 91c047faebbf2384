/* SPDX-License-Identifier: Apache-2.0 */
/* What programs tell by include/hipgrain.h. */
#include <errno.h>
#include <string.h>

#include "include/hipgrain.h"
#include "preload/core/base.h"
#include "preload/core/own_stack.h"
#include "preload/core/peek.h"
#include "preload/core/start.h"
#include "preload/ranges/range.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/ring.h"
#include "tracer/events.h"
#include "tracer/provider.h"
#include "tracer/ring.h"

#define NAME_MOST 255u
#define PAGE      4096u /* the smallest: nothing ends within one */

struct annotation {
	unsigned act;
	const void *ptr, *caller;
	size_t size;
	const char *pool, *name;
};

/* Copies a text that may not be there: up to NAME_MOST bytes of it, as far as it can be read. */
static void copy_text(char *to, const char *from)
{
	size_t done = 0;

	while (from && done < NAME_MOST) {
		uintptr_t at = (uintptr_t)from + done;
		size_t part = PAGE - at % PAGE, got;

		part = part > NAME_MOST - done ? NAME_MOST - done : part;
		got = hg_peek(&(struct hg_piece){ at, part }, 1, to + done);
		if (memchr(to + done, 0, got))
			return;
		done += got;
		if (got < part)
			break;
	}
	to[done] = 0;
}

static void record_memory(const struct annotation *from)
{
	char pool[NAME_MOST + 1], name[NAME_MOST + 1];
	struct hg_ev_annotation event = { .act = (uint8_t)from->act,
					  .ptr = (uintptr_t)from->ptr,
					  .size = from->size,
					  .pool = pool,
					  .name = name };

	if (!hg_enter())
		return;
	copy_text(pool, from->pool);
	copy_text(name, from->name);
	event.stack_id = hg_stack_id(from->caller);
	hg_provider->annotation(&event);
	hg_leave();
}

static void record(void *data)
{
	static const enum hg_range_kind kinds[] = { [HIPGRAIN_RANGE_PUSH] = HG_RANGE_PUSH,
						    [HIPGRAIN_RANGE_POP] = HG_RANGE_POP,
						    [HIPGRAIN_RANGE_START] = HG_RANGE_START,
						    [HIPGRAIN_RANGE_STOP] = HG_RANGE_STOP,
						    [HIPGRAIN_MARK] = HG_RANGE_MARK };
	const struct annotation *from = data;

	if (hg_active != HG_ACTIVE && !hg_start(from->caller))
		return;
	if (!hg_tls.prepared && !hg_thread_prepare(true))
		return;
	if (from->act < HIPGRAIN_RANGE_PUSH)
		record_memory(from);
	else
		hg_range_record(HG_RANGE_HIPGRAIN, kinds[from->act], (uintptr_t)from->ptr,
				from->name);
}

/* HIPGRAIN_ENTRY: programs find it by name. */
hipgrain_entry hipgrain_annotate;

HG_EXPORT void hipgrain_annotate(unsigned act, const void *ptr, size_t size, const char *pool,
				 const char *name)
{
	struct annotation from = { act, ptr, HG_CALLER(), size, pool, name };
	int saved = errno;

	if (!hg_active || hg_tls.busy || act < HIPGRAIN_ALLOC || act > HIPGRAIN_MARK)
		return;
	if (hg_has_room() || hg_active == HG_NEW) {
		record(&from);
	} else {
		hg_room_note_caller(from.caller);
		if (!hg_room_elsewhere(record, &from))
			hg_ring_lost(HG_GROUP_OTHER);
	}
	errno = saved;
}
