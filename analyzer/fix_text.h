/* SPDX-License-Identifier: Apache-2.0 */
/* Complete the fixes of findings with names and positions from source files. */
#ifndef HIPGRAIN_FIX_TEXT_H
#define HIPGRAIN_FIX_TEXT_H

#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/symbols.h"

/*
 * Replace the tokens FIX_* in each fix by source positions, names and ways to compile. Sets
 * finding->edit where the fix is a statement to insert and fix_site_at() has no obstacle. The
 * recording began at `began_ns`, since 1970; 0: not known.
 */
void fixes_finish(struct findings *findings, struct symbolizer *symbolizer, int64_t began_ns);

#endif
