/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of host memory, gathered in a buffer of each thread's and recorded a buffer at a time
 * (tracer/batch_events.h has the format).
 */
#ifndef HIPGRAIN_PRELOAD_BATCH_H
#define HIPGRAIN_PRELOAD_BATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Get ready; without HIPGRAIN_BATCH or memory every call below does nothing. */
void hg_batches_init(void);

/*
 * Put a record at the end of the calling thread's buffer. Its words are as in batch_events.h, but
 * for the time: that is `when`, in ns of CLOCK_MONOTONIC, after which this thread has recorded
 * nothing; 0: now. false: not now; record an event instead. Needs hg_enter(); may record an event.
 */
bool hg_batch_add(const uint64_t *words, uint32_t count, uint64_t when);

/* Record those of any thread that have become old; ns of CLOCK_MONOTONIC. Needs hg_enter(). */
void hg_batches_look(uint64_t now);
void hg_batches_poll(void); /* now */

extern int hg_batches_open;     /* atomic: how many threads have records */
extern uint64_t hg_batches_due; /* atomic: when to look next */

/* The calling thread ends: record what it has gathered. */
void hg_batch_end_thread(void);

/* Record what all threads have gathered; their buffers are empty then, unless they go on. */
void hg_batches_flush(void);

/*
 * The same, and nothing is gathered any more: the process, or its program, ends. hg_batches_again()
 * if it did not.
 */
void hg_batches_end(void);
void hg_batches_again(void);

/* Around fork(): the child has none of its parent's records, and all of them are recorded. */
void hg_batches_fork(void);
void hg_batches_forked(void); /* in the parent */
void hg_batches_reset(void);  /* in the child */

#endif
