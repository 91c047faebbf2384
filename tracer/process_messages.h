/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the preload library for the user, which must not appear on the program's streams. */
#ifndef HIPGRAIN_TRACER_PROCESS_MESSAGES_H
#define HIPGRAIN_TRACER_PROCESS_MESSAGES_H

/* In HIPGRAIN_DIR: lines "PID PROGRAM: TEXT". */
#define HG_MESSAGES     "messages"
#define HG_MESSAGES_MAX 65536 /* bytes: later messages are omitted */

/*
 * "message-<pid>-<hexadecimal number>": a link whose target is such a line, by a process that could
 * not write to the file. The recorder takes it over.
 */
#define HG_MESSAGE_LINK      "message-"
#define HG_MESSAGE_LINK_NAME 64 /* bytes at most, with a slash in front */

/* A message that has this text about calls or kernels makes the recording incomplete. */
#define HG_MESSAGE_UNRECORDED " are not recorded"

/* One that has this text makes it incomplete as well, but all calls of HIP are there, in their
 * order. */
#define HG_MESSAGE_HOST_MEMORY "allocations of host memory" HG_MESSAGE_UNRECORDED

/* Takes over what processes left as links. */
void process_messages_collect(int folder);

/* Print each text once, as warnings. `folder`: a descriptor. */
void process_messages_show(int folder);

#endif
