/* SPDX-License-Identifier: Apache-2.0 */
/* Records the ranges that the program names, of every source. */
#ifndef HIPGRAIN_PRELOAD_RANGES_RANGE_H
#define HIPGRAIN_PRELOAD_RANGES_RANGE_H

#include <stdint.h>

#include "tracer/events.h"

/*
 * Copies a text of the program, which is NULL, or an address that may be wild: up to
 * HG_RANGE_NAME_MOST bytes of it, as far as it can be read, and a zero. errno is kept.
 */
enum hg_range_cut hg_text_copy(char to[HG_RANGE_NAME_MOST + 1], const char *from);

/*
 * Records an event `range` of the calling thread. `id` as there. `name` is the program's, for
 * hg_text_copy(). errno is kept. May be called while nothing is recorded, and anywhere: where a
 * handler has interrupted our code, the call is counted as lost, unless the runtime has made it.
 */
void hg_range_record(enum hg_range_source source, enum hg_range_kind kind, uint64_t id,
		     const char *name, const void *caller);

#endif
