/* SPDX-License-Identifier: Apache-2.0 */
/* Complete the fixes of findings with names and positions from source files. */
#ifndef HIPGRAIN_FIX_TEXT_H
#define HIPGRAIN_FIX_TEXT_H

#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/symbols.h"

/*
 * Replace the tokens FIX_* in each fix by source positions, names and ways to compile. Sets
 * finding->edit where the fix is a line to insert, and every part of it stands in the source.
 */
void fixes_finish(struct findings *findings, struct symbolizer *symbolizer);

/*
 * Parses a source line's call of `function` (an allocator), if it is certain: one call of that name
 * on the line, its arguments complete. Stores the name that gets the pointer in *variable, and in
 * *size the text of the size, for functions that have it as their second argument. Both are NULL if
 * not certain, and to be freed.
 */
void fix_parse_allocation(const char *line, const char *function, char **variable, char **size);

/*
 * Returns true if a statement inserted behind `line` is executed whenever the one in `line` is:
 * that is a whole statement, and the line before it (`before`, "" above the first, NULL if unknown)
 * ends one or opens a block. Returns false if that is not certain.
 */
bool fix_may_follow(const char *before, const char *line);

#endif
