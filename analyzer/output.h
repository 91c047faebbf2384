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
 * This stands for an escape character before "[...m" (colours of ECMA-48, SGR). A true escape
 * character in the output comes from elsewhere.
 */
#define OUTPUT_COLOR "\001"

/* From now on colours come out; before, the mark is shown like any other control character. */
void output_allow_colors(void);

/* Replaces stdout and stderr by such streams, from the program's start. */
void output_install(void);

/* Returns such a stream on a descriptor, which it closes; NULL with errno set. */
FILE *output_on(int fd);

/* Creates a file, as fopen(PATH, "w"): fclose() says if all of it was written. Returns NULL with
 * errno set on failure. */
FILE *output_open(const char *path);

/* Returns the descriptor below a stream of these, or of any other, for terminals; -1 if there is
 * none. */
int output_descriptor(FILE *stream);

#endif
