/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files that a user names in the command line: reports, baselines, suppressions. */
#ifndef HIPGRAIN_INPUT_FILE_H
#define HIPGRAIN_INPUT_FILE_H

/* A larger file is refused. */
#define INPUT_FILE_MIB 256

/*
 * Returns the content of the file, which may be a pipe, with a NUL byte behind it; to be freed with
 * g_free(). Returns NULL if it cannot be read, is a FIFO to which nobody writes, is larger than
 * INPUT_FILE_MIB or contains a NUL byte: then *error, which is to be freed with g_free(), names the
 * file and says why.
 */
char *input_file_read(const char *path, char **error);

#endif
