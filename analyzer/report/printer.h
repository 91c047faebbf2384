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

/* The width is that of `stream`: COLUMNS, the terminal's, or 100. */
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

/* text_evidence.c: rows about what a finding unites; nothing where there is nothing to say. */
void put_instructions(const struct printer *printer, const struct finding *finding);
void put_several(const struct printer *printer, const struct finding *finding);
void put_pages(const struct printer *printer, const struct finding *finding);
void put_candidates(const struct printer *printer, const struct finding *finding);
/* " 8" or "s 8 to 64": where in the memory, after "offset"; the caller frees. */
char *memory_extent(const struct finding *finding);

#endif
