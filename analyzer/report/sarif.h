/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the SARIF report share this. */
#ifndef HIPGRAIN_REPORT_SARIF_H
#define HIPGRAIN_REPORT_SARIF_H

#include "analyzer/rules/rules.h"

struct json_object;

/* Returns a message, or a description, of one member. */
struct json_object *sarif_message(const char *value);
/* Returns SARIF's name for it. */
const char *sarif_level(enum severity severity);
/* Returns a file's place: relative to %SRCROOT% (`root`, with a slash at the end; or NULL), or an
 * absolute URI; a relative path of the line table stays as it is. */
struct json_object *sarif_artifact(const char *root, const char *file);
/* Returns the fixes of a finding of the JSON report, and of the others of its cause; NULL: none. */
struct json_object *sarif_fixes(const char *root, struct json_object *finding);
/* Returns the tool with all its rules. */
struct json_object *sarif_driver(void);

#endif
