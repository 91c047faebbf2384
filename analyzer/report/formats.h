/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of reports: a row each, the default first. */
#ifndef HIPGRAIN_REPORT_FORMATS_H
#define HIPGRAIN_REPORT_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

struct analysis;
struct json_object;

/*
 * FORMAT(id, name, function, needs): the name on the command line, which is also that of the file
 * NAME.c with the function, and
 *   OVERVIEW  it shows where memory was over time (struct overview)
 *   SEVERAL   several recordings can be reported in it (analyzer/cmds/merge.c)
 */
#define REPORT_FORMATS(FORMAT)                                      \
	FORMAT(TEXT, "text", report_text, SEVERAL)                  \
	FORMAT(JSON, "json", report_json, SEVERAL)                  \
	FORMAT(SARIF, "sarif", report_sarif, SEVERAL)               \
	FORMAT(HTML, "html", report_html, OVERVIEW | SEVERAL)       \
	FORMAT(CHROME, "chrome", report_chrome, OVERVIEW | SEVERAL) \
	FORMAT(LINE, "line", report_line, SEVERAL)                  \
	FORMAT(CSV, "csv", report_csv, SEVERAL)                     \
	FORMAT(OPENMETRICS, "openmetrics", report_openmetrics, 0)   \
	FORMAT(SUPPRESSIONS, "suppressions", report_suppressions, SEVERAL)

/*
 * These formats are made from the JSON report alone, which may be that of several recordings:
 * ROW(id, name), with json_as_NAME() in report/NAME.c.
 */
#define REPORT_FORMATS_OF_JSON(ROW) \
	ROW(SARIF, sarif)           \
	ROW(LINE, line)             \
	ROW(CSV, csv)               \
	ROW(SUPPRESSIONS, suppressions)

enum report_format {
#define FORMAT(id, ...) REPORT_##id,
	REPORT_FORMATS(FORMAT)
#undef FORMAT
};

/* For a usage: " text json ...". */
#define REPORT_FORMAT_NAME(id, name, ...) " " name
#define REPORT_FORMAT_NAMES               REPORT_FORMATS(REPORT_FORMAT_NAME)

/* Returns the format by its name on the command line ("text", "json", ...), or -1. */
int report_format_by_name(const char *name);
/* Returns "text, json or html"; the caller frees it. */
char *report_format_list(void);
/* Returns the same of the formats that take several recordings. */
char *report_format_list_of_several(void);
bool report_needs_overview(enum report_format format);
bool report_takes_several(enum report_format format);

/* Each writes a report and returns 0 or a negative errno. `style`: of REPORT_COLOR ... */
#define FORMAT(id, name, function, ...) \
	int function(const struct analysis *analysis, unsigned style, FILE *stream);
REPORT_FORMATS(FORMAT)
#undef FORMAT

/* Each makes a report from a JSON report, which is left as it is. Returns 0 or a negative errno. */
#define FORMAT(id, name) int json_as_##name(struct json_object *report, FILE *stream);
REPORT_FORMATS_OF_JSON(FORMAT)
#undef FORMAT
/* Calls one of them, by its id; returns -EINVAL for another format. */
int report_of_json(enum report_format format, struct json_object *report, FILE *stream);

#endif
