/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of the command line: one file each, one row each in analyzer/main.c.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_H
#define HIPGRAIN_ANALYZER_CMDS_H

#include <stdio.h>

/* A verb gets its own name as argv[0], parses its options and returns the exit status. */
int cmd_attach(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_live(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_placement(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_ps(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_standby(int argc, char **argv);

/*
 * Use the cache (analyzer/cache) from here on, unless that is not possible: a warning says so where
 * somebody should mend it.
 */
void cmds_use_cache(void);

/* The usage text of `verb` ("hipgrain VERB --help" and "hipgrain help VERB"). */
extern const char usage_attach[];
extern const char usage_check[];
extern const char usage_demo[];
extern const char usage_detach[];
extern const char usage_diff[];
extern const char usage_doctor[];
extern const char usage_events[];
extern const char usage_explain[];
extern const char usage_export[];
extern const char usage_import[];
extern const char usage_live[];
extern const char usage_merge[];
extern const char usage_placement[];
extern const char usage_probe[];
extern const char usage_ps[];
extern const char usage_record[];
extern const char usage_reduce[];
extern const char usage_report[];
extern const char usage_run[];
extern const char usage_scan[];
extern const char usage_snapshot[];
extern const char usage_standby[];

#endif
