/* SPDX-License-Identifier: Apache-2.0 */
/* Full trace buffers. */
#ifndef HIPGRAIN_PRELOAD_TRACE_BUFFER_WAIT_H
#define HIPGRAIN_PRELOAD_TRACE_BUFFER_WAIT_H

/* In HIPGRAIN_DIR: lines "PID COUNT" of events for which there was no room until the end. */
#define HG_GIVEN_UP_FILE "given-up"

void hg_buffer_wait_give_up(void); /* count one more of these */

#endif
