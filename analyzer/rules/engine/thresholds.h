/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds of rules.def as constants. */
#ifndef HIPGRAIN_RULES_THRESHOLDS_H
#define HIPGRAIN_RULES_THRESHOLDS_H

#define NONE
#define THRESHOLDS(...)                                                       enum { __VA_ARGS__ };
#define RULE(id, slug, severity, title, sources, wakes, function, thresholds) thresholds
#include "analyzer/rules/rules.def"
#undef RULE
#undef THRESHOLDS
#undef NONE

#endif
