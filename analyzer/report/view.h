/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML report draws this besides the findings: the overview of one recording and the lines of
 * source that its findings are about, as JSON (version 1; between these programs, no interface).
 */
#ifndef HIPGRAIN_REPORT_VIEW_H
#define HIPGRAIN_REPORT_VIEW_H

struct analysis;
struct json_object;

/* The caller puts it. The analysis must have an overview. */
struct json_object *view_object(const struct analysis *analysis);

/*
 * { file: { "line": text } }: the lines of source that findings name, and some around each, as far
 * as they may be quoted (analyzer/symbols/source.h). The caller puts it.
 */
struct json_object *view_sources(const struct analysis *analysis);

#endif
