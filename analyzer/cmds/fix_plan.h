/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about kernels that `hipgrain run --fix` must know before they run. */
#ifndef HIPGRAIN_ANALYZER_CMDS_FIX_PLAN_H
#define HIPGRAIN_ANALYZER_CMDS_FIX_PLAN_H

/*
 * Look at the kernels in the executable that `command` is, and in the libraries that the loader
 * finds for it (without running it), and write which of them do floating-point atomics that
 * fine-grained memory loses (preload/hip/planned_fixes.h has the format). *path: a new file that
 * only this user can read, to be removed and freed by the caller. 0, or a negative errno after a
 * message.
 */
int fix_plan_write(const char *command, char **path);

#endif
