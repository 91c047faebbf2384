/* SPDX-License-Identifier: Apache-2.0 */
/* This bounds what is read for the events `pointers`, and counts what was left out. */
#include "preload/hip/pointer_budget.h"

#include <string.h>

#include "preload/core/clock.h"
#include "preload/core/parts.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/events/ev_pointers_left_out.h"
#include "tracer/provider.h"

#define SECOND_NS   UINT64_C(1000000000)
#define SPENT_NS    UINT64_C(10000000)    /* in a second */
#define LONGEST_NS  UINT64_C(300000)      /* that one of them is taken to need */
#define EMITTED     (UINT64_C(512) << 10) /* bytes of events, in a second */
#define SAME_SLOTS  256u
#define SAME_ALWAYS 16u /* after so many equal contents not every launch reads */
#define SAME_MOST   64u /* but one of so many */
#define TAME_MOST   64u /* likewise, of copies without addresses */

/* For arguments that have `key`, the slot has a hash of what was read, and in its lower 16 bits how
 * often that was the same. */
static struct {
	uint64_t key;
	uint32_t slot;
} same[SAME_SLOTS];

struct hg_pointers_tame hg_pointers_tame[HG_TAME_PLACES];

/* Atomic, all of them; what they bound need not be exact. */
static uint64_t second_ns, spent_ns, emitted;
struct hg_ev_pointers_left_out hg_pointers_left_out;
static struct hg_ev_pointers_left_out recorded_before;

bool hg_pointers_off(void)
{
	return hg_config.kernel_arguments == HG_ARGUMENTS_OFF || !*hg_provider->recording;
}

/* Returns of how many launches or copies one is looked at, a power of 2: contents that were the
 * same so often mostly are again. */
static uint64_t step_of(uint64_t times, uint64_t most)
{
	if (times < SAME_ALWAYS)
		return 1;
	if (times >= SAME_ALWAYS * most / 2)
		return most;
	return UINT64_C(2) << (63 - __builtin_clzll(times / SAME_ALWAYS));
}

static bool is_its_turn(uint64_t times)
{
	return (times & (step_of(times, SAME_MOST) - 1)) == 0;
}

/* Copies that were passed over since the last one to their place that was looked at. */
static uint64_t passed_over(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < HG_TAME_PLACES; i++) {
		uint64_t times = __atomic_load_n(&hg_pointers_tame[i].times, __ATOMIC_RELAXED);
		uint64_t left = __atomic_load_n(&hg_pointers_tame[i].left, __ATOMIC_RELAXED);

		uint64_t step = step_of(times, TAME_MOST);

		all += step > left ? step - 1 - left : 0;
	}
	return all;
}

static void record_left_out(void)
{
	struct hg_ev_pointers_left_out now;

	now.launches = __atomic_load_n(&hg_pointers_left_out.launches, __ATOMIC_RELAXED);
	now.unreadable = __atomic_load_n(&hg_pointers_left_out.unreadable, __ATOMIC_RELAXED);
	now.copies = __atomic_load_n(&hg_pointers_left_out.copies, __ATOMIC_RELAXED);
	now.untouched =
	    __atomic_load_n(&hg_pointers_left_out.untouched, __ATOMIC_RELAXED) + passed_over();
	if (!memcmp(&now, &recorded_before, sizeof(now)))
		return;
	recorded_before = now;
	hg_provider->pointers_left_out(&now);
}

bool hg_pointers_may_spend(uint64_t *start)
{
	*start = hg_now();
	if (*start - __atomic_load_n(&second_ns, __ATOMIC_RELAXED) >= SECOND_NS) {
		__atomic_store_n(&second_ns, *start, __ATOMIC_RELAXED);
		__atomic_store_n(&spent_ns, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&emitted, 0, __ATOMIC_RELAXED);
		record_left_out();
	}
	return __atomic_load_n(&spent_ns, __ATOMIC_RELAXED) < SPENT_NS &&
	       __atomic_load_n(&emitted, __ATOMIC_RELAXED) < EMITTED;
}

/* Counts the time since `start`. A read that took longer was interrupted: the thread was
 * preempted. */
void hg_pointers_spent(uint64_t start)
{
	uint64_t took = hg_now() - start;

	__atomic_fetch_add(&spent_ns, took < LONGEST_NS ? took : LONGEST_NS, __ATOMIC_RELAXED);
}

void hg_pointers_emitted(uint64_t bytes)
{
	__atomic_fetch_add(&emitted, bytes, __ATOMIC_RELAXED);
}

bool hg_pointers_due(uint64_t key)
{
	unsigned at = (unsigned)(key % SAME_SLOTS);
	uint32_t slot = __atomic_load_n(&same[at].slot, __ATOMIC_RELAXED);

	if (__atomic_load_n(&same[at].key, __ATOMIC_RELAXED) != key || is_its_turn(slot & 0xffff))
		return true;
	__atomic_store_n(&same[at].slot, slot + 1, __ATOMIC_RELAXED);
	return false;
}

bool hg_pointers_note_same(uint64_t key, uint64_t found, uint64_t hash)
{
	unsigned at = (unsigned)(key % SAME_SLOTS);
	bool known = __atomic_load_n(&same[at].key, __ATOMIC_RELAXED) == key;
	uint32_t slot = known ? __atomic_load_n(&same[at].slot, __ATOMIC_RELAXED) : 0;
	uint32_t upper = found ? (uint32_t)hash & 0xffff0000u : 0;
	uint32_t times = known && (slot & 0xffff0000u) == upper ? slot & 0xffff : 0;

	times += times < 0xfff0 ? 1 : -SAME_MOST;
	__atomic_store_n(&same[at].key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&same[at].slot, upper | times, __ATOMIC_RELAXED);
	return slot & 0xffff0000u;
}

bool hg_pointers_note_tame(uint64_t place, bool found)
{
	struct hg_pointers_tame *at = &hg_pointers_tame[place >> 56];
	bool known = __atomic_load_n(&at->place, __ATOMIC_RELAXED) == place;
	uint64_t times = known ? __atomic_load_n(&at->times, __ATOMIC_RELAXED) : 0;
	uint64_t step = step_of(times, TAME_MOST);

	/* The copies passed over before this one are counted here. */
	if (step > 1)
		__atomic_fetch_add(&hg_pointers_left_out.untouched, step - 1, __ATOMIC_RELAXED);
	times = found ? 0 : times + step;
	if (times >= 0x10000 - TAME_MOST)
		times = 0x8000; /* as well */
	__atomic_store_n(&at->left, (uint32_t)step_of(times, TAME_MOST) - 1, __ATOMIC_RELAXED);
	__atomic_store_n(&at->times, (uint32_t)times, __ATOMIC_RELAXED);
	__atomic_store_n(&at->place, place, __ATOMIC_RELAXED);
	return step == 1;
}

static void forget(void)
{
	memset(same, 0, sizeof(same));
	memset(hg_pointers_tame, 0, sizeof(hg_pointers_tame));
	memset(&recorded_before, 0, sizeof(recorded_before));
}

HG_PART(.name = "pointer-budget", .order = 36, .forget = forget, .flush = record_left_out,
	.fork_standby = forget, .fork_record = forget);
