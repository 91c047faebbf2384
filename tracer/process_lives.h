/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These look at a process by its number here. Its first thread may end before others: what /proc
 * has of the process as a whole is then that thread's, which is a zombie without memory.
 */
#ifndef HIPGRAIN_TRACER_PROCESS_LIVES_H
#define HIPGRAIN_TRACER_PROCESS_LIVES_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns true if a process has not ended; one that nobody waited for has. */
bool process_lives(pid_t pid);

/* Writes the directory in /proc of a thread of it that has not ended, or of the process if there
 * is none. */
#define PROCESS_FOLDER 64u
void process_folder(pid_t pid, char folder[PROCESS_FOLDER]);

#endif
