/* SPDX-License-Identifier: Apache-2.0 */
/* This records the process as a whole: its identity and its unnamed memory. */
#ifndef HIPGRAIN_PRELOAD_TRACE_PROCESS_H
#define HIPGRAIN_PRELOAD_TRACE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

uint64_t hg_process_age(void); /* ns since then */
void hg_process_record(bool late);
void hg_regions_record(void); /* heap and this thread's stack, where they changed */

#endif
