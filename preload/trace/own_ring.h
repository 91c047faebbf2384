/* SPDX-License-Identifier: Apache-2.0 */
/* The process's file of records: pages that its threads fill (tracer/ring.h). */
#ifndef HIPGRAIN_PRELOAD_TRACE_OWN_RING_H
#define HIPGRAIN_PRELOAD_TRACE_OWN_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/ring.h"

/*
 * Makes the process's file. In a forked child it makes one of its own. Returns false if there is no
 * room, or no place; nothing can be recorded then. Keeps errno.
 */
bool hg_ring_open(void);

/*
 * Makes another file, in that directory of HIPGRAIN_DIR, as another recording begins; the one that
 * was before is stopped. Threads that still have pages of it take others at their next record. One
 * thread calls it at a time. Returns false if there is no room, or no place. Keeps errno.
 */
bool hg_ring_renew(const char *place);

/*
 * Returns a page that is the calling thread's until it gives it back, empty, with a number, its
 * thread and its begin, which is now. Waits for the recorder where all pages are full. NULL: there
 * is none, and nothing is to be stored. *ring: whose page it is. Keeps errno; no thread is
 * cancelled in it.
 */
struct hg_ring_page *hg_ring_take(struct hg_ring **ring);

/* The page, of that file, is whole: its owner does not touch it any more. It has these records. */
void hg_ring_give(struct hg_ring *ring, struct hg_ring_page *page,
		  const uint32_t records[HG_GROUPS]);

/* A record that found no page, and for which its thread will have none. */
void hg_ring_lost(enum hg_group group);

/* A call of the program's cannot be recorded where it is made: it is counted as lost, unless it is
 * of HG_GROUPS. Returns false if there is no file yet. */
bool hg_ring_given_up(enum hg_group group);

/* All was recorded that hg_ring_again() has asked for. */
void hg_ring_answer(void);

/* The process ends by itself, or executes another program; or HG_RING_RUNS, it goes on. */
void hg_ring_end(enum hg_ring_end how);

/*
 * A call that would have made an event, while nothing is recorded: hg_tls.unrecorded says which.
 * Counted if the process was started to be recorded, and does not end.
 */
void hg_ring_unrecorded(void);

/* A record is not made, as the recording ended after its call had begun to make it: the same. */
void hg_ring_dropped(enum hg_group group);

/* The process may soon not be able to open its file: it is made larger now, to 1 MiB. */
void hg_ring_reserve(void);

/* The process restricts its system calls, or does not after all. */
void hg_ring_confined(bool confined);
/* A call that would have made an event since then. Makes no system call. */
void hg_ring_confined_call(enum hg_unrecorded what);

/* Returns true if the process has a file. */
bool hg_ring_is_open(void);
/* Returns true if nothing is to be stored any more, or there is no file. */
bool hg_ring_stopped(void);
/* Returns true if that is so because the recorder was killed. */
bool hg_ring_orphaned(void);

/*
 * When it changes threads take other pages, as nothing is to be stored any more, or what they store
 * is not to depend on what they stored before. In a child it must not be read while it has no page.
 */
extern const uint32_t *hg_ring_epoch; /* atomic */

/*
 * Returns what is 0 from when the recorder wants the process to record its state, to
 * hg_ring_again(). A child may read it.
 */
const volatile int *hg_ring_recording(void);

/* Returns true if that is so. One thread calls it at a time. */
bool hg_ring_again(void);

#endif
