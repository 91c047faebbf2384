/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process, or of its program. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H
#define HIPGRAIN_PRELOAD_CONTROL_PROCESS_EXIT_H

void hg_process_exit_write(void); /* what is buffered in memory, and buffer no more */
void hg_process_exit_again(void); /* buffer again: the process goes on */

#endif
