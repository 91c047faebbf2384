/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a process that is on standby has written what was requested (session_tell()): there is a
 * file DIR/asked/<pid>, empty, DIR being its HIPGRAIN_DIR, and it removes that when all is in the
 * trace that was there when it looked.
 */
#ifndef HIPGRAIN_TRACER_FLUSH_REQUEST_H
#define HIPGRAIN_TRACER_FLUSH_REQUEST_H

#include <stdbool.h>
#include <sys/types.h>

#define HG_ASKED "asked"

/* Before it is asked. `pid`: as it numbers itself. false where its folder does not allow it. */
bool flush_request_begin(const char *directory, pid_t pid);
bool flush_request_answered(const char *directory, pid_t pid);
void flush_request_end(const char *directory, pid_t pid); /* answered or not */

#endif
