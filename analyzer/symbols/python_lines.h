/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Python's code, by the tables of its code objects [CPY]. */
#ifndef HIPGRAIN_SYMBOLS_PYTHON_LINES_H
#define HIPGRAIN_SYMBOLS_PYTHON_LINES_H

#include "analyzer/replay/replay.h"

/* Returns the line of the instruction at that byte of the code; 0 if it has none, or the table, of
 * which every byte may be chosen, does not reach to there. */
unsigned python_line(const struct python_code *code, uint32_t at);

#endif
