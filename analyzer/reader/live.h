/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a session from LTTng's relay daemon while it is recorded. */
#ifndef HIPGRAIN_LIVE_H
#define HIPGRAIN_LIVE_H

#include <glib.h>

#include "analyzer/reader/reader.h"

/*
 * Does what read_trace() does for the session at `url` (net://HOST[:PORT]/host/NODE/SESSION), from
 * now on until it ends or until live_stop(). If anything else ends it, that is in stats->truncated.
 * Returns 0; or a negative errno with a one-line message in *error, which the caller frees.
 */
int read_live(const char *url, reader_callback callback, void *data, struct reader_stats *stats,
	      char **error);

/* Stops reading: no more is read than what has arrived. A signal handler may call it. */
void live_stop(void);
bool live_stopped(void);

/*
 * Returns the URLs (char *, sorted) of the sessions that a relay has at net://HOST[:PORT], or NULL
 * with *error as above.
 */
GPtrArray *live_sessions(const char *url, char **error);

#endif
