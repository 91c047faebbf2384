/* SPDX-License-Identifier: Apache-2.0 */
/* Only `record` uses this: a recording while it is made, and the parts of recorder.c. */
#ifndef HIPGRAIN_TRACER_RECORDING_H
#define HIPGRAIN_TRACER_RECORDING_H

#include <signal.h>
#include <stdbool.h>

#include "tracer/bundle.h"
#include "tracer/daemon.h"
#include "tracer/drain_process.h"
#include "tracer/install.h"
#include "tracer/node.h"
#include "tracer/record.h"
#include "tracer/session.h"

struct recording {
	const struct record_options *options;
	char **argv;
	char *executable;
	struct install_paths install;
	struct bundle bundle;
	struct daemon_link daemon;
	struct session session;
	struct bundle_manifest manifest;
	struct node node;           /* of `per_node` */
	struct bundle target;       /* of `stage`: where the bundle goes at the end */
	bool lttng;                 /* LTTng has the trace; else the processes' files are it */
	struct drain_process drain; /* if so: what puts the processes' records into it */
	pid_t places;  /* the process that answers where kernels load pointers from; or -1 */
	int control;   /* a flight recorder takes requests here; or -1 */
	int signals;   /* of `waited`, readable when one is pending; or -1 */
	int interrupt; /* of those signals that are forwarded, the same */
	sigset_t old_mask, waited;
	struct sigaction old_sigchld;
};

/* ---- command.c ---- */

/* Returns true if events are discarded, or not seen by a reader that connects to a relay late. */
bool recording_forgets(const struct record_options *options);

/*
 * Starts the command, under the preload library and with the signals that this process found.
 * Returns its pid, or -errno if it could not be executed.
 */
pid_t recording_start_command(const struct recording *recording);

/* ---- flight_recorder.c ---- */

/* It is below the bundle; LTTng makes a directory there for each snapshot. */
#define RECORDING_SNAPSHOTS "snapshots"

/* Takes a snapshot into the bundle. Returns 0, or -errno after a warning with `why`. */
int recording_snapshot(struct recording *recording, char *why, size_t why_size);

/*
 * Accepts requests for snapshots; without a socket the signal and the end of the command still
 * cause one.
 */
void recording_listen(struct recording *recording);

/* Does what sigtimedwait(2) does for a flight recorder's signals, and also serves requests and
 * takes snapshots: then it returns -1, and errno is EAGAIN when the time is up. */
int recording_wait_and_serve(struct recording *recording, siginfo_t *information);

#endif
