/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the text report: a label, then text that wraps at the printer's width. */
#ifndef HIPGRAIN_REPORT_PRINTER_H
#define HIPGRAIN_REPORT_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/analyze.h"

struct printer {
	const struct analysis *analysis;
	FILE *stream;
	bool color;
	bool verbose; /* all frames, all places, the evidence */
	size_t width; /* columns beside the labels */
};

/* `stream` is asked for its width: COLUMNS, the terminal's, or 100. */
void printer_init(struct printer *printer, const struct analysis *analysis, unsigned style,
		  FILE *stream);

/* The escape sequence, or nothing without colour. */
const char *paint(const struct printer *printer, const char *code);

/* Continuation lines stand below the first one; lines break at blanks, longer words stay whole. */
void put_row(const struct printer *printer, const char *label, const char *text);
/* The same; frees the text. */
void put_row_owned(const struct printer *printer, const char *label, char *text);

/* A recorded call stack, innermost call first, the first line quoted where the file exists. */
void put_stack(const struct printer *printer, const char *label, const struct process *process,
	       uint32_t stack_id);

/* --verbose: what was recorded that led to the finding, in the order of time. */
void put_evidence(const struct printer *printer, const struct finding *finding);

#endif
