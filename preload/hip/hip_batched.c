/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches as records of batches (tracer/batch_events.h): of a kernel that this thread has launched
 * from the same place before, what is other than it was then.
 *
 * A record tells what differs from one in the same batch, and the first of a slot in a batch is
 * whole; so a batch that is lost takes no other's launches with it, and what a killed process
 * leaves in its file can be read as far as it goes. A batch that another thread writes out, a
 * fork() or a new recording begins another one, with another number.
 */
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/hip/hip_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_recent.h"
#include "preload/hip/hip_registry.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/batch.h"
#include "preload/trace/open_calls.h"
#include "preload/trace/process.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"

/* The arguments' bytes where the metadata says; what lies between them is zero. In words. */
static uint32_t gather(const struct hg_hip_recent *recent, void *const *params, uint64_t *args)
{
	const struct codeobj_kernel *layout = recent->variant->layout;
	uint32_t words = (recent->length + 7u) / 8u;
	uint8_t *bytes = (uint8_t *)args;

	for (uint32_t i = 0; i < words; i++)
		args[i] = 0;
	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct codeobj_arg *arg = &layout->args[i];
		uint32_t offset = arg->offset, size = arg->size;

		if (HG_UNLIKELY(offset > recent->length || size > recent->length - offset))
			continue; /* as in hip_launch.c: it has no place there */
		if (HG_LIKELY(size == 8))
			memcpy(bytes + offset, params[i], 8);
		else if (HG_LIKELY(size == 4))
			memcpy(bytes + offset, params[i], 4);
		else
			memcpy(bytes + offset, params[i], size);
	}
	return words;
}

/* How an argument that is another than before may matter. */
enum { CHANGED = 1, IN_MEMORY = 2, ELSEWHERE = 4 };

/*
 * ELSEWHERE: it may be an address in what was loaded since. Below 4 GiB there is nothing but the
 * program itself, and its heap.
 */
static unsigned compare(const uint64_t *args, const uint64_t *before, uint32_t words)
{
	uint64_t low, span = hg_hip_memory_span(&low);
	unsigned found = 0;

	for (uint32_t i = 0; i < words; i++) {
		if (args[i] == before[i])
			continue;
		found |= CHANGED;
		if (args[i] - low < span)
			found |= IN_MEMORY;
		else if (args[i] >> 32 && !(args[i] >> 47))
			found |= ELSEWHERE;
	}
	return found;
}

static uint64_t key_of(const struct hg_hip_recent *recent, const uint64_t *args)
{
	uint64_t key = hg_hash(recent->variant->id, args, recent->length);

	/* Apart from the ids that others have in its place. */
	return key | UINT64_C(1) << 63;
}

/* What is to be queried and read ahead of the launch. */
static void note(struct hg_hip_launch *launch, struct hg_hip_recent *recent, const uint64_t *args,
		 unsigned changed)
{
	uint32_t change = hg_hip_memory_change();
	const uint8_t *bytes = (const uint8_t *)args;

	launch->subjects.count = 0;
	if (hg_config.memory_queries && (recent->noted != change || changed & IN_MEMORY))
		recent->noted =
		    hg_hip_memory_gather(&launch->subjects, bytes, recent->length) ? change : 0;
	launch->pointers = false;
	if (HG_LIKELY(!hg_hip_pointers_sought(recent->variant)))
		return;
	if (changed || !recent->key)
		recent->key = key_of(recent, args);
	launch->pointers = hg_hip_pointers_note(recent->variant, recent->key, bytes, recent->length,
						recent->device);
}

static void set_state(uint64_t *state, const struct hg_ev_launch *event)
{
	state[HG_LAUNCH_WHERE] = (uint64_t)event->stack_id << 32 | (uint32_t)event->device;
	state[HG_LAUNCH_GRID] = (uint64_t)event->grid_y << 32 | event->grid_x;
	state[HG_LAUNCH_SHAPE] = (uint64_t)event->block_x << 32 | event->grid_z;
	state[HG_LAUNCH_BLOCK] = (uint64_t)event->block_z << 32 | event->block_y;
	state[HG_LAUNCH_SHARED] = event->shared;
	state[HG_LAUNCH_STREAM] = event->stream;
}

/* Store what differs from the record before; how many words. Makes `before` the same. */
static inline uint32_t add_changed(uint64_t *out, uint32_t used, uint32_t bit,
				   const uint64_t *words, uint64_t *before, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, bit++) {
		if (words[i] == before[i])
			continue;
		if (bit < HG_LAUNCH_LOW_BITS)
			out[0] |= UINT64_C(1) << bit;
		else
			out[1] |= UINT64_C(1) << (32 + bit - HG_LAUNCH_LOW_BITS);
		before[i] = out[used++] = words[i];
	}
	return used;
}

static uint64_t first_word(enum hg_record kind, const struct hg_hip_recent *recent)
{
	return (uint64_t)kind << 56 | (uint64_t)hg_hip_recent_slot(recent) << 40;
}

/* false: not now. */
static bool add(const struct hg_hip_launch *launch, struct hg_hip_recent *recent,
		const uint64_t *args, uint32_t count)
{
	const struct hg_ev_launch *event = &launch->event;
	uint32_t used = HG_LAUNCH_HEAD, number = recent->number;
	uint64_t state[HG_LAUNCH_STATE];
	struct hg_batch_room room;
	uint64_t *out;

	set_state(state, event);
	if (!hg_batch_take(&room, HG_LAUNCH_HEAD + HG_LAUNCH_STATE + count, 0))
		return false;
	/* Who jumps out of a handler that interrupts this leaves a launch that nothing builds on.
	 */
	__atomic_store_n(&recent->number, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	out = room.words;
	out[1] = room.since;
	hg_tls.open_call->start = room.when;
	if (HG_LIKELY(number == room.number && recent->api == event->api)) {
		out[0] = first_word(HG_RECORD_LAUNCH_CHANGED, recent);
		used = add_changed(out, used, 0, state, recent->state, HG_LAUNCH_STATE);
		used = add_changed(out, used, HG_LAUNCH_STATE, args, recent->args, count);
	} else {
		out[0] = first_word(HG_RECORD_LAUNCH, recent) | recent->length << 16 | event->api;
		out[1] |= (uint64_t)event->kernel_id << 32;
		for (uint32_t i = 0; i < HG_LAUNCH_STATE; i++)
			recent->state[i] = out[used++] = state[i];
		for (uint32_t i = 0; i < count; i++)
			recent->args[i] = out[used++] = args[i];
		recent->api = event->api;
	}
	out[0] |= (uint64_t)used << 48;
	hg_batch_put(&room, used);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&recent->number, room.number, __ATOMIC_RELAXED);
	return true;
}

bool hg_hip_launch_batched(struct hg_hip_launch *launch)
{
	struct hg_hip_recent *recent;
	uint64_t args[HG_RECENT_ARGS];
	unsigned changed;
	uint32_t count;

	if (hg_config.kernel_arguments != HG_ARGUMENTS_FULL ||
	    !(recent = hg_hip_recent_find(launch)))
		return false;
	count = gather(recent, launch->params, args);
	changed = compare(args, recent->args, count);
	if (changed & ELSEWHERE)
		hg_modules_poll();
	if (changed)
		hg_regions_record();
	hg_hip_recent_take(launch, recent);
	note(launch, recent, args, changed);
	hg_hip_memory_ask(&launch->subjects);
	if (HG_UNLIKELY(launch->pointers))
		hg_hip_pointers_read(recent->key, recent->device);
	launch->event.stack_id = hg_hip_stack_id(&launch->call);
	if (changed)
		recent->args_id = 0;
	if (HG_UNLIKELY(!add(launch, recent, args, count))) {
		launch->event.args_id = hg_hip_arguments_id(recent->variant, (const uint8_t *)args,
							    recent->length, HG_ARGS_COMPLETE);
		hg_hip_launch_emit(&launch->event);
	}
	return true;
}
