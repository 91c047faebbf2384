/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the symbols and sources that a bundle keeps (bundle_symbols.h). */
#ifndef HIPGRAIN_SYMBOLS_KEEPING_H
#define HIPGRAIN_SYMBOLS_KEEPING_H

#include "symbols.h"

struct keeping;

/* Begins to keep in the bundle in directory `bundle`; keeping_end() it. Never NULL. */
struct keeping *keeping_begin(const char *bundle);

/* Each keeps an answer, once: the arguments are those of bundle_symbols.h, whose functions give it.
 */
void keeping_place(struct keeping *keeping, const char *path, const char *build_id,
		   uint64_t address, const GPtrArray *frames);
void keeping_region(struct keeping *keeping, const char *path, const char *build_id,
		    const char *function, const struct source_frame *frame, unsigned calls);
void keeping_jit(struct keeping *keeping, int pid, uint64_t address, const char *name,
		 uint64_t offset);
/*
 * Keeps hash and time of a source file, and with `whole` its content, once. All sources of a
 * bundle together have at most KEEPING_SOURCES files and KEEPING_BYTES bytes.
 */
#define KEEPING_SOURCES 1000u
#define KEEPING_BYTES   (32u << 20)
void keeping_source(struct keeping *keeping, const char *file, bool whole);

/*
 * Writes the file, and frees what was kept. Returns 0 or a negative errno; then the bundle keeps no
 * symbols.
 */
int keeping_end(struct keeping *keeping);

#endif
