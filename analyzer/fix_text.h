/* SPDX-License-Identifier: Apache-2.0 */
/* Complete the fixes of findings with names and positions from source files. */
#ifndef HIPGRAIN_FIX_TEXT_H
#define HIPGRAIN_FIX_TEXT_H

#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/symbols.h"

/* Replace the tokens FIX_* in each fix by source positions, names and ways to compile. */
void fixes_finish(struct findings *findings, struct symbolizer *symbolizer);

/*
 * What a source line gives to a call of `function` (an allocator). Only what is certain: one call
 * of that name on the line, its arguments complete. `*variable`: what the pointer is stored in;
 * `*size`: the text of the size, for functions that have it as their second argument. Both NULL if
 * not certain, and to be freed.
 */
void fix_parse_allocation(const char *line, const char *function, char **variable, char **size);

#endif
