/* SPDX-License-Identifier: Apache-2.0 */
/* This serves calls that come with little stack. */
#ifndef HIPGRAIN_PRELOAD_CORE_OWN_STACK_H
#define HIPGRAIN_PRELOAD_CORE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"

/*
 * A call that has to do more than a comparison asks first whether the calling thread is on its own
 * stack, with enough of it left; else hg_room_elsewhere() does it on a stack of ours, with all
 * signals blocked. That returns false, and nothing is done, if there was none to be had.
 */
static inline bool hg_has_room(void)
{
	return HG_LIKELY((uintptr_t)__builtin_frame_address(0) - hg_tls.room_from <
			 hg_tls.room_size);
}

bool hg_room_elsewhere(void (*work)(void *data), void *data);
void hg_room_init(void);
void hg_room_find(void);  /* of the calling thread; not in a signal handler */
void hg_room_reset(void); /* in a forked child */
/* Notes who calls: the C library allocates in pthread_getattr_np(), under a lock that
 * hg_room_find() would wait for. */
void hg_room_note_caller(const void *caller);

#endif
