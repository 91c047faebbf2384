/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that debug information names, to quote lines of. The program that was recorded chose the
 * names (#line 1 "/etc/shadow"), and the report may be for another reader than the user who makes
 * it.
 */
#ifndef HIPGRAIN_SYMBOLS_SOURCE_H
#define HIPGRAIN_SYMBOLS_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SOURCE_MOST (16u << 20) /* bytes of a file */

/*
 * Returns the content of a source file, `length` bytes and a NUL byte, to be freed by g_free().
 * Returns NULL unless it has the name of a source file, is a regular file and no link, is the
 * caller's own or may be read by everybody, has at most SOURCE_MOST bytes, at least one and none
 * that is zero, and with `root` lies below that directory. Stores in *changed_ns when it was
 * written last, in ns since 1970 (0 without content).
 */
char *source_content(const char *file, const char *root, gsize *length, int64_t *changed_ns);

/*
 * Returns true if a file that is not there has a name below directory `root`. The place of one that
 * is there decides: source_content().
 */
bool source_was_below(const char *file, const char *root);

/*
 * Returns the content of a file, `length` bytes and a NUL byte, to be freed by g_free(); NULL if it
 * is no regular file, is a link, is larger than `most` bytes, or cannot be read.
 */
char *regular_file_read(const char *path, size_t most, gsize *length);

#endif
