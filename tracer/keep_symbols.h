/* SPDX-License-Identifier: Apache-2.0 */
/* Has the symbols of a recording kept in its bundle when the recording has ended. */
#ifndef HIPGRAIN_TRACER_KEEP_SYMBOLS_H
#define HIPGRAIN_TRACER_KEEP_SYMBOLS_H

#include <stdbool.h>

/* Keeps them in the bundle in directory `bundle`, with `sources` the source files, too. Returns 0
 * or a negative errno. */
typedef int symbols_keeper(const char *bundle, bool sources);

/*
 * Calls `keep` (NULL: nothing is done) in a process of its own, so that what damaged files cost is
 * not the recorder's, and waits for it. A signal that descriptor `interrupt` (a signalfd, or -1)
 * reports ends it, and so does KEEP_LIMIT_SECONDS. Without symbols a report looks into the files
 * that are there.
 */
#define KEEP_LIMIT_SECONDS 90
void keep_symbols_of(const char *bundle, symbols_keeper *keep, bool sources, int interrupt);

#endif
