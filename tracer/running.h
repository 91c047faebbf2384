/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the processes of a recording that live: those whose HIPGRAIN_DIR, in the environment that
 * they began with, is the bundle's directory. That includes those that made no call of the GPU's
 * runtime yet, and those into which nothing was preloaded.
 */
#ifndef HIPGRAIN_TRACER_RUNNING_H
#define HIPGRAIN_TRACER_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RUNNING_NAME 48u

struct running {
	pid_t pid;
	char name[RUNNING_NAME]; /* as the kernel has it; "" if that is not known */
};

/*
 * Waits up to `grace_ms` until no process of the recording in `directory` lives. *list is
 * malloc'ed: those that then live, in order of their numbers. Returns how many these are, and 0
 * without /proc.
 */
size_t running_wait(const char *directory, int grace_ms, struct running **list);

/*
 * These look at a process, by its number as text. The first returns true if the environment that it
 * began with has `variable`, "NAME=VALUE"; the second reads its name, and leaves `name` as it is if
 * it cannot.
 */
bool running_has_variable(const char *pid, const char *variable);
void running_read_name(const char *pid, char name[RUNNING_NAME]);

#endif
