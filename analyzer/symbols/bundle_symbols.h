/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/symbols of a bundle: functions and lines of the addresses that its call stacks have, found at
 * the end of the recording, so that reports depend neither on executables nor on sources that may
 * change. DIR/sources has the source files, named by their SHA-256.
 *
 * The file is text, a row a line, numbers of texts from 1 on, 0 for none:
 *
 *   hipgrain-symbols/1
 *   t TEXT                                     the next text
 *   o PATH BUILD-ID                            an executable or library; the rows below are of it
 *   a ADDRESS (FUNCTION FILE LINE)*            frames of an address, the innermost first
 *   r ADDRESS REGION LINE CALLS FUNCTION FILE  the frame of a target region: its function and line
 *   j PID ADDRESS NAME OFFSET                  code that was compiled at run time
 *   s FILE SHA-256 CHANGED                     a source file, and when it was written last (ns)
 *   end ROWS                                   so many rows are above
 *
 * Addresses are hexadecimal and those of the file's own view. Every byte may be chosen by others.
 */
#ifndef HIPGRAIN_SYMBOLS_BUNDLE_SYMBOLS_H
#define HIPGRAIN_SYMBOLS_BUNDLE_SYMBOLS_H

#include "symbols.h"

#define KEPT_SYMBOLS   "symbols"
#define KEPT_SOURCES   "sources"
#define KEPT_FORMAT    "hipgrain-symbols/1"
#define KEPT_MOST      (32u << 20) /* bytes of the file */
#define KEPT_HASH_SIZE 65

struct kept;

struct kept_source {
	char sha256[KEPT_HASH_SIZE];
	int64_t changed_ns; /* since 1970 */
};

/*
 * Returns what the bundle in directory `bundle` kept, or NULL if it has none or the file is
 * damaged: then *problem is one line, to be freed by g_free(), and nothing of the file is used.
 */
struct kept *kept_read(const char *bundle, char **problem);
/* Does the same for the content of the file, which it takes: `text` has a NUL byte at `length`. */
struct kept *kept_parse(char *text, gsize length, char **problem);
void kept_free(struct kept *kept);

/* Returns the frames (struct source_frame) of an address, borrowed; NULL: it was not kept. */
const GPtrArray *kept_place(const struct kept *kept, const char *path, const char *build_id,
			    uint64_t address);
/* Returns the frame of a target region, borrowed, and in *calls how many others it replaces. */
const struct source_frame *kept_region(const struct kept *kept, const char *path,
				       const char *build_id, uint64_t address, const char *function,
				       unsigned line, unsigned *calls);
/* Returns the name of code that was compiled at run time, and the address's offset in it. */
const char *kept_jit(const struct kept *kept, int pid, uint64_t address, uint64_t *offset);
/* Returns what is known of a source file, borrowed; NULL: nothing. */
const struct kept_source *kept_source(const struct kept *kept, const char *file);
/*
 * Returns the content of a source file that the bundle holds, to be freed by g_free(); NULL if it
 * has none, or another one than the hash says.
 */
char *kept_content(const struct kept *kept, const struct kept_source *source);

#endif
