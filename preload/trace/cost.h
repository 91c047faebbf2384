/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU time of some calls, as an estimate of that of all. */
#ifndef HIPGRAIN_PRELOAD_TRACE_COST_H
#define HIPGRAIN_PRELOAD_TRACE_COST_H

/* In HIPGRAIN_DIR: lines "PID CALLS TIMED SPENT PROCESS", times in ns of processor time. */
#define HG_COST_FILE "cost"

void hg_cost_record(void); /* record it, of a process on standby; needs hg_enter() */

#endif
