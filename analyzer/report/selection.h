/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells which findings a report is about: all of them, but those that a suppression matches and
 * those that an earlier report (the baseline) had already.
 */
#ifndef HIPGRAIN_SELECTION_H
#define HIPGRAIN_SELECTION_H

#include <glib.h>
#include <stdint.h>

#include "analyzer/analyze.h"

enum suppression_kind {
	SUPPRESS_RULE,  /* RULE:glob of the kernel's name, or of the call's */
	SUPPRESS_ALLOC, /* alloc:glob of a frame where the memory was allocated */
	SUPPRESS_LIB,   /* lib:glob of an executable or library that takes part */
};

struct suppression {
	enum suppression_kind kind;
	char *rule; /* SUPPRESS_RULE: glob of rule ids */
	char *pattern;
	char *text; /* as written */
	char *file;
	unsigned line;
	uint64_t count; /* findings that it took out */
};

struct selection {
	GPtrArray *suppressions; /* struct suppression */
	uint64_t suppressed;     /* findings, each once */
	char *baseline;          /* path of the earlier report, NULL without one */
	GHashTable *known;       /* its fingerprints */
	GPtrArray *known_now;    /* char *: fingerprints of findings that are there again */
};

/* Sets nothing suppressed, no baseline. */
void selection_init(struct selection *selection);
void selection_clear(struct selection *selection);

/*
 * Read a file of suppressions, one a line; blank lines and lines that begin with # are skipped.
 * Returns 0 or a negative errno with a one-line message in *error, which the caller frees.
 */
int selection_read_suppressions(struct selection *selection, const char *path, char **error);

/* Read an earlier JSON report; as above. A second baseline adds to the first. */
int selection_read_baseline(struct selection *selection, const char *path, char **error);

/* Take out of the analysis what is not to be reported. The selection must outlive it. */
void selection_apply(struct selection *selection, struct analysis *analysis);

/* The text by which rows are compared, freed by the caller; add `from` to `to`. */
typedef char *(*describe_row)(const struct analysis *analysis, const void *row);
typedef void (*join_rows)(const struct analysis *analysis, void *to, void *from);
/* Join the rows of `list` with the same text, into the first of them; others are removed from it.
 */
void unite_list(const struct analysis *analysis, GPtrArray *list, describe_row describe_one,
		join_rows join_two);

/*
 * Merge findings that cannot be distinguished in the source: of one process, about the same thing,
 * with stacks that read the same. Before fingerprint_findings(); needs a sorted list.
 */
void unite_alike(struct analysis *analysis);
/* Does the same with rows of the account of pages that moved. */
void unite_migration(struct analysis *analysis);

/*
 * Give every finding its fingerprint: equal in two recordings if it is the same finding. Made of
 * the rule, the kernel, its argument, the call, and the functions (not the lines, which move, nor
 * the files, which get other names) where the memory was allocated and the call was made; of no
 * address, size or count. Findings of one process that are alike in all this are numbered. The
 * former fingerprint has the files, too: by it baselines of earlier versions match.
 */
void fingerprint_findings(struct analysis *analysis);

/*
 * Returns true if a suppression matches a finding, for each kind in one file: suppression_files.c.
 */
bool suppression_matches(const struct suppression *suppression, const struct analysis *analysis,
			 const struct finding *finding);

#endif
