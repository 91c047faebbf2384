/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain check --seeds: the command again and again, in other orders, and one report. */
#ifndef HIPGRAIN_ANALYZER_CMDS_CHECK_SEEDS_H
#define HIPGRAIN_ANALYZER_CMDS_CHECK_SEEDS_H

#include "analyzer/cmds/report_options.h"
#include "tracer/record.h"

#define CHECK_SEEDS_MAX 10000

/*
 * Runs the command once for each of `count` seeds, from record->softgpu_model.seed on (from 1 if it
 * is not set), each into a bundle of its own (DIRECTORY.seed-N), and reports each finding once,
 * with the seeds that showed it. A signal or a run that cannot be recorded ends the search: what
 * was found until then is reported. Returns HG_EXIT_FINDINGS by report->fail_on, else the first
 * status of the command that is not 0, or another enum hg_exit after a message.
 */
int check_seeds(unsigned count, const struct record_options *record,
		const struct report_options *report, char **argv);

#endif
