/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of host memory, gathered in a buffer per thread and recorded a buffer at a time
 * (tracer/batch_events.h has the format).
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

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

/* Record what all threads have gathered; their buffers are empty then, unless they go on. */
void hg_batches_flush(void);

#endif
