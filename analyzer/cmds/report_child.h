/* SPDX-License-Identifier: Apache-2.0 */
/* A report in a process of its own. */
#ifndef HIPGRAIN_ANALYZER_CMDS_REPORT_CHILD_H
#define HIPGRAIN_ANALYZER_CMDS_REPORT_CHILD_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/cmds/report_options.h"

/*
 * Does what report_bundle() does, in a child process, so that a crash of the analysis (a defect,
 * memory that runs out, a limit) does not end the caller. *crashed: the child did not finish; then
 * one line on standard error has reported how it ended, where the recording is and how to repeat
 * the report, and the result is HG_EXIT_INTERNAL. Prepared options are released.
 */
int report_child(struct report_options *options, const char *bundle, FILE *stream, bool *crashed);

/* Prints which further reports of a bundle there are, but not behind a report for programs. */
void report_say_more(const struct report_options *report, const char *bundle);

#endif
