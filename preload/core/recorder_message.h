/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the recorder. */
#ifndef HIPGRAIN_PRELOAD_CORE_RECORDER_MESSAGE_H
#define HIPGRAIN_PRELOAD_CORE_RECORDER_MESSAGE_H

/*
 * Leaves one line for the recorder to print at its end (tracer/process_messages.h), never on the
 * program's streams; only for what the user must know. Keeps errno.
 */
void hg_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
