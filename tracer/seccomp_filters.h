/* SPDX-License-Identifier: Apache-2.0 */
/* This tells how many filters of system calls (seccomp(2)) a process runs under: from
 * /proc/PID/status. */
#ifndef HIPGRAIN_TRACER_SECCOMP_FILTERS_H
#define HIPGRAIN_TRACER_SECCOMP_FILTERS_H

#include <stdlib.h>
#include <string.h>

#define HG_STATUS_SIZE 8192u /* of the file; Linux 6 writes about 1500 bytes */

/* Returns the number in the line that begins with `name`, "Pid:" for example, or 0 if there is
 * none. */
static inline long hg_status_number(const char *status, const char *name)
{
	const char *line = status;

	while (line && strncmp(line, name, strlen(name)) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line ? strtol(line + strlen(name), NULL, 10) : 0;
}

/* Returns the number of filters, by the file's text. Linux before 5.9 does not count them: it is 0
 * then. */
static inline long hg_seccomp_filters(const char *status)
{
	return hg_status_number(status, "Seccomp_filters:");
}

#endif
