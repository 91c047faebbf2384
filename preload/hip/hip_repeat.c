/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are like one before: what need not be determined again, nor recorded in full. */
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/hip/hip_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_registry.h"
#include "preload/stacks/stack.h"
#include "preload/trace/batch.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/provider.h"

#define LAUNCHES 255u /* of a thread that relaunch can mean: ids from 1 */
#define REPEATS  64u  /* after so many the launch is there in full, in case its first is not */

struct known_launch {
	uint64_t hash;
	uint32_t repeats;
};

/*
 * The last launch of a kernel: while nothing changes on which it depends, the next one needs no
 * look-up in the tables, and with the same arguments no hash of them.
 */
#define RECENT      16u /* kernels of a thread, by the handle's hash */
#define RECENT_ARGS 256u

struct recent {
	const void *handle;
	struct hg_hip_kernel_variant *variant;
	const char *name;
	struct hg_hip_as_of as_of;
	int32_t device;
	uint32_t args_id, length;
	uint8_t bytes[RECENT_ARGS];
};

struct launches {
	struct known_launch known[LAUNCHES];
	struct recent recent[RECENT];
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
		memset(thread->launches, 0, sizeof(struct launches));
		thread->launches_stale = false;
	}
	return thread->launches;
}

/* Word by word: what lies between the members must not count. */
static uint64_t launch_hash(const struct hg_ev_launch *event)
{
	uint64_t hash = hg_mix(hg_stack_generation(), event->api);

	hash = hg_mix(hash, (uint64_t)event->kernel_id << 32 | event->args_id);
	hash = hg_mix(hash, (uint64_t)event->grid_x << 32 | event->grid_y);
	hash = hg_mix(hash, (uint64_t)event->grid_z << 32 | event->block_x);
	hash = hg_mix(hash, (uint64_t)event->block_y << 32 | event->block_z);
	hash = hg_mix(hash, (uint64_t)event->shared << 32 | (uint32_t)event->device);
	hash = hg_mix(hash, event->stream);
	return hg_mix(hash, event->stack_id) | 1;
}

void hg_hip_launch_emit(struct hg_ev_launch *event)
{
	struct launches *own = launches();
	struct known_launch *known = own ? own->known : NULL;
	uint64_t hash = launch_hash(event);
	unsigned at = (unsigned)((hash >> 32) % LAUNCHES);

	event->launch_id = known ? (uint8_t)(at + 1) : 0;
	if (known && known[at].hash == hash && ++known[at].repeats % REPEATS) {
		struct hg_ev_relaunch again = { .launch_id = event->launch_id };
		uint64_t words[] = { (uint64_t)HG_RECORD_RELAUNCH << 56 | again.launch_id, 0 };

		if (!hg_batch_add(words, HG_COUNT(words), 0))
			hg_provider->relaunch(&again);
		return;
	}
	if (HG_UNLIKELY(__atomic_load_n(&hg_batches_open, __ATOMIC_RELAXED)))
		hg_batches_poll(); /* hg_batch_add() does it itself */
	hg_provider->launch(event);
	if (known)
		known[at] = (struct known_launch){ .hash = hash };
}

/* ---- the same kernel again ---- */

static struct recent *recent_of(struct launches *own, const void *handle)
{
	return &own->recent[(uintptr_t)handle * 0x9e3779b97f4a7c15u >> 60];
}

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

static struct recent *find_recent(const struct hg_hip_launch *launch)
{
	struct launches *own = launches();
	struct recent *recent = own ? recent_of(own, launch->handle) : NULL;

	return recent && recent->handle == launch->handle && recent->variant && launch->params &&
		       recent->device == launch->event.device && is_now(&recent->as_of)
		   ? recent
		   : NULL;
}

/* Both are as long as the last arguments; bytes between arguments are zero in either. */
static bool same_arguments(const struct recent *recent, void *const *params)
{
	const struct codeobj_kernel *layout = recent->variant->layout;

	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct codeobj_arg *arg = &layout->args[i];

		if (arg->offset > recent->length || arg->size > recent->length - arg->offset ||
		    memcmp(recent->bytes + arg->offset, params[i], arg->size))
			return false;
	}
	return true;
}

static void take(struct hg_hip_launch *launch, const struct recent *recent)
{
	launch->fixes.count = 0;
	launch->name = recent->name;
	launch->settled = true;
	launch->as_of = recent->as_of;
	launch->event.kernel_id = recent->variant->id;
}

bool hg_hip_repeat(struct hg_hip_launch *launch)
{
	const struct recent *recent = find_recent(launch);

	if (!recent || !same_arguments(recent, launch->params) ||
	    !hg_hip_arguments_known(recent->args_id))
		return false;
	take(launch, recent);
	launch->event.args_id = recent->args_id;
	hg_hip_memory_note(&launch->subjects, recent->args_id, recent->bytes, recent->length);
	launch->pointers = hg_hip_pointers_note(recent->variant, recent->args_id, recent->bytes,
						recent->length, recent->device);
	return true;
}

bool hg_hip_repeat_other(struct hg_hip_launch *launch)
{
	const struct recent *recent = find_recent(launch);

	if (!recent)
		return false;
	take(launch, recent);
	launch->event.args_id = hg_hip_arguments(launch, recent->variant);
	return true;
}

void hg_hip_repeat_keep(const struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
			uint32_t args_id, const uint8_t *bytes, uint32_t length)
{
	struct launches *own;
	struct recent *recent;

	if (launch->node || !launch->settled || length > RECENT_ARGS || !(own = launches()))
		return;
	recent = recent_of(own, launch->handle);
	recent->handle = launch->handle;
	recent->variant = variant;
	recent->name = launch->name;
	recent->as_of = launch->as_of;
	recent->device = launch->event.device;
	recent->args_id = args_id;
	recent->length = length;
	memcpy(recent->bytes, bytes, length);
}
