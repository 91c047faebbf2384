/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that allocate for many others: wrappers of the program's own. */
#ifndef HIPGRAIN_WRAPPER_LINES_H
#define HIPGRAIN_WRAPPER_LINES_H

#include "analyzer/analyze.h"

/* So many lines have to call the function of one for it to be a wrapper's. */
#define WRAPPER_CALLERS 3

/*
 * Finds the lines that allocate for at least WRAPPER_CALLERS others, and marks them in the
 * symbolizer (stack_requester()). To be called when all events are known.
 */
void wrapper_lines_find(struct analysis *analysis);

#endif
