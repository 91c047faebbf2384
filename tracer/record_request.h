/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to programs on standby to be recorded: tracer/requests.h. */
#ifndef HIPGRAIN_TRACER_RECORD_REQUEST_H
#define HIPGRAIN_TRACER_RECORD_REQUEST_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Request a process, or cancel the request; `pid` as the process sees it, 0: all that use the
 * directory, also those that start later. False where the directory has no such file: nothing is on
 * standby there, or only processes that need no request.
 */
bool record_request_set(const char *directory, pid_t pid, bool wanted);

/*
 * Whether the process listens, or has LTTng-UST. One that does not has made no call yet that would
 * be recorded, and begins to listen when it does.
 */
bool record_request_is_heard(pid_t pid);

#endif
