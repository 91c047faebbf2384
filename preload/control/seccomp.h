/* SPDX-License-Identifier: Apache-2.0 */
/* This handles seccomp(2), after which system calls are not allowed. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_SECCOMP_H
#define HIPGRAIN_PRELOAD_CONTROL_SECCOMP_H

#include <stdbool.h>

/* Calls prctl() or seccomp(), whichever has that number, which may confine the process. Returns
 * what the call returns. */
long hg_confine(long number, long a, long b, long c, long d, long e);

/* Returns `env` without what would have another program recorded, as `list`, which must be as
 * long. */
char **hg_confined_environment(char *const *env, char **list);

#endif
