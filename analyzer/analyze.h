/* SPDX-License-Identifier: Apache-2.0 */
/* A trace bundle, analysed: the library behind `hipgrain report` and `hipgrain run`. */
#ifndef HIPGRAIN_ANALYZE_H
#define HIPGRAIN_ANALYZE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/completeness.h"
#include "analyzer/overview/overview.h"
#include "analyzer/reader/reader.h"
#include "analyzer/replay/replay.h"
#include "analyzer/report/formats.h"
#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/symbols.h"

struct gpu_times;
struct measured;
struct selection;

/* The state of XNACK of which the report tells what it would change. */
enum what_if { WHAT_IF_NOTHING, WHAT_IF_XNACK0, WHAT_IF_XNACK1 };

/* The cost of recording, by the programs' own estimates (preload/trace/cost.c). Times are in ns. */
struct recording_cost {
	uint64_t bytes;     /* of the trace, on disk */
	uint64_t processes; /* those that left an estimate; the cost of others is not known */
	uint64_t calls;     /* into the recorder */
	uint64_t timed;     /* of them, those whose time was taken */
	uint64_t spent;     /* processor time of all of them, estimated */
	uint64_t used;      /* processor time of these processes, that included */
	GHashTable
	    *reported; /* struct reported_cost by pid: what those on standby report in the trace */
};

struct analysis {
	char *bundle;              /* path */
	struct measured *measured; /* on the machine (model/measured.h) */
	struct replay replay;
	struct findings findings;
	struct reader_stats stats;
	struct symbolizer *symbolizer;
	struct overview *overview; /* NULL unless it was requested */
	int64_t began_ns;          /* the first event, of whatever process */
	struct recording_facts facts;
	struct completeness recording; /* from the end of the run on */
	struct recording_cost cost;
	GArray *ranks;               /* int, sorted: the ranks of the job that made HIP calls */
	enum what_if what_if;        /* selects what is reported besides */
	struct analysis *supposed;   /* the same recording under other rows; NULL; owned */
	double worth;                /* percent: advice below it is not printed */
	struct gpu_times *gpu_times; /* times/gpu_times.h; NULL: none were added */
	bool
	    analysed; /* all that was recorded was analysed; `recording` says if that is complete */
	const struct selection *selection; /* borrowed; NULL: all findings are reported */
};

/*
 * Analyse the bundle in directory `path` (ctf/, code-objects/, manifest.json). Damage inside the
 * trace is not an error: the analysis covers what is there, and its limits say what is not.
 * Returns 0; or a negative errno and a one-line message in *error (to be freed by the caller)
 * when there is nothing that could be analysed.
 */
int analysis_load(struct analysis *analysis, const char *path, char **error);
/*
 * Does the same, with analysis->overview if wanted. The trace of a bundle that was recorded to a
 * relay is looked for below directory `trace` (NULL: nowhere).
 */
int analysis_load_from(struct analysis *analysis, const char *path, const char *trace,
		       bool overview, char **error);
/*
 * Analyses the recording once more, as if it had been made under what is supposed, into
 * analysis->supposed. `supposed` must outlive the analysis. Returns as analysis_load() does.
 */
int analysis_load_supposed(struct analysis *analysis, const char *path, const char *trace,
			   const struct supposed *supposed, char **error);
void analysis_clear(struct analysis *analysis);

/*
 * Begins to analyse events that come from elsewhere: pass each one, in order, to analysis_event()
 * with the run as its data. `bundle` (may be NULL) has code objects and manifest. analysis->stats
 * is the caller's to fill in before the end. A run ends once, by one of the last two.
 */
struct analysis_run;
struct analysis_run *analysis_begin(struct analysis *analysis, const char *bundle, bool overview);
/* For a recording that is being made: its manifest does not say yet that it is whole. */
struct analysis_run *analysis_begin_live(struct analysis *analysis, const char *bundle,
					 const char *session, bool overview);
/* More would have come. */
void analysis_cut_off(struct analysis_run *run, const char *why);
int analysis_event(const struct hg_event *event, void *run);
void analysis_end(struct analysis_run *run);
void analysis_drop(struct analysis_run *run); /* there will be no report */

/* Returns the number of findings of at least that severity. */
unsigned analysis_count(const struct analysis *analysis, enum severity severity);

/* Styles of the text format; the others have everything and no colours. */
/* VIEW: the JSON report with what the HTML report draws (report/view.h); takes an overview. */
enum { REPORT_COLOR = 1, REPORT_VERBOSE = 2, REPORT_VIEW = 4, REPORT_EVENTS = 8 };

/* Write a report. Returns 0 or a negative errno. */
int report_write(const struct analysis *analysis, enum report_format format, unsigned style,
		 FILE *stream);

#endif
