/* SPDX-License-Identifier: Apache-2.0 */
/* Takes names and what no finding needs out of a code object. */
#ifndef HIPGRAIN_REDUCE_CODE_H
#define HIPGRAIN_REDUCE_CODE_H

#include <stddef.h>

#include "placeholders.h"

/*
 * Replaces, in a code object (ELF, `size` bytes, which may be anything), the names of symbols, of
 * arguments and in debug information, each by one of the same length. Unless `needed` is NULL,
 * constant data becomes zeros, and so does the code of kernels whose names are not in that text.
 * Returns NULL, or why it cannot be done.
 */
const char *reduce_code(char *data, size_t size, struct names *names, const char *needed);

#endif
