/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to processes on standby to write their counts (session_record_again()). A request is an
 * empty file DIR/flush-requests/<pid>, DIR being the process's HIPGRAIN_DIR. The process removes it
 * when everything is in the trace that it had counted when it saw the request.
 */
#ifndef HIPGRAIN_TRACER_FLUSH_REQUEST_H
#define HIPGRAIN_TRACER_FLUSH_REQUEST_H

#include <stdbool.h>
#include <sys/types.h>

#define HG_FLUSH_REQUESTS "flush-requests"

/* Make a request. `pid`: as the process itself sees it. False if it cannot be made there. */
bool flush_request_begin(const char *directory, pid_t pid);
bool flush_request_answered(const char *directory, pid_t pid);
void flush_request_end(const char *directory, pid_t pid); /* answered or not */

#endif
