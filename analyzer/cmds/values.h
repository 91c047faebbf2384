/* SPDX-License-Identifier: Apache-2.0 */
/* The values that options and arguments can have, for completion in shells. */
#ifndef HIPGRAIN_ANALYZER_CMDS_VALUES_H
#define HIPGRAIN_ANALYZER_CMDS_VALUES_H

#include <stdbool.h>

/*
 * Print those of an option ("--format"; NULL: the verb's arguments), a word a line. First may be a
 * line with '@': "@file", "@directory" and "@user" stand for these, "@list" for any of the words
 * after it, separated by commas; "@none" for a value that nobody can list, such as a number. False:
 * the verb has no such option, or it takes no value.
 */
bool values_print(const char *verb, const char *option);

#endif
