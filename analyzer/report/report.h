/* SPDX-License-Identifier: Apache-2.0 */
/* One function an output format; each writes to the stream and returns 0 or a negative errno. */
#ifndef HIPGRAIN_REPORT_H
#define HIPGRAIN_REPORT_H

#include "analyzer/analyze.h"

int report_text(const struct analysis *analysis, bool color, FILE *stream);
int report_json(const struct analysis *analysis, bool color, FILE *stream);

#endif
