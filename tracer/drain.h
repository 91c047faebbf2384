/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes records out of the files of recorded processes (tracer/ring.h) and makes events of the
 * recorder's own of them (`page`, `swept`), so that sessions, relays, rotations and snapshots are
 * LTTng's work, and no recorded process has to do with LTTng.
 */
#ifndef HIPGRAIN_TRACER_DRAIN_H
#define HIPGRAIN_TRACER_DRAIN_H

#include <stdbool.h>

#include "tracer/provider.h"

struct drain;

/*
 * Returns what serves the directory `rings` (a descriptor, the drain's from then on), with that
 * provider; NULL: there is no memory.
 */
struct drain *drain_new(int rings, const struct hg_tracepoints *provider);

/*
 * Looks once at all files; `open`: certainly also at pages that are not full. True if a page was
 * full: there is more to do soon.
 */
bool drain_sweep(struct drain *drain, bool open);

/*
 * Stops all processes' recording, takes what is left, and removes the files. Returns the number of
 * records that found no page in all files there ever were.
 */
uint64_t drain_end(struct drain *drain);

#endif
