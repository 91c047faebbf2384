/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command to record: where it is, and whether a preload library can get into it.
 */
#ifndef HIPGRAIN_TRACER_COMMAND_FILE_H
#define HIPGRAIN_TRACER_COMMAND_FILE_H

#include <stddef.h>

/*
 * Find `command` as execvp(3) would (PATH unless it has a slash) and check that the dynamic loader
 * would honour LD_PRELOAD in it. A script is accepted when its interpreter exists, even a static
 * one: what it starts inherits the environment.
 *
 * On success returns 0 and *path is the file to execute, malloc'ed, owned by the caller. Otherwise
 * returns -errno (-ENOENT, -EACCES, -ENOEXEC: format, -EPERM: setuid and the like, -ENOMEM) and
 * `why` (of `why_size` bytes) holds one line without the command's name.
 */
int target_resolve(const char *command, char **path, char *why, size_t why_size);

#endif
