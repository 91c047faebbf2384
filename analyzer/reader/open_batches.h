/* SPDX-License-Identifier: Apache-2.0 */
/* The batches that processes had not recorded when they were killed (tracer/batch_events.h). */
#ifndef HIPGRAIN_READER_OPEN_BATCHES_H
#define HIPGRAIN_READER_OPEN_BATCHES_H

#include "tracer/batch_events.h"

/*
 * Call `function` with every page that holds records, of all files in the directory; each is a
 * copy, which is removed afterwards. Files that are something else are left out; no directory is
 * none.
 */
void open_batches_each(const char *folder,
		       void (*function)(const struct hg_open_batch *page, void *data), void *data);

#endif
