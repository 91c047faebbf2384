/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This bounds what is read for the events `pointers`: how much time and room of the trace that may
 * take, which launches and copies are passed over because those before them were all the same, and
 * how many were left out.
 */
#ifndef HIPGRAIN_PRELOAD_HIP_POINTER_BUDGET_H
#define HIPGRAIN_PRELOAD_HIP_POINTER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/events.h"
#include "tracer/events/ev_pointers_left_out.h"

/* Atomic, each of them. */
extern HG_HIDDEN struct hg_ev_pointers_left_out hg_pointers_left_out;

static inline void hg_pointers_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Returns true if nothing is to be read. */
bool hg_pointers_off(void);

/* Returns true if there is time and room left in this second. Sets *start to now, for
 * hg_pointers_spent(). */
bool hg_pointers_may_spend(uint64_t *start);
void hg_pointers_spent(uint64_t start);
void hg_pointers_emitted(uint64_t bytes);

/* Returns true if the memory of this launch's arguments, for which `key` stands, is to be read. */
bool hg_pointers_due(uint64_t key);
/*
 * Notes that it was read, had `found` addresses and this hash. Returns true if what was read for
 * these arguments before had any.
 */
bool hg_pointers_note_same(uint64_t key, uint64_t found, uint64_t hash);

/* This counts copies to a place, which is known by its hash: how many in turn had no address, and
 * how many of those to come are passed over. It is atomic. */
#define HG_TAME_PLACES 256u
struct hg_pointers_tame {
	uint64_t place;
	uint32_t times, left;
};
extern HG_HIDDEN struct hg_pointers_tame hg_pointers_tame[HG_TAME_PLACES];

/* Returns true if a copy to this place is passed over. */
static inline __attribute__((always_inline)) bool hg_pointers_is_tame(uint64_t place)
{
	struct hg_pointers_tame *at = &hg_pointers_tame[place >> 56];
	uint32_t left;

	if (__atomic_load_n(&at->place, __ATOMIC_RELAXED) != place)
		return false;
	left = __atomic_load_n(&at->left, __ATOMIC_RELAXED);
	if (__builtin_sub_overflow(left, 1u, &left))
		return false;
	__atomic_store_n(&at->left, left, __ATOMIC_RELAXED);
	return true;
}

/* Notes that a copy to it was examined, and had addresses or not. Returns true if each one still
 * is. */
bool hg_pointers_note_tame(uint64_t place, bool found);

#endif
