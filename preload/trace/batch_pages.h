/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of batches, in files of the bundle where these can be made (HG_OPEN_BATCHES). */
#ifndef HIPGRAIN_PRELOAD_TRACE_BATCH_PAGES_H
#define HIPGRAIN_PRELOAD_TRACE_BATCH_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/batch_events.h"

/* Find or make the process's file. Once, before the others. */
void hg_batch_pages_begin(void);

/* A free page, of this process from now on; NULL: no memory. */
struct hg_open_batch *hg_batch_page_new(void);

/* Another thread or process may have it; false: nobody can, as it is in no file. */
bool hg_batch_page_give_back(struct hg_open_batch *page);

/* Whether it is in a file; whether pages that are new are, if there is one. */
bool hg_batch_page_is_kept(const struct hg_open_batch *page);
bool hg_batch_pages_are_kept(void);

/* A number for a batch, of all processes that share the file. */
uint32_t hg_batch_number(void);

/* Leave the recorder's file, if it is used, for one of the process's own; open pages stay there. */
void hg_batch_pages_leave_common(void);

/* Remove the file, if no process has pages in it: a child that has none yet makes one of its own.
 */
void hg_batch_pages_leave(void);

#endif
