/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that a user gives away: placeholders stand for directories and files outside of the system's
 * folders, for the user and for the machine. The same name has the same placeholder each time.
 */
#ifndef HIPGRAIN_DOCTOR_HIDE_NAMES_H
#define HIPGRAIN_DOCTOR_HIDE_NAMES_H

#include <glib.h>

struct redaction {
	GPtrArray
	    *known; /* char *: paths, which may have spaces in them; the longest comes first */
	GHashTable *places; /* char *: a path -> its placeholder */
	unsigned folders, files;
	const char *user, *host; /* NULL: they may stay */
};

/* `user` and `host` stay the caller's; "root" and NULL are no secret. */
void redact_begin(struct redaction *redaction, const char *user, const char *host);
/* Paths that the text may have, with a ':' between any two; NULL is allowed. */
void redact_know(struct redaction *redaction, const char *paths);
/* Returns the text with placeholders; g_free() it. */
char *redact_text(struct redaction *redaction, const char *text);
/*
 * Returns what may be shown of the value of a variable in the environment: a short number or one of
 * a few words as it is, paths redacted, else "(set)". g_free() it.
 */
char *redact_value(struct redaction *redaction, const char *value);
void redact_end(struct redaction *redaction);

#endif
