/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options, and remembers if one was refused: the status of a command can be the same. */
#ifndef HIPGRAIN_ANALYZER_CMDS_NEXT_OPTION_H
#define HIPGRAIN_ANALYZER_CMDS_NEXT_OPTION_H

#include <getopt.h>
#include <stdbool.h>

/* Is getopt_long(3), which prints no message: main() does, if option_refused(). */
int next_option(int argc, char **argv, const char *short_options, const struct option *options);

/* Returns true if next_option() has met an option that is not known, or lacks its value. */
bool option_refused(void);

#endif
