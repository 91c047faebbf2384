/* SPDX-License-Identifier: Apache-2.0 */
/* What hipgrain-rules(7) says about rules and sources, compiled in. */
#ifndef HIPGRAIN_REPORT_RULE_TEXT_H
#define HIPGRAIN_REPORT_RULE_TEXT_H

#include <stddef.h>

struct rule;

/* Paragraphs, separated by line feeds; the last ones begin with Evidence:, Fix:, Sources:. NULL:
 * none. */
const char *rule_text(const struct rule *rule);

/* What the source tag of `length` bytes stands for; NULL: an unknown tag. */
const char *source_text(const char *tag, size_t length);

#endif
