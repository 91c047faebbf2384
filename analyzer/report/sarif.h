/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the SARIF report share. */
#ifndef HIPGRAIN_REPORT_SARIF_H
#define HIPGRAIN_REPORT_SARIF_H

#include "analyzer/rules/rules.h"

struct json_object;

/* A message, or a description, of one member. */
struct json_object *sarif_message(const char *value);
/* SARIF's name for it. */
const char *sarif_level(enum severity severity);
/* The tool with all its rules. */
struct json_object *sarif_driver(void);

#endif
