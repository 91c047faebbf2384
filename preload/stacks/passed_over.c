/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that the program makes in signals' handlers where nothing can be recorded, and those of a
 * process that is not recorded any more: they are counted by what they would have recorded.
 */
#include "preload/stacks/passed_over.h"

#include <errno.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/own_stack.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/count_missed.h"
#include "preload/trace/own_ring.h"
#include "tracer/events.h"

/* The group of the record that a call of a class makes; HG_GROUPS: it makes one only if it fails.
 */
static const uint8_t groups[] = {
	[HG_CLASS_ALLOC] = HG_GROUP_ALLOC,    [HG_CLASS_FREE] = HG_GROUP_FREE,
	[HG_CLASS_COPY] = HG_GROUP_COPY,      [HG_CLASS_FILL] = HG_GROUP_OTHER,
	[HG_CLASS_PREFETCH] = HG_GROUP_OTHER, [HG_CLASS_ADVISE] = HG_GROUP_OTHER,
	[HG_CLASS_LAUNCH] = HG_GROUP_LAUNCH,  [HG_CLASS_STREAM] = HG_GROUP_OTHER,
	[HG_CLASS_EVENT] = HG_GROUP_OTHER,    [HG_CLASS_SYNC] = HG_GROUP_OTHER,
	[HG_CLASS_MODULE] = HG_GROUP_OTHER,   [HG_CLASS_DEVICE] = HG_GROUPS,
	[HG_CLASS_CALL] = HG_GROUP_OTHER,     [HG_CLASS_GRAPH] = HG_GROUP_OTHER,
};

static enum hg_group group_of(uint16_t api)
{
	switch (api) {
#define HG_API(id, name, class, ...) \
	case id:                     \
		return groups[HG_CLASS_##class];
#include "tracer/api.def"
#undef HG_API
	default:
		return HG_GROUP_OTHER;
	}
}

void hg_give_up(enum hg_group group)
{
	static pid_t reported; /* atomic */
	pid_t process = getpid();

	if (!hg_ring_given_up(group) &&
	    __atomic_exchange_n(&reported, process, __ATOMIC_RELAXED) != process)
		hg_missed_add(HG_MISSED_HANDLER, program_invocation_short_name, process);
}

static enum hg_unrecorded unrecorded(enum hg_group group)
{
	return group == HG_GROUP_ALLOC  ? HG_UNRECORDED_ALLOC
	       : group == HG_GROUP_FREE ? HG_UNRECORDED_FREE
					: HG_UNRECORDED_CALL;
}

struct question {
	const char *frame;
	bool in_handler;
};

static void look(void *data)
{
	struct question *question = data;

	question->in_handler = hg_stack_in_handler_since(question->frame);
}

bool hg_interrupts_call(const char *frame)
{
	struct question question = { .frame = frame };
	bool busy = hg_tls.busy;
	int saved = errno;

	if (!busy)
		hg_keep_async();
	hg_tls.busy++;
	if (hg_has_room())
		look(&question);
	else
		hg_room_elsewhere(look, &question);
	hg_tls.busy--;
	if (!busy)
		hg_release_async();
	errno = saved;
	return question.in_handler;
}

void hg_passed_over(uint16_t api, const void *caller)
{
	enum hg_group group;

	if (hg_modules_is_tool(caller))
		return;
	group = group_of(api);
	if (group == HG_GROUPS)
		return;
	if (hg_tls.busy || (hg_tls.hip && hg_interrupts_call(hg_tls.hip_frame)))
		hg_give_up(group);
	else if (HG_UNLIKELY(hg_confined) && !hg_tls.hip)
		hg_ring_confined_call(unrecorded(group));
}
