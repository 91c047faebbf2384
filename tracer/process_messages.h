/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the preload library for the user, which must not appear on the program's streams. */
#ifndef HIPGRAIN_TRACER_PROCESS_MESSAGES_H
#define HIPGRAIN_TRACER_PROCESS_MESSAGES_H

/* In HIPGRAIN_DIR: lines "PID PROGRAM: TEXT". */
#define HG_MESSAGES     "messages"
#define HG_MESSAGES_MAX 65536 /* bytes: later messages are omitted */

/* A message that has this text about calls or kernels makes the recording incomplete. */
#define HG_MESSAGE_UNRECORDED " are not recorded"

/* Print each text once, as warnings. `folder`: a descriptor. */
void process_messages_show(int folder);

#endif
