/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which recording a process belongs to. In a daemon that several recordings share, LTTng gives each
 * of them the events of all processes; a number that each process reports, and by which the session
 * filters, separates them.
 */
#ifndef HIPGRAIN_TRACER_SESSION_FILTER_H
#define HIPGRAIN_TRACER_SESSION_FILTER_H

#include <stdint.h>

#define HG_SESSION_VARIABLE "HIPGRAIN_SESSION"

/* In the environment: the process id of the command that is recorded. */
#define HG_COMMAND_VARIABLE "HIPGRAIN_COMMAND"

/* In LTTng's filter language: an application context, "$app.PROVIDER:NAME". */
#define HG_SESSION_FILTER_PROVIDER "$app.hipgrain"
#define HG_SESSION_FILTER_CONTEXT  HG_SESSION_FILTER_PROVIDER ":recording"

/* Of a process that belongs to no recording, such as one on standby: the only number below 0. */
#define HG_SESSION_FILTER_NONE (-1)

/* FNV-1a of a session's name, without the sign, which filters have no constants of. */
static inline int64_t hg_session_filter(const char *session)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *session; session++)
		hash = (hash ^ (unsigned char)*session) * 0x100000001b3u;
	return (int64_t)(hash >> 1);
}

#endif
