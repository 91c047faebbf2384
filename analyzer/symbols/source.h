/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that debug information names, to quote lines of. The program that was recorded chose the
 * names (#line 1 "/etc/shadow"), and the report may be for another reader than the user who makes
 * it.
 */
#ifndef HIPGRAIN_SYMBOLS_SOURCE_H
#define HIPGRAIN_SYMBOLS_SOURCE_H

#include <stdint.h>

/*
 * The lines of a source file, to be freed by g_strfreev(). None unless it has the name of a source
 * file, is a regular file and no link, is the caller's own or may be read by everybody, has at most
 * 16 MiB and no zero bytes, and with `root` lies below that directory. Stores in *changed_ns when
 * it was written last, in ns since 1970 (0 without lines).
 */
char **source_lines(const char *file, const char *root, int64_t *changed_ns);

#endif
