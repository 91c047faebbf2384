/* SPDX-License-Identifier: Apache-2.0 */
/* What the preload library has to say to the person, which is not the program's to say. */
#ifndef HIPGRAIN_TRACER_PROCESS_MESSAGES_H
#define HIPGRAIN_TRACER_PROCESS_MESSAGES_H

/* In HIPGRAIN_DIR: lines "PID PROGRAM: TEXT". */
#define HG_MESSAGES     "messages"
#define HG_MESSAGES_MAX 65536 /* bytes: what is said then is left out */

/* Print each text once, as warnings. `folder`: a descriptor. */
void process_messages_show(int folder);

#endif
