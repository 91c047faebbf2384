/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what hipgrain-rules(7) says about rules and sources, compiled in. */
#ifndef HIPGRAIN_REPORT_RULE_TEXT_H
#define HIPGRAIN_REPORT_RULE_TEXT_H

#include <stddef.h>

struct rule;

/* Paragraphs, separated by line feeds; the last ones begin with Evidence:, Fix:, Sources:. NULL:
 * none. */
const char *rule_text(const struct rule *rule);

/* Returns what the source tag of `length` bytes stands for, or NULL for an unknown tag. */
const char *source_text(const char *tag, size_t length);

#endif
