/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a batch, each in full: what packed records and changed launches stand for. */
#ifndef HIPGRAIN_WHOLE_RECORDS_H
#define HIPGRAIN_WHOLE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A copy of a batch's `*words` words, for g_free(), in which the records of each HG_RECORD_PACKED
 * are as batch_events.h has them, and launches as launches_expand() makes them; *words: of the
 * copy. A record that is not whole, or not known, ends the copy as it ends the batch; *damaged
 * becomes true then. The input may be anything.
 */
uint64_t *whole_records(const uint64_t *records, uint32_t *words, bool *damaged);

#endif
