/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that are like one before: what need not be determined again. How most are recorded is in
 * hip_batched.c; the ways here serve where there is no page, and where arguments are veiled.
 */
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/hip/record_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_recent.h"
#include "preload/hip/hip_registry.h"
#include "preload/stacks/stack.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"

/* Launches of a kernel from one place are in one of several ways of a set. */
#define SETS 64u
#define WAYS 4u
_Static_assert(SETS *WAYS == HG_LAUNCH_SLOTS, "each is a slot");

struct launches {
	struct hg_hip_recent recent[SETS * WAYS];
	uint32_t turn;
};

static struct launches *launches(void)
{
	struct hg_thread *thread = hg_thread();

	if (!thread)
		return NULL;
	if (HG_UNLIKELY(!thread->launches)) {
		void *memory = hg_libc.mmap(NULL, sizeof(struct launches), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return NULL;
		thread->launches = memory;
	}
	if (HG_UNLIKELY(thread->launches_stale)) { /* of another thread, or of the parent */
		if (hg_libc.madvise(thread->launches, sizeof(struct launches), MADV_DONTNEED))
			memset(thread->launches, 0, sizeof(struct launches));
		thread->launches_stale = false;
	}
	return thread->launches;
}

/* ---- the same kernel again ---- */

struct hg_hip_as_of hg_hip_now_as_of(void)
{
	return (struct hg_hip_as_of){ .epoch = hg_hip_epoch(),
				      .generation =
					  __atomic_load_n(&hg_generation, __ATOMIC_RELAXED),
				      .stack_generation = hg_stack_generation() };
}

static bool is_now(const struct hg_hip_as_of *as_of)
{
	struct hg_hip_as_of now = hg_hip_now_as_of();

	return as_of->epoch == now.epoch && as_of->generation == now.generation &&
	       as_of->stack_generation == now.stack_generation;
}

static struct hg_hip_recent *set_of(struct launches *own, const struct hg_hip_launch *launch)
{
	uint64_t hash = ((uintptr_t)launch->handle ^ (uintptr_t)launch->call.caller << 20) *
			0x9e3779b97f4a7c15u;

	return &own->recent[(hash >> 58) * WAYS];
}

static struct hg_hip_recent *find_in(struct hg_hip_recent *set, const struct hg_hip_launch *launch)
{
	for (unsigned way = 0; way < WAYS; way++)
		if (set[way].handle == launch->handle && set[way].caller == launch->call.caller &&
		    set[way].device == launch->event.device)
			return &set[way];
	return NULL;
}

struct hg_hip_recent *hg_hip_recent_find(const struct hg_hip_launch *launch)
{
	struct launches *own = launch->params ? launches() : NULL;
	struct hg_hip_recent *recent = own ? find_in(set_of(own, launch), launch) : NULL;

	return recent && recent->variant && is_now(&recent->as_of) ? recent : NULL;
}

uint32_t hg_hip_recent_slot(const struct hg_hip_recent *recent)
{
	const struct launches *own = hg_tls.thread->launches;

	return (uint32_t)(recent - own->recent);
}

/* Both are as long as the last arguments; bytes between arguments are zero in either. */
static bool same_arguments(const struct hg_hip_recent *recent, void *const *params)
{
	const struct codeobj_kernel *layout = recent->variant->layout;
	const uint8_t *bytes = (const uint8_t *)recent->args;

	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct codeobj_arg *arg = &layout->args[i];

		if (arg->offset > recent->length || arg->size > recent->length - arg->offset ||
		    memcmp(bytes + arg->offset, params[i], arg->size))
			return false;
	}
	return true;
}

void hg_hip_recent_take(struct hg_hip_launch *launch, const struct hg_hip_recent *recent)
{
	launch->fixes.count = 0;
	launch->name = recent->name;
	launch->settled = true;
	launch->as_of = recent->as_of;
	launch->event.kernel_id = recent->variant->id;
}

bool hg_hip_repeat(struct hg_hip_launch *launch)
{
	const struct hg_hip_recent *recent = hg_hip_recent_find(launch);
	const uint8_t *bytes;

	if (!recent || !recent->args_id || !same_arguments(recent, launch->params) ||
	    !hg_hip_arguments_known(recent->args_id))
		return false;
	hg_hip_recent_take(launch, recent);
	bytes = (const uint8_t *)recent->args;
	launch->event.args_id = recent->args_id;
	hg_hip_memory_note(&launch->subjects, recent->args_id, bytes, recent->length);
	launch->pointers = hg_hip_pointers_note(recent->variant, recent->args_id, bytes,
						recent->length, recent->device);
	return true;
}

bool hg_hip_repeat_other(struct hg_hip_launch *launch)
{
	const struct hg_hip_recent *recent = hg_hip_recent_find(launch);

	if (!recent)
		return false;
	hg_hip_recent_take(launch, recent);
	launch->event.args_id = hg_hip_arguments(launch, recent->variant);
	return true;
}

void hg_hip_repeat_keep(const struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
			uint32_t args_id, const uint8_t *bytes, uint32_t length)
{
	struct launches *own;
	struct hg_hip_recent *set, *recent;

	if (launch->node || !launch->settled || length > sizeof(recent->args) ||
	    !(own = launches()))
		return;
	set = set_of(own, launch);
	recent = find_in(set, launch);
	if (!recent)
		recent = &set[own->turn++ % WAYS];
	recent->number = recent->noted = 0;
	recent->key = 0;
	recent->handle = launch->handle;
	recent->caller = launch->call.caller;
	recent->variant = variant;
	recent->name = launch->name;
	recent->as_of = launch->as_of;
	recent->device = launch->event.device;
	recent->api = launch->event.api;
	recent->args_id = args_id;
	recent->length = length;
	memset(recent->args, 0, (length + 7u) & ~7u);
	memcpy(recent->args, bytes, length);
}
