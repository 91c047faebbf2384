/* SPDX-License-Identifier: Apache-2.0 */
/* The member `source_files` of the JSON report: the source files that findings name. */
#ifndef HIPGRAIN_REPORT_SOURCE_FILES_H
#define HIPGRAIN_REPORT_SOURCE_FILES_H

#include <json-c/json.h>

struct analysis;

/*
 * Returns an object for each file, by its name: hash and time as recorded, if the file that is
 * there now differs, and the lines that findings name, as recorded. The caller puts it.
 */
struct json_object *json_source_files(const struct analysis *analysis);

/* Returns the text of a line without its indentation, borrowed; NULL if the report has none. */
const char *json_source_line(struct json_object *files, const char *file, unsigned line);

/* Adds what another report has. */
void json_source_files_unite(struct json_object *files, struct json_object *more);

#endif
