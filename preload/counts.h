/* SPDX-License-Identifier: Apache-2.0 */
/* What the process counts of its own events, for whoever reads the trace: tracer/counts.h. */
#ifndef HIPGRAIN_PRELOAD_COUNTS_H
#define HIPGRAIN_PRELOAD_COUNTS_H

#include "tracer/counts.h"

/* The process begins, also by fork(): make its file. Without one nothing is counted. */
void hg_counts_init(void);

/* Its session records it now. */
void hg_counts_begun(void);

/* The program ends: what it calls from now on nobody would have recorded. */
void hg_counts_left(void);

/*
 * The process or its program ends: the file of a process in standby that is not recorded is
 * removed. hg_counts_again() if it did not end.
 */
void hg_counts_end(void);
void hg_counts_again(void);

/*
 * A call that would have made an event, while no session records: hg_tls.unrecorded says which.
 * Counted if the process was started to be recorded.
 */
void hg_counts_unrecorded(void);

#endif
