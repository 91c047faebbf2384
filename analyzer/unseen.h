/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds calls of processes that were made past the recorder, as far as the trace itself shows them.
 */
#ifndef HIPGRAIN_UNSEEN_H
#define HIPGRAIN_UNSEEN_H

#include <glib.h>

#include "analyzer/replay/replay.h"

/*
 * Returns a sentence for each process and way: char *. `aborted` is true if the command ended by
 * SIGABRT. The caller unrefs the array.
 */
GPtrArray *unseen_collect(const struct replay *replay, bool aborted);

#endif
