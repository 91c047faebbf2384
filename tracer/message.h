/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for the user: one line on stderr, "hipgrain: VERB: text". */
#ifndef HIPGRAIN_TRACER_MESSAGE_H
#define HIPGRAIN_TRACER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Exit statuses of hipgrain itself; scripts rely on them. A verb that runs a command otherwise
 * passes the command's own status on.
 */
enum hg_exit {
	HG_EXIT_OK = 0,
	HG_EXIT_FINDINGS = 1,
	HG_EXIT_USAGE = 2,
	HG_EXIT_INPUT = 3,      /* bad input or environment */
	HG_EXIT_INTERNAL = 4,   /* a defect of hipgrain, or the system ran out of something */
	HG_EXIT_INCOMPLETE = 5, /* --fail-on: no such finding, but not all could be seen */
};

/* The verb that prefixes later messages; `verb` must stay valid. NULL: no verb. */
void message_set_verb(const char *verb);

/* After message_set_quiet(true), notes are dropped; errors and warnings never are. */
void message_set_quiet(bool quiet);

/* Each prints one line to stderr and leaves errno alone. */
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Why something is not done, for the caller to report: into `why`, of why_size bytes. `error` is
 * a positive errno; returns -error.
 */
int refuse(char *why, size_t why_size, int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
