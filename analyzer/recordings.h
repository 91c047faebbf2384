/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recordings: bundles, what a relay daemon wrote of them, and directories of many. */
#ifndef HIPGRAIN_RECORDINGS_H
#define HIPGRAIN_RECORDINGS_H

#include <glib.h>
#include <stdbool.h>

/* Returns the relay that a bundle's trace was recorded to (--url), by its manifest, or NULL. */
char *recording_url(const char *bundle);
/* Returns the bundle's LTTng session, by the manifest, or NULL. The caller frees both. */
char *recording_session(const char *bundle);

/*
 * Returns the directory below `folder` where a relay wrote that session: SESSION, or SESSION-DATE;
 * or NULL. The caller frees it.
 */
char *recording_below_relay(const char *folder, const char *session);

/*
 * Returns the paths (char *, sorted) of all recordings below a directory, or of the directory
 * itself if it is one: bundles, and what LTTng alone wrote. Renamed older bundles (NAME.old beside
 * NAME) are left out, and links are not followed. `closed` gets the paths of directories that may
 * not be read.
 */
GPtrArray *recordings_below(const char *folder, GPtrArray *closed);

#endif
