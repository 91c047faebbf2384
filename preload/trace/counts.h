/* SPDX-License-Identifier: Apache-2.0 */
/* What the process counts of its own events, for whoever reads the trace: tracer/counts.h. */
#ifndef HIPGRAIN_PRELOAD_TRACE_COUNTS_H
#define HIPGRAIN_PRELOAD_TRACE_COUNTS_H

#include <stdbool.h>

#include "tracer/counts.h"

/* Its session records it now. */
void hg_counts_begun(void);

/* The program ends: its calls from now on would not have been recorded anyway. */
void hg_counts_left(void);

/* Adds records of a page, which events are not counted with. */
struct hg_batch_counts;
void hg_counts_records(const struct hg_batch_counts *records);

void hg_counts_confined(uint32_t why); /* enum hg_confined_by: nothing is recorded any more, or 0 */
bool hg_counts_kept(void);             /* there is a file of them */

/*
 * A call that would have made an event, while no session records: hg_tls.unrecorded says which.
 * Counted if the process was started to be recorded.
 */
void hg_counts_unrecorded(void);

#endif
