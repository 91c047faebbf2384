/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that are not allowed: seccomp(2). */
#ifndef HIPGRAIN_PRELOAD_CONTROL_SECCOMP_H
#define HIPGRAIN_PRELOAD_CONTROL_SECCOMP_H

#include <stdbool.h>

/* prctl() or seccomp(), with the number of the one, that may confine the process. */
long hg_confine(long number, long a, long b, long c, long d, long e);

/* `env` without what would have another program recorded, in `list`, which has its length. */
char **hg_confined_environment(char *const *env, char **list);

#endif
