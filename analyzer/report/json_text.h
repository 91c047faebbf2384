/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a finding of a JSON report, which somebody else may have written, as rows of text. */
#ifndef HIPGRAIN_REPORT_JSON_TEXT_H
#define HIPGRAIN_REPORT_JSON_TEXT_H

#include <stdio.h>

#include "place.h"

struct json_object;

/* Each writes "  LABEL       TEXT" lines, and nothing where the report does not tell it. */

/* Writes "file:line (function)". */
void json_text_place(FILE *stream, const char *label, struct source_place place);
void json_text_instruction(FILE *stream, struct json_object *finding);
/* Writes where the kernel was launched or the function called. */
void json_text_call(FILE *stream, struct json_object *finding);

/* Writes the others of its cause: what uses it or calls, and where. */
void json_text_others(FILE *stream, struct json_object *finding);

#endif
