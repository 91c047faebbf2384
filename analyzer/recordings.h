/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recordings: bundles, what a relay daemon wrote of them, and directories of many. */
#ifndef HIPGRAIN_RECORDINGS_H
#define HIPGRAIN_RECORDINGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

/*
 * Returns why nothing at `path` can be read as a recording, with what to do, in one line that the
 * caller g_free()s. Is called once that is known.
 */
char *recording_refusal(const char *path);

/* Returns what a message calls the recording at `path`. */
static inline const char *recording_name(const char *path)
{
	return *path ? path : "''";
}

/* A recording of the current directory, as its manifest describes it. */
struct recording_here {
	char *name, *program;
	char start[32]; /* local time; "" if unknown */
	int64_t start_ns;
	bool ended; /* its recorder ended it; else it goes on, or the recorder was killed */
};

/* Returns the recordings (struct recording_here *) in the current directory, but older ones, newest
 * first; free functions are set. */
GPtrArray *recordings_here(void);

#endif
