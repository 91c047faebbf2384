/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options of the command line. */
#include "analyzer/cmds/next_option.h"

#include <stddef.h>

static bool refused;

int next_option(int argc, char **argv, const char *short_options, const struct option *options)
{
	int code;

	opterr = 0;
	code = getopt_long(argc, argv, short_options, options, NULL);
	refused |= code == '?';
	return code;
}

bool option_refused(void)
{
	return refused;
}
