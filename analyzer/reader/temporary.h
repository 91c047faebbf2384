/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This makes temporary directories of files, for libbabeltrace2 to read. They are removed by
 * whoever made them, when the process ends by exit(), and when a signal ends it while a trace is
 * read (crash_guard.h).
 */
#ifndef HIPGRAIN_READER_TEMPORARY_H
#define HIPGRAIN_READER_TEMPORARY_H

/* Makes a new one, hipgrain-KIND-XXXXXX where temporary files go. Returns NULL if it cannot be
 * made. */
char *temporary_make(const char *kind);

/* Removes it, with the files in it, and frees the name; NULL does nothing. */
void temporary_remove(char *folder);

/* Removes all that are left. A signal's handler may call it. */
void temporary_remove_all(void);

#endif
