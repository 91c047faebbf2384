/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows how far the analysis of a long trace has come: a line on stderr that redraws itself.
 *
 * How much there is, and what of it has been read, comes from the headers of packets, and of pages
 * in processes' files: sizes and time stamps. One trace at a time; only the thread that analyses
 * calls these.
 */
#ifndef HIPGRAIN_PROGRESS_H
#define HIPGRAIN_PROGRESS_H

#include <stdint.h>

enum progress_when {
	PROGRESS_AUTO,   /* if stderr is a terminal, and from the second second on */
	PROGRESS_ALWAYS, /* from the first event on */
	PROGRESS_NEVER,  /* also if progress_set() was never called */
};

/* Sets this for all traces that are read from now on. */
void progress_set(enum progress_when when);

/* The traces below the directory, and the files of processes in `bundle` (or NULL), are about to be
 * read; and: they have been. */
void progress_begin(const char *traces, const char *bundle);
void progress_end(void);

/* Redraws the line if it is time; called for one event of thousands, so it may be slow. `ns` is as
 * in struct hg_event. */
void progress_slow_event(int64_t ns);
extern uint64_t progress_events, progress_next;

static inline void progress_event(int64_t ns)
{
	if (++progress_events >= progress_next)
		progress_slow_event(ns);
}

#endif
