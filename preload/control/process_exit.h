/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process, or of its program. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H
#define HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H

void hg_process_exit_write(void); /* what is buffered in memory, and buffer no more */
void hg_process_exit_again(void); /* buffer again: the process goes on */
/* At the end of the process, in place of LTTng-UST's functions or before them: the same. */
void hg_process_at_exit(void);

#endif
