/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks by number. Stacks are walked by cached rules (unwind.c): other unwinders allocate,
 * lock, and make descriptors of their own in the midst of a program.
 */
#include "preload/stacks/stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/signals.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/python.h"
#include "preload/stacks/unwind_rules.h"
#include "preload/stacks/stack_cache.h"
#include "preload/stacks/unwind.h"
#include "preload/trace/batch_add.h"
#include "tracer/events.h"
#include "tracer/events/ev_stack.h"
#include "tracer/provider.h"

_Static_assert(HG_STACK_DEPTH_MAX <= HG_STACK_FRAMES_MAX, "a record has room for a stack");

static struct hg_id_table stacks;

/* Changes when a library was unloaded: the same addresses may then be other code. */
static uint64_t epoch; /* atomic */

/* Changes with it, and when ids are to be defined anew. */
uint32_t hg_stacks_generation; /* atomic */

static void new_generation(void)
{
	__atomic_fetch_add(&hg_stacks_generation, 1, __ATOMIC_RELAXED);
	hg_changed();
}

/*
 * Calls that are remembered from before a recording name stacks by their ids, which then stay
 * valid.
 */
static void reset(void)
{
	new_generation();
	if (hg_config.standby)
		hg_id_table_forget(&stacks);
	else
		hg_id_table_reset(&stacks);
}

/* ---- frames for a recording that begins later ---- */

/* Depth, then that many frames, at an index; in pieces that are mapped as they are needed. */
#define PIECE_BITS  16u
#define PIECE_WORDS (1u << PIECE_BITS)
#define PIECES      (1u << 9) /* 256 MiB in all */

static bool keeping;
static uint64_t *pieces[PIECES]; /* atomic */
static uint32_t kept_used = 1;   /* atomic */

static uint64_t *piece_of(uint32_t index)
{
	uint64_t **place = &pieces[index >> PIECE_BITS], *none = NULL;
	uint64_t *piece = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	size_t size = PIECE_WORDS * sizeof(*piece);

	if (piece)
		return piece;
	piece = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (piece == MAP_FAILED)
		return NULL;
	if (__atomic_compare_exchange_n(place, &none, piece, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return piece;
	hg_libc.munmap(piece, size);
	return none;
}

/* Returns the index of the first of words that lie in one piece; 0 if there is no room. */
static uint32_t take_index(uint32_t words)
{
	uint32_t used = __atomic_load_n(&kept_used, __ATOMIC_RELAXED), index;

	do {
		index = used;
		if ((index & (PIECE_WORDS - 1)) + words > PIECE_WORDS)
			index = (index | (PIECE_WORDS - 1)) + 1;
		if (index >> PIECE_BITS >= PIECES)
			return 0;
	} while (!__atomic_compare_exchange_n(&kept_used, &used, index + words, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return index;
}

uint64_t *hg_stack_words_take(uint32_t words, uint32_t *index)
{
	uint64_t *piece;

	*index = words <= PIECE_WORDS ? take_index(words) : 0;
	piece = *index ? piece_of(*index) : NULL;
	return piece ? piece + (*index & (PIECE_WORDS - 1)) : NULL;
}

const uint64_t *hg_stack_words_at(uint32_t index)
{
	return pieces[index >> PIECE_BITS] + (index & (PIECE_WORDS - 1));
}

static void keep(uint32_t id, const uint64_t *frames, unsigned count)
{
	_Atomic uint32_t *at = hg_id_table_kept(&stacks, id);
	uint32_t index, none = 0;
	uint64_t *words;

	if (!keeping || !at || atomic_load_explicit(at, memory_order_acquire))
		return;
	words = hg_stack_words_take(count + 1, &index);
	if (!words)
		return;
	words[0] = count;
	memcpy(&words[1], frames, count * sizeof(*frames));
	atomic_compare_exchange_strong(at, &none, index);
}

void hg_stack_keep(void)
{
	keeping = true;
}

void hg_stack_define(uint32_t id)
{
	_Atomic uint32_t *at = hg_id_table_kept(&stacks, id);
	uint32_t index = at ? atomic_load_explicit(at, memory_order_acquire) : 0;
	struct hg_ev_stack event = { .stack_id = id };
	const uint64_t *words;

	if (!index || hg_id_table_is_defined(&stacks, id))
		return;
	words = hg_stack_words_at(index);
	event.depth = (uint32_t)words[0];
	event.frames = &words[1];
	for (uint32_t i = 0; i < event.depth; i++)
		if (event.frames[i] & HG_PYTHON_FRAME)
			hg_python_define(event.frames[i]);
	hg_provider->stack(&event);
	hg_id_table_defined(&stacks, id);
}

static void forget(void)
{
	new_generation();
	hg_id_table_forget(&stacks);
}

uint32_t hg_stack_generation(void)
{
	return __atomic_load_n(&hg_stacks_generation, __ATOMIC_RELAXED);
}

static void unloaded(void)
{
	if (hg_active != HG_ACTIVE && hg_active <= HG_NEW)
		return;
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED);
	new_generation();
	hg_unwind_flush();
}

bool hg_stack_in_handler_since(const char *frame)
{
	uintptr_t before = hg_tls.interrupted, interrupted;
	struct hg_frame start;
	uint64_t hash = 0;

	hg_unwind_start(&start);
	hg_unwind_from(&start, (void *)start.ip, NULL, HG_STACK_DEPTH_MAX, &hash, NULL);
	interrupted = hg_tls.interrupted;
	hg_tls.interrupted = before; /* of a walk that the handler may have interrupted */
	/* What the handler itself has called lies between here and its outermost frame. */
	return interrupted && !((uintptr_t)frame >= start.sp && (uintptr_t)frame < interrupted);
}

bool hg_stack_in_handler(void)
{
	return hg_stack_in_handler_since(NULL);
}

bool hg_thread_prepare(bool anywhere)
{
	struct hg_signals signals;
	int saved = errno;

	if (hg_tls.busy || hg_active != HG_ACTIVE || !*hg_provider->recording)
		return true;
	hg_keep_async();
	hg_tls.busy++;
	if (anywhere && hg_stack_in_handler()) {
		hg_tls.busy--;
		hg_release_async();
		errno = saved;
		return false;
	}
	hg_signals_block(&signals);
	hg_room_find();
	hg_tls.prepared = true;
	hg_signals_restore(&signals);
	hg_tls.busy--;
	errno = saved;
	hg_release_async();
	return true;
}

/*
 * In the thread's batch, ahead of what names it: an event takes twice the room, and longer, and a
 * recursive program comes from another place nearly each time. Whoever has the id
 * before the batch is written finds the definition there, as the batch outlives the process. On
 * standby a recording may begin or end at any time, which the table of ids knows and a batch does
 * not.
 */
static bool define_in_batch(uint32_t id, const uint64_t *frames, uint32_t count)
{
	struct hg_batch_room room;
	char *end;

	if (hg_config.standby || !hg_batch_take(&room, hg_stack_least(count), 0))
		return false;
	end = hg_stack_write_close(room.at, room.before, id, frames, count, room.since);
	if (HG_UNLIKELY(!end)) {
		hg_batch_put(&room, NULL, HG_GROUP_OTHER);
		if (!hg_batch_take(&room, hg_stack_most(count), 0))
			return false;
		end = hg_stack_write(room.at, room.before, id, frames, count, room.since);
	}
	hg_batch_put(&room, end, HG_GROUP_OTHER);
	return true;
}

/*
 * Objects are recorded ahead of the stacks that lead through them. To ask the loader takes two
 * locks: it is done where rules were found since it was last done, as the rules of code that was
 * loaded since then are, or where another unwinder found the frames; and now and then, for objects
 * that no stack leads through.
 */
#define POLLS_APART 32u

static void poll_modules(bool walked)
{
	static uint32_t polled; /* atomic: hg_rules_found when it was last done */
	uint32_t found = __atomic_load_n(&hg_rules_found, __ATOMIC_ACQUIRE);

	if (hg_tls.in_phdr)
		return;
	if (HG_LIKELY(walked && found == __atomic_load_n(&polled, __ATOMIC_ACQUIRE) &&
		      ++hg_tls.stacks_unpolled < POLLS_APART))
		return;
	hg_tls.stacks_unpolled = 0;
	hg_modules_poll();
	__atomic_store_n(&polled, found, __ATOMIC_RELEASE);
}

/* Returns the stack's id, and defines it if it is new. `walked` is true if the stack was walked by
 * rules. */
static uint32_t define(const uint64_t *frames, unsigned count, uint64_t hash, bool walked)
{
	bool fresh;
	uint32_t id = hg_id_table_id(&stacks, hg_mix(hash, count), &fresh);

	if (HG_UNLIKELY(fresh)) {
		struct hg_ev_stack event = { .stack_id = id, .frames = frames, .depth = count };

		if (hg_config.standby)
			keep(id, frames, count);
		if (!*hg_provider->recording)
			return id;
		poll_modules(walked);
		if (!define_in_batch(id, frames, count))
			hg_provider->stack(&event);
		hg_id_table_defined(&stacks, id);
	}
	return id;
}

static __attribute__((noinline)) uint32_t walk(const struct hg_frame *start, const void *caller,
					       struct hg_cached_walk *trail,
					       uint32_t generation_before)
{
	uint64_t frames[HG_STACK_DEPTH_MAX], python = 0;
	const uint64_t *recorded = frames;
	uint64_t seed = __atomic_load_n(&epoch, __ATOMIC_RELAXED), hash = seed;
	unsigned count = hg_unwind_from(start, caller, frames, hg_config.stack_depth, &hash, trail);
	bool walked = count, unsure = false;
	uint32_t id;

	/* The caller alone is sure. */
	if (HG_UNLIKELY(!walked)) {
		frames[0] = (uintptr_t)caller;
		hash = hg_mix(seed, frames[0]);
		count = 1;
	}
	if (HG_UNLIKELY(__atomic_load_n(&hg_python_seen, __ATOMIC_ACQUIRE)))
		count = hg_python_mix(start, &recorded, count, seed, &hash, &python, &unsure);
	id = define(recorded, count, hash, walked);
	if (trail && walked && !unsure)
		hg_stack_cache_keep(trail, start, caller, generation_before, python, id);
	return id;
}

uint32_t hg_stack_id(const void *caller)
{
	uint32_t before = __atomic_load_n(&hg_stacks_generation, __ATOMIC_RELAXED), id = 0;
	struct hg_cached_walk *trail = NULL;
	struct hg_frame start;

	hg_tls.walked = false;
	if (!hg_config.stack_depth)
		return 0;
	if (HG_LIKELY(hg_unwind_start(&start)))
		trail = hg_stack_cache_find(&start, caller, before, &id);
	hg_tls.walked = !id;
	return HG_LIKELY(id != 0) ? id : walk(&start, caller, trail, before);
}

__attribute__((noinline)) uint32_t hg_stack_id_walked(const uintptr_t *frame, const void *caller)
{
	uint32_t before = hg_stack_generation(), id;
	struct hg_frame start = { frame[1], (uintptr_t)(frame + 2), frame[0] };
	int saved = errno;

	hg_tls.walked = true;
	id = walk(&start, caller, hg_stack_cache_place(&start, caller), before);
	errno = saved;
	return id;
}

uint32_t hg_stack_id_of(const uintptr_t *frame, const void *caller)
{
	hg_tls.walked = false;
	return hg_stack_known_id(frame, caller);
}

static int init(void)
{
	int rc;

	rc = hg_unwind_init();
	if (!rc)
		rc = hg_threads_init();
	return rc ? rc : hg_id_table_init(&stacks);
}

HG_PART(.name = "stacks", .order = 40, .init = init, .forget = forget, .fork_record = reset,
	.unloaded = unloaded);
