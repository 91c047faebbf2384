/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a recording's findings with those under other rows of the model (analysis->supposed). */
#ifndef HIPGRAIN_REPORT_SUPPOSED_H
#define HIPGRAIN_REPORT_SUPPOSED_H

#include "analyzer/analyze.h"

struct json_object;
struct printer;

/* Returns how many findings of at least that severity are there and not today. */
unsigned supposed_breaks(const struct analysis *analysis, enum severity severity);

/* Tell what changes: a text, of which the first lines say it; and a JSON object, NULL without
 * analysis->supposed. */
void put_supposed(const struct printer *printer, unsigned style);
struct json_object *json_supposed(const struct analysis *analysis);

#endif
