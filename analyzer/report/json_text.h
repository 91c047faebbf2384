/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of text about a finding of a JSON report, which somebody else may have written. */
#ifndef HIPGRAIN_REPORT_JSON_TEXT_H
#define HIPGRAIN_REPORT_JSON_TEXT_H

#include <stdio.h>

#include "place.h"

struct json_object;

/* Each writes "  LABEL       TEXT" lines, and nothing where the report does not tell it. */

/* The text of a member. */
void json_text_row(FILE *stream, struct json_object *finding, const char *label, const char *name);
/* "file:line (function)" */
void json_text_place(FILE *stream, const char *label, struct source_place place);
void json_text_instruction(FILE *stream, struct json_object *finding);
/* The allocation, where it was made, and why its granularity is what it is. */
void json_text_memory(FILE *stream, struct json_object *finding);
/* Where the kernel was launched or the function called. */
void json_text_call(FILE *stream, struct json_object *finding);

#endif
