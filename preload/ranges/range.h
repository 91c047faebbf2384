/* SPDX-License-Identifier: Apache-2.0 */
/* Records the ranges that the program names, of every source. */
#ifndef HIPGRAIN_PRELOAD_RANGES_RANGE_H
#define HIPGRAIN_PRELOAD_RANGES_RANGE_H

#include <stdint.h>

#include "tracer/events.h"

/*
 * Records an event `range` of the calling thread. `id` as there. `name` is the program's: NULL, or
 * an address that may be wild; no more than HG_RANGE_NAME_MOST bytes of it are read. errno is kept.
 * May be called while nothing is recorded.
 */
void hg_range_record(enum hg_range_source source, enum hg_range_kind kind, uint64_t id,
		     const char *name);

#endif
