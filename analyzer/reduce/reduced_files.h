/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the files of a reduced bundle. */
#ifndef HIPGRAIN_REDUCE_REDUCED_FILES_H
#define HIPGRAIN_REDUCE_REDUCED_FILES_H

/*
 * Fills directory `folder` with what a report needs of the bundle at `path`, with placeholders for
 * names. `needed`: as for reduce_code(). Returns 0, or a negative errno with *why, one line that
 * the caller g_free()s.
 */
int reduce_files(const char *path, int folder, const char *needed, char **why);

#endif
