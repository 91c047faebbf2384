/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what programs tell by include/hipgrain.h, Kokkos by libhipgrain-kokkos.so, and the pools
 * of libraries by functions of theirs (library_pools.c).
 */
#include <errno.h>

#include "include/hipgrain.h"
#include "preload/core/base.h"
#include "preload/core/own_stack.h"
#include "preload/core/start.h"
#include "preload/ranges/annotation.h"
#include "preload/ranges/range.h"
#include "preload/stacks/passed_over.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/own_ring.h"
#include "tracer/events.h"
#include "tracer/events/ev_annotation.h"
#include "tracer/provider.h"
#include "tracer/ring.h"

static void record_memory(const struct hg_annotation *from)
{
	char pool[HG_RANGE_NAME_MOST + 1], name[HG_RANGE_NAME_MOST + 1];
	struct hg_ev_annotation event = { .act = (uint8_t)from->act,
					  .ptr = (uintptr_t)from->ptr,
					  .size = from->size,
					  .pool = pool,
					  .name = name,
					  .source = (uint8_t)from->source };

	if (!hg_enter())
		return;
	hg_text_copy(pool, from->pool);
	hg_text_copy(name, from->name);
	if (from->source != HG_RANGE_KOKKOS)
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
	const struct hg_annotation *from = data;

	if (hg_active != HG_ACTIVE && !hg_start(from->caller))
		return;
	if (!hg_tls.prepared && !hg_thread_prepare(true)) {
		hg_give_up(HG_GROUP_OTHER);
		return;
	}
	if (from->act >= sizeof(kinds) / sizeof(*kinds) || !kinds[from->act])
		record_memory(from);
	else
		hg_range_record(from->source, kinds[from->act], (uintptr_t)from->ptr, from->name,
				from->caller);
}

void hg_annotate(const struct hg_annotation *from)
{
	int saved = errno;

	if (!hg_active || from->act < HIPGRAIN_ALLOC || from->act > HIPGRAIN_SEEN)
		return;
	if (hg_tls.busy) {
		/* In a handler that has interrupted our code: that makes none. */
		hg_give_up(HG_GROUP_OTHER);
	} else if (hg_has_room() || hg_active == HG_NEW) {
		record((void *)from);
	} else {
		hg_room_note_caller(from->caller);
		if (!hg_room_elsewhere(record, (void *)from))
			hg_ring_lost(HG_GROUP_OTHER);
	}
	errno = saved;
}

/* HIPGRAIN_ENTRY: programs find it by name. */
hipgrain_entry hipgrain_annotate;

HG_EXPORT void hipgrain_annotate(unsigned act, const void *ptr, size_t size, const char *pool,
				 const char *name)
{
	struct hg_annotation from = { HG_RANGE_HIPGRAIN, act, ptr, HG_CALLER(), size, pool, name };

	hg_annotate(&from);
}

/* Called by libhipgrain-kokkos.so; `pool` is the memory space of a View that is named. */
hipgrain_entry hipgrain_kokkos;

HG_EXPORT void hipgrain_kokkos(unsigned act, const void *ptr, size_t size, const char *pool,
			       const char *name)
{
	struct hg_annotation from = { HG_RANGE_KOKKOS, act, ptr, HG_CALLER(), size, pool, name };

	hg_annotate(&from);
}
