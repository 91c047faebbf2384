/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording that begins late must be told (state.c). Does nothing in processes that do not
 * stand by. */
#ifndef HIPGRAIN_PRELOAD_STATE_H
#define HIPGRAIN_PRELOAD_STATE_H

#include "preload.h"

/* Begin to remember. 0 or -ENOMEM. */
int hg_state_init(void);

/* Whether a HIP function's calls are remembered while nothing records. */
bool hg_state_wants(uint16_t api);

/*
 * Around recording and remembering a call, so that both happen before or after the state is told
 * to a session: nothing but an event and one of the functions below in between.
 */
void hg_state_lock(void);
void hg_state_unlock(void);

/* Of HIP's functions, and mappings of the program's. Under the lock. */
void hg_state_alloc(const struct hg_ev_alloc *event);
void hg_state_free(uint64_t ptr); /* before the call; after it, without the lock: */
void hg_state_freed(bool failed); /* how the thread's last hg_state_free() or _unmap() ended */
void hg_state_advise(const struct hg_ev_advise *event);
void hg_state_prefetch(const struct hg_ev_prefetch *event);
void hg_state_stream(const struct hg_ev_stream *event);
void hg_state_event(const struct hg_ev_event *event);
void hg_state_map(const struct hg_ev_alloc *event);
void hg_state_unmap(const struct hg_ev_free *event);

/* Blocks of the C library of at least the standby threshold, under a lock of their own. */
void hg_state_block_lock(uint64_t ptr);
void hg_state_block_unlock(uint64_t ptr);
void hg_state_block(const struct hg_ev_alloc *event);
void hg_state_block_free(uint64_t ptr);
void hg_state_block_gone(uint64_t ptr, uint64_t size); /* then, without the lock */

/* state_blocks.c for state.c */
void hg_state_blocks_init(void);
uint64_t hg_state_blocks_tell(void); /* how many */
uint64_t hg_state_blocks_left_out(void);
void hg_state_blocks_lock_all(void); /* around fork() */
void hg_state_blocks_unlock_all(void);

/* Around fork(): with `begin` before all other locks, without it after them. */
void hg_state_fork_lock(bool begin);
void hg_state_fork_unlock(void);

/* Host blocks smaller than this are of no interest at the moment, bytes. */
extern uint32_t hg_threshold;

#endif
