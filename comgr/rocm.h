/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libraries of ROCm that the dynamic linker does not find by their names. */
#ifndef HIPGRAIN_COMGR_ROCM_H
#define HIPGRAIN_COMGR_ROCM_H

/*
 * Returns the files NAME.[0-9]* ("libamdhip64.so") below ROCM_PATH and where AMD's packages install
 * them, in the order in which they are to be tried; of one directory the highest number first. The
 * list ends with NULL and is for rocm_libraries_free(); NULL if memory is exhausted.
 */
char **rocm_libraries(const char *name);

/* Returns the same for one directory. */
char **rocm_libraries_in(const char *directory, const char *name);

void rocm_libraries_free(char **list);

#endif
