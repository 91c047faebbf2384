/* SPDX-License-Identifier: Apache-2.0 */
/* This handles the end of the process, or of its program. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H
#define HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H

/* Writes what is buffered in memory; nothing is buffered from then on. */
void hg_process_exit_write(void);
/* Buffers again, because the process goes on. */
void hg_process_exit_again(void);

#endif
