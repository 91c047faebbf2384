/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals by call stack of the host's blocks below the threshold (hipgrain record --totals): how
 * many, how large, how many of them were freed, without an event each.
 */
#ifndef HIPGRAIN_PRELOAD_TOTALS_H
#define HIPGRAIN_PRELOAD_TOTALS_H

#include "preload.h"

/* Blocks are counted up to this size: what it leaves of a word holds the stack's number. */
#define HG_TOTALS_LIMIT 4096u

/*
 * A set of totals by stack, filled by one thread and read by any. A table is never unmapped: when
 * it grows, a reader may still be in the old one.
 */
struct hg_totals;

/*
 * Get ready; nothing is counted before hg_totals_begin(). `packed`: glibc's blocks, of which no two
 * begin within 32 bytes; other allocators may place them 8 bytes apart.
 */
int hg_totals_init(bool packed);

/*
 * Count from now on, from 0; if that is being done, the next writing tells all of it. Not by two
 * threads at a time. It does nothing without hg_config.totals, and says so if it cannot.
 */
void hg_totals_begin(void);
void hg_totals_end(void);     /* no more: at any time, on any thread */
bool hg_totals_count(void);   /* whether anything is counted at the moment */
uint64_t hg_totals_age(void); /* ns since it began; 0: nothing is counted */

/* A block came to be, of `size` bytes asked for. Needs hg_enter(). */
void hg_totals_alloc(uint16_t api, const void *ptr, size_t size, uint32_t stack_id);

/* It is about to be freed. Needs hg_tls.busy. What was never counted is not looked at further. */
void hg_totals_free(const void *ptr);

/*
 * The same in two steps, for realloc(), of which only its return tells: what is known of a block
 * is taken away, and is either given back or counted as freed. 0: nothing is known.
 */
uint32_t hg_totals_take(const void *ptr);
void hg_totals_put(const void *ptr, uint32_t taken);
void hg_totals_count_freed(uint32_t taken);

/* Write out what has changed since the last time, as events. Needs hg_enter(). */
void hg_totals_write(void);
void hg_totals_tell(void); /* the same, and answer who asked for it: tracer/asked.h */

void hg_totals_reset(void); /* in a forked child: nothing is counted there yet */

#endif
