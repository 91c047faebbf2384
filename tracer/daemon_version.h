/* SPDX-License-Identifier: Apache-2.0 */
/* This finds versions of LTTng's session daemons. */
#ifndef HIPGRAIN_TRACER_DAEMON_VERSION_H
#define HIPGRAIN_TRACER_DAEMON_VERSION_H

#include <stdbool.h>

struct daemon_version {
	unsigned major, minor;
};

/* Reads the version that program `path` prints for --version, within some seconds. Returns false if
 * that is no version. */
bool daemon_version_of(const char *path, struct daemon_version *version);

#endif
