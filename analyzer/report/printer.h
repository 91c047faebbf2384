/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the text report: a label, then text that wraps at the printer's width. */
#ifndef HIPGRAIN_REPORT_PRINTER_H
#define HIPGRAIN_REPORT_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/analyze.h"
#include "analyzer/rules/engine/findings.h"

struct json_object;

struct printer {
	const struct analysis *analysis;  /* NULL: of several recordings */
	struct symbolizer *symbolizer;    /* for lines of source, or NULL: */
	struct json_object *source_files; /* that member of the report; or NULL */
	FILE *stream;
	bool color;
	bool verbose; /* all frames, all places, the evidence */
	double worth; /* percent; advice that was measured to be worth less is not printed */
	size_t width; /* columns beside the labels */
	unsigned given[RULES]; /* findings, by rule */
	uint64_t unrecorded;   /* processes of the job of which not all is known */
};

/* The width is that of `stream`: COLUMNS, the terminal's, or 100. `analysis` may be NULL. */
void printer_init(struct printer *printer, const struct analysis *analysis, unsigned style,
		  FILE *stream);

/* Returns the escape sequence, or nothing without colour. */
const char *paint(const struct printer *printer, const char *code);

/* Continuation lines stand below the first one; lines break at blanks, longer words stay whole. */
void put_row(const struct printer *printer, const char *label, const char *text);
/* Does the same; frees the text. */
void put_row_owned(const struct printer *printer, const char *label, char *text);

/*
 * Does the same for text that may hold line ends, which become blanks: names, and what others
 * wrote.
 */
void put_words(const struct printer *printer, const char *label, const char *text);
void put_words_owned(const struct printer *printer, const char *label, char *text);

/* Prints a recorded call stack, innermost call first, the first line quoted if the file exists. */
void put_stack(const struct printer *printer, const char *label, const struct process *process,
	       uint32_t stack_id);

/* Does the same for a call stack of a JSON report. */
void put_json_stack(const struct printer *printer, const char *label, struct json_object *stack);

/*
 * text_finding.c: the whole block of a finding of a JSON report, which may be that of several
 * recordings and written by somebody else. `ranks`: of the job (json_report_ranks()). `more`: the
 * finding itself, for what --verbose adds; NULL where it is not at hand. Without --verbose nothing
 * is printed for advice and notes of a rule of which SHOWN_OF_A_RULE were printed.
 */
#define SHOWN_OF_A_RULE 10u
void put_finding(struct printer *printer, struct json_object *finding, const GArray *ranks,
		 const struct finding *more);
/* Prints how many put_finding() has not printed, a line a rule. */
void put_left_out(const struct printer *printer);

/* Prints for --verbose what was recorded that led to the finding, in the order of time. */
void put_evidence(const struct printer *printer, const struct finding *finding);

/* Print rows about what a finding unites (text_evidence.c); nothing if there is nothing to say. */
void put_instructions(const struct printer *printer, struct json_object *finding);
void put_several(const struct printer *printer, struct json_object *allocation);
void put_pages(const struct printer *printer, struct json_object *allocation);
void put_candidates(const struct printer *printer, struct json_object *finding);
/* Prints the first ones of several causes, with their fixes (text_causes.c). */
void put_first(const struct printer *printer, struct json_object *causes);
/* Prints the time of the finding's kernel, if it is known (gpu_time.c). */
void put_gpu_time(const struct printer *printer, struct json_object *finding);
/* Print what a cause is worth; and what all causes are, first (worth.c). */
void put_worth(const struct printer *printer, struct json_object *cause);
void put_worth_first(const struct printer *printer, struct json_object *causes);
/* Returns true if a cause was measured to be worth less than that share of the time. */
bool is_worth_less(struct json_object *cause, double percent);
/* Prints the other findings of its cause, a line each. */
void put_others(const struct printer *printer, struct json_object *finding);
/* Returns " 8" or "s 8 to 64": where in the memory, after "offset"; the caller frees it. */
char *memory_extent(struct json_object *allocation);

#endif
