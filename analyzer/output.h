/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams on which hipgrain writes for people and scripts. Names of kernels, paths and arguments
 * come from recordings and files of others: on these streams no byte but text, line ends and
 * hipgrain's own colours comes out, whatever is printed. The rest is shown as text.h says.
 */
#ifndef HIPGRAIN_ANALYZER_OUTPUT_H
#define HIPGRAIN_ANALYZER_OUTPUT_H

#include <stdio.h>

/*
 * In place of an escape character, before "[...m" (colours of ECMA-48, SGR). An escape character
 * itself is one of somebody else's.
 */
#define OUTPUT_COLOR "\001"

/* From now on colours come out; before, the mark is shown like any other control character. */
void output_allow_colors(void);

/* Have stdout and stderr be such streams, from the program's start. */
void output_install(void);

/* Such a stream on a descriptor, which it closes. NULL with errno. */
FILE *output_on(int fd);

/* A new file, as fopen(PATH, "w"): fclose() says whether all of it was written. NULL with errno. */
FILE *output_open(const char *path);

/* The descriptor below a stream of these, or any other; for terminals. -1 if there is none. */
int output_descriptor(FILE *stream);

#endif
