/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of LTTng-UST's, which the program must not close. */
#ifndef HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H
#define HIPGRAIN_PRELOAD_CONTROL_DESCRIPTORS_H

#include <stdbool.h>

/* Whether a descriptor is LTTng-UST's, or ours. */
bool hg_descriptor_is_tools(int fd);
/* Whether one of LTTng-UST's descriptors is no longer open. */
bool hg_descriptors_lost(void);
/* close(), except for LTTng-UST's descriptors; not a cancellation point. */
int hg_close_of_program(int fd);

/* Returns true if an address lies in LTTng-UST's code. */
bool hg_code_is_lttngs(const void *caller);

/* A listener's socket was shut down: no session daemon is connected to it (listeners.c). */
void hg_descriptor_forget(int fd);
/* Whether a session daemon has closed its end of one of LTTng-UST's sockets. */
bool hg_descriptors_hung_up(void);

#endif
