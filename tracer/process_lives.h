/* SPDX-License-Identifier: Apache-2.0 */
/* Returns true if a process has not ended, by its number here; one that nobody waited for has. */
#ifndef HIPGRAIN_TRACER_PROCESS_LIVES_H
#define HIPGRAIN_TRACER_PROCESS_LIVES_H

#include <stdbool.h>
#include <sys/types.h>

bool process_lives(pid_t pid);

#endif
