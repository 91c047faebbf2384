/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of LTTng's session daemons. liblttng-ctl and a daemon understand each other only if both
 * are of one version: the structures of their protocol change, as the answer to
 * lttng_list_tracepoints() did between 2.12 and 2.13 (seen), and no call tells which one a daemon
 * speaks. So its program is asked.
 */
#ifndef HIPGRAIN_TRACER_DAEMON_VERSION_H
#define HIPGRAIN_TRACER_DAEMON_VERSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracer/client.h"

struct daemon_version {
	unsigned major, minor;
};

/* What program `path` prints for --version, within some seconds: false if that is no version. */
bool daemon_version_of(const char *path, struct daemon_version *version);

/* A daemon, and its version beside ours. */
struct daemon_other {
	pid_t process;
	bool root; /* root's, else the user's own */
	struct daemon_version theirs, ours;
};

/*
 * Whether the daemon that serves `client` runs and is of another version than `program`, the
 * lttng-sessiond that we would start (NULL: there is none). False also if one of the versions
 * cannot be determined: for example if its program cannot be read, as that of a daemon in another
 * container. It waits for an answer at most `limit_ms`.
 */
bool daemon_is_other(const struct client *client, const char *program, int limit_ms,
		     struct daemon_other *other);

#endif
