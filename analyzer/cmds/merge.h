/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one report of several recordings, for the verbs that need that. */
#ifndef HIPGRAIN_ANALYZER_CMDS_MERGE_H
#define HIPGRAIN_ANALYZER_CMDS_MERGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/report/formats.h"

struct merge_options {
	const char *const *paths; /* JSON reports, and recordings, which are analysed first */
	unsigned count;
	const uint64_t
	    *seeds;    /* of each path, if they are runs of one command; NULL: they are not */
	unsigned jobs; /* recordings analysed at the same time */
	enum report_format format; /* one that takes several (report/formats.h) */
	int fail_on;               /* enum severity, or -1 */
	const char *output;        /* NULL: `stream` */
	FILE *stream;              /* NULL: standard output */
	bool verbose;
	const char *const *extra; /* options for the analysis of a recording, ends with NULL */
};

/* Returns the number of analyses at a time that suits this machine. */
unsigned merge_default_jobs(void);

/* Returns the number of --jobs; 0 after a message. */
unsigned merge_parse_jobs(const char *text);

/* Returns HG_EXIT_OK, HG_EXIT_FINDINGS if fail_on says so, or another enum hg_exit after a
 * message. */
int merge_run(const struct merge_options *options);

#endif
