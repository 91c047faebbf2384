/* SPDX-License-Identifier: Apache-2.0 */
/* The HIP runtime that the dynamic linker finds, whatever its release. */
#ifndef HIPGRAIN_HIP_LIBRARY_H
#define HIPGRAIN_HIP_LIBRARY_H

#include <stddef.h>

/*
 * Opens libamdhip64: file `path` if that is not NULL, else the one with the highest number in its
 * name that the dynamic linker finds and can load (.so.5 to .so.10 are in use, and ROCm goes on
 * counting), else one below ROCM_PATH or /opt/rocm. NULL if there is none, with the reason in
 * error[size]: that of a library that is there before that of a name that is not.
 */
void *hip_library_open(const char *path, char *error, size_t size);

#endif
