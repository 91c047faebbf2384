/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps the state that a recording which begins late must receive (live_state.c). It does
 * nothing in processes that are not on standby.
 */
#ifndef HIPGRAIN_PRELOAD_STANDBY_LIVE_STATE_H
#define HIPGRAIN_PRELOAD_STANDBY_LIVE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "tracer/events.h"

struct hg_ev_advise;
struct hg_ev_alloc;
struct hg_ev_event;
struct hg_ev_free;
struct hg_ev_prefetch;
struct hg_ev_stream;

/* Returns true if a HIP function's calls are remembered while nothing records. */
bool hg_live_wants(uint16_t api);

/*
 * These stand around recording and remembering a call, so that both happen before or after the
 * state is recorded to a session: nothing but an event and one of the functions below is in
 * between.
 */
void hg_live_lock_state(void);
void hg_live_unlock_state(void);

static inline void hg_live_lock(void)
{
	if (HG_UNLIKELY(hg_config.standby))
		hg_live_lock_state();
}

static inline void hg_live_unlock(void)
{
	if (HG_UNLIKELY(hg_config.standby))
		hg_live_unlock_state();
}

/* These remember calls of HIP's functions, and mappings of the program's. The caller holds the
 * lock. */
void hg_live_alloc(const struct hg_ev_alloc *event);
void hg_live_free(uint64_t ptr); /* before the call; after it, without the lock: */
void hg_live_freed(bool failed); /* says if the thread's last hg_live_free() or _unmap() failed */
void hg_live_advise(const struct hg_ev_advise *event);
void hg_live_prefetch(const struct hg_ev_prefetch *event);
void hg_live_stream(const struct hg_ev_stream *event);
void hg_live_event(const struct hg_ev_event *event);
void hg_live_map(const struct hg_ev_alloc *event);
void hg_live_unmap(const struct hg_ev_free *event);

/*
 * These remember blocks of the C library of at least the standby threshold, under a lock of their
 * own. hg_live_block_gone() is called after hg_live_block_free(), without the lock.
 */
void hg_live_block_lock(uint64_t ptr);
void hg_live_block_unlock(uint64_t ptr);
void hg_live_block(const struct hg_ev_alloc *event);
void hg_live_block_free(uint64_t ptr);
void hg_live_block_gone(uint64_t ptr, uint64_t size);

/* live_blocks.c does these for live_state.c. */
void hg_live_blocks_init(void);
uint64_t hg_live_blocks_record(void); /* returns how many */
uint64_t hg_live_blocks_left_out(void);
void hg_live_blocks_lock_all(void); /* around fork() */
void hg_live_blocks_unlock_all(void);

#endif
