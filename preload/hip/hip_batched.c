/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches as records of their own kind (tracer/event_record.h): of a kernel that this thread has
 * launched from the same place before, what is other than it was then.
 *
 * A record tells what differs from one in the same page, and the first of a slot in a page is
 * whole; so a page that is lost takes no other's launches with it, and what a killed process leaves
 * in its file can be read as far as it goes. A fork() or a new recording begins another page, with
 * another number.
 */
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/hip/record_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_recent.h"
#include "preload/hip/hip_registry.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/batch.h"
#include "preload/trace/enter_calls.h"
#include "preload/trace/process.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/events/ev_launch.h"
#include "tracer/provider.h"

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

/* These say how an argument that differs from the one before may matter. */
enum { CHANGED = 1, IN_MEMORY = 2, ELSEWHERE = 4 };

/*
 * An argument is ELSEWHERE if it may be an address in what was loaded since. Below 4 GiB lie only
 * the program itself and its heap.
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

/* Notes what is to be queried and read before the launch. */
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

/* Stores what differs from the record before, and which words that is. Makes `before` the same. */
static inline char *put_changed(char *at, char *changed, uint32_t bit, const uint64_t *words,
				uint64_t *before, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, bit++) {
		if (words[i] == before[i])
			continue;
		changed[bit / 8] |= (char)(1u << bit % 8);
		before[i] = words[i];
		at = hg_record_put(at, words[i], sizeof(words[i]));
	}
	return at;
}

static char *put_words(char *at, const uint64_t *words, uint64_t *before, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		before[i] = words[i];
		at = hg_record_put(at, words[i], sizeof(words[i]));
	}
	return at;
}

/* Adds a record of the launch to the thread's batch. Returns false if there is no room for it
 * now. */
static bool add(const struct hg_hip_launch *launch, struct hg_hip_recent *recent,
		const uint64_t *args, uint32_t count)
{
	const struct hg_ev_launch *event = &launch->event;
	uint32_t number = recent->number;
	uint64_t state[HG_LAUNCH_STATE];
	struct hg_batch_room room;
	char *at, *changed;

	set_state(state, event);
	if (!hg_batch_take(&room, HG_LAUNCH_MOST(count), 0))
		return false;
	/* If a handler that interrupts this jumps out of it, no later record builds on this
	 * launch. */
	__atomic_store_n(&recent->number, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.open_call->start = room.when;
	room.before->since = room.since;
	room.at[1] = (char)hg_hip_recent_slot(recent);
	at = hg_record_put32(room.at + 2, room.since);
	if (HG_LIKELY(number == room.number && recent->api == event->api)) {
		changed = at;
		at = hg_record_put(at, 0, 8);
		*at++ = 0;
		at = put_changed(at, changed, 0, state, recent->state, HG_LAUNCH_STATE);
		at = put_changed(at, changed, HG_LAUNCH_STATE, args, recent->args, count);
		hg_record_finish(room.at, at, HG_RECORD_LAUNCH_CHANGED);
	} else {
		at = hg_record_put16(at, event->api);
		at = hg_record_put16(at, (uint16_t)recent->length);
		at = hg_record_put32(at, event->kernel_id);
		at = put_words(at, state, recent->state, HG_LAUNCH_STATE);
		at = put_words(at, args, recent->args, count);
		hg_record_finish(room.at, at, HG_RECORD_LAUNCH);
		recent->api = event->api;
	}
	hg_batch_put(&room, at, HG_GROUP_LAUNCH);
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
		hg_provider->launch(&launch->event);
	}
	return true;
}
