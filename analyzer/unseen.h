/* SPDX-License-Identifier: Apache-2.0 */
/* What the trace itself says that it lacks: calls of processes that were made past the recorder. */
#ifndef HIPGRAIN_UNSEEN_H
#define HIPGRAIN_UNSEEN_H

#include <glib.h>

#include "analyzer/replay/replay.h"

/*
 * A sentence for each process and way: char *. `aborted`: the command ended by SIGABRT. The caller
 * unrefs the array.
 */
GPtrArray *unseen_collect(const struct replay *replay, bool aborted);

#endif
