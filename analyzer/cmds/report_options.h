/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that every verb which reports has: `report` and `run`.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_REPORT_OPTIONS_H
#define HIPGRAIN_ANALYZER_CMDS_REPORT_OPTIONS_H

#include <getopt.h>

#include "analyzer/analyze.h"
#include "analyzer/report/selection.h"

/* Beyond those of record_options.h, so that one verb can have both. */
enum {
	REPORT_OPTION_FORMAT = 0x200,
	REPORT_OPTION_FAIL_ON,
	REPORT_OPTION_COLOR,
	REPORT_OPTION_SUPPRESSIONS,
	REPORT_OPTION_GEN_SUPPRESSIONS,
	REPORT_OPTION_BASELINE,
	REPORT_OPTION_VERBOSE,
	REPORT_OPTION_PROGRESS,
	REPORT_OPTION_ACCESS_IF,
	REPORT_OPTION_SOURCE_ROOT,
	REPORT_OPTION_SKIP_FRAMES,
	REPORT_OPTION_RANGE,
	REPORT_OPTION_NO_CACHE,
	REPORT_OPTION_END,
};

#define REPORT_LONG_OPTIONS                                                            \
	{ "format", required_argument, NULL, REPORT_OPTION_FORMAT },                   \
	    { "fail-on", required_argument, NULL, REPORT_OPTION_FAIL_ON },             \
	    { "color", required_argument, NULL, REPORT_OPTION_COLOR },                 \
	    { "suppressions", required_argument, NULL, REPORT_OPTION_SUPPRESSIONS },   \
	    { "gen-suppressions", no_argument, NULL, REPORT_OPTION_GEN_SUPPRESSIONS }, \
	    { "baseline", required_argument, NULL, REPORT_OPTION_BASELINE },           \
	    { "progress", required_argument, NULL, REPORT_OPTION_PROGRESS },           \
	    { "access-if", required_argument, NULL, REPORT_OPTION_ACCESS_IF },         \
	    { "source-root", required_argument, NULL, REPORT_OPTION_SOURCE_ROOT },     \
	    { "skip-frames", required_argument, NULL, REPORT_OPTION_SKIP_FRAMES },     \
	    { "range", required_argument, NULL, REPORT_OPTION_RANGE },                 \
	    { "no-cache", no_argument, NULL, REPORT_OPTION_NO_CACHE },                 \
	    { "verbose", no_argument, NULL, REPORT_OPTION_VERBOSE },                   \
	{                                                                              \
		"output", required_argument, NULL, 'o'                                 \
	}

#define REPORT_USAGE                                                                              \
	"      --format FORMAT       one of" REPORT_FORMAT_NAMES "\n"                             \
	"                            (default: text)\n"                                           \
	"      --fail-on SEVERITY    exit with 1 if there is a finding of at least SEVERITY:\n"   \
	"                            error, warning, advice or note; with 5 if there is none\n"   \
	"                            but the recording is incomplete\n"                           \
	"      --suppressions FILE   omit the findings that FILE lists; may be repeated\n"        \
	"      --gen-suppressions    the same as --format suppressions: a file for "              \
	"--suppressions\n"                                                                        \
	"      --baseline FILE       omit the findings of an earlier JSON report\n"               \
	"      --access-if xnack=0|1 also report how kernels would access their memory with\n"    \
	"                            XNACK off or on\n"                                           \
	"      --source-root DIR     quote lines of source files below DIR only\n"                \
	"      --skip-frames PATTERN files or functions that only pass calls on: an "             \
	"allocation's\n"                                                                          \
	"                            place is the first line outside of them; may be repeated\n"  \
	"      --range PATTERN       report only what occurred in ranges of the program\n"        \
	"                            whose name or path matches PATTERN\n"                        \
	"      --no-cache            neither use nor keep earlier analyses of machine code\n"     \
	"      --verbose             all findings, frames and places, and the evidence in\n"      \
	"                            chronological order\n"                                       \
	"      --progress WHEN       show the progress of the analysis: auto (default), always\n" \
	"                            or never\n"                                                  \
	"      --color WHEN          auto (default), always or never; NO_COLOR is honoured\n"

struct report_options {
	const char *output; /* NULL: the verb's default stream */
	enum report_format format;
	int fail_on; /* enum severity, or -1 */
	enum what_if what_if;
	struct supposed supposed; /* by --what-if of `report`, if `supposes` */
	bool supposes;
	GPtrArray *with;         /* const char *, paths of databases (--with); NULL: none */
	GPtrArray *skip_frames;  /* const char *, patterns; NULL: none */
	double worth;            /* percent, --worth */
	const char *range;       /* NULL: all findings are reported */
	const char *source_root; /* NULL: read source files anywhere */
	bool verbose;
	bool no_cache;
	int progress; /* 1 always, 0 never, -1 auto */
	int color;    /* 1 always, 0 never, -1 auto */
	const char *suppressions[16];
	unsigned suppression_files;
	const char *baseline;
	bool chrome;                /* it includes what Chrome's format shows */
	unsigned view;              /* parts that a report with this one's view has; 0: no view */
	const char *trace;          /* directory into which a relay wrote; NULL: none */
	struct selection selection; /* from report_prepare() on */
};

#define REPORT_OPTIONS_DEFAULT                                                                \
	{                                                                                     \
		.format = REPORT_TEXT, .fail_on = -1, .color = -1, .progress = -1, .worth = 1 \
	}

/* Take option `code` with its argument. 1: taken; 0: not one of these; -EINVAL after a message. */
int report_parse_option(struct report_options *options, int code, const char *argument);

/*
 * Read what the options name: suppressions, also those of HIPGRAIN_SUPPRESSIONS, and the
 * baseline. To be called before anything that takes long. Returns HG_EXIT_OK, or HG_EXIT_INPUT
 * after a message.
 */
int report_prepare(struct report_options *options);

/*
 * Select the findings, write the report to options->output or to `stream` without one, and free
 * both. Returns as the next one does.
 */
int report_analysis(struct report_options *options, struct analysis *analysis, FILE *stream);

/*
 * Analyse `bundle` and write the report to options->output, or to `stream` without one.
 * Returns HG_EXIT_OK, HG_EXIT_FINDINGS if --fail-on says so, or another enum hg_exit after a
 * message. Prepared options are released: one report each.
 */
int report_bundle(struct report_options *options, const char *bundle, FILE *stream);

#endif
