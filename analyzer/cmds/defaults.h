/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that nobody typed: from configuration files and the environment.
 *
 * Configuration files are key files, a section a verb and [all] for every verb that has the option;
 * a key is a long option's name. They are read in this order, the later one wins: the system's,
 * then the user's; or only the one that HIPGRAIN_CONFIG names (empty: none). After them come the
 * words of HIPGRAIN_VERB_OPTIONS (HIPGRAIN_RUN_OPTIONS ...), and then the command line.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_DEFAULTS_H
#define HIPGRAIN_ANALYZER_CMDS_DEFAULTS_H

/* A verb as its help text describes it: the help is what says which options there are. */
struct verb_help {
	const char *name, *usage;
};

/*
 * The arguments of `verb` with the defaults before them: argv[0], defaults, the rest of argv. The
 * vector is NULL-terminated, *argc is its new length, and it stays valid until the program ends.
 * `verbs` (count) are all there are. NULL and a message when a file or variable is wrong.
 */
char **with_defaults(const struct verb_help *verbs, unsigned count, const char *verb, int *argc,
		     char **argv);

#endif
