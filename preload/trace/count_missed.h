/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports processes that are not recorded, as far as this process can foresee or detect it, and
 * tells if the recorder records: tracer/missed.h.
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_COUNT_MISSED_H
#define HIPGRAIN_PRELOAD_TRACE_COUNT_MISSED_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracer/missed.h"

/* Maps the table while the bundle can be reached. It does so only in a process that `record`
 * started. */
void hg_missed_open(void);

/* Returns a word that is not 0 while the recorder records, or NULL if that is unknown. Children
 * inherit it, however they are made. */
const volatile int *hg_missed_recording(void);
long hg_missed_filters(void); /* struct hg_missed_table: filters; -1: unknown */

/* Counts a file of records that this process made in the bundle. */
void hg_missed_count_file(void);

/* Counts another process. Returns NULL, or a row with which hg_missed_take_back() can undo this. */
struct hg_missed_row *hg_missed_add(enum hg_missed why, const char *program, pid_t pid);
void hg_missed_take_back(struct hg_missed_row *row);

#endif
