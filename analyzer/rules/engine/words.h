/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in sentences. */
#ifndef HIPGRAIN_RULES_WORDS_H
#define HIPGRAIN_RULES_WORDS_H

#include <glib.h>

/* Returns what stands before part number `at` of `count`: "", ", " or " and ". */
const char *words_separator(guint at, guint count);

/* Returns "a, b and c" of the parts (char *); to be freed. */
char *words_list(const GPtrArray *parts);

#endif
