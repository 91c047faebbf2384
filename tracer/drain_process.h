/* SPDX-License-Identifier: Apache-2.0 */
/* The process that takes records out of processes' files into the recording's session (drain.h). */
#ifndef HIPGRAIN_TRACER_DRAIN_PROCESS_H
#define HIPGRAIN_TRACER_DRAIN_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/daemon.h"

struct drain_process {
	pid_t pid;  /* or -1 */
	int socket; /* or -1 */
};
#define DRAIN_PROCESS_NONE              \
	{                               \
		.pid = -1, .socket = -1 \
	}

/*
 * Starts it: it registers with the daemon of `client` and serves HG_RINGS of the bundle, of which
 * that is the descriptor. `provider` is the path of the provider's library. Returns 0 or -errno
 * with one line in `why`.
 */
int drain_process_begin(struct drain_process *drain, const struct daemon_link *daemon, int bundle,
			const char *provider, char *why, size_t why_size);

/* Waits, for some seconds at most, until it has taken what there is now. */
void drain_process_sweep(const struct drain_process *drain);

/*
 * Ends it when it has taken everything; *lost: the records that processes have lost. The same; in
 * any case the process is gone.
 */
int drain_process_end(struct drain_process *drain, uint64_t *lost, char *why, size_t why_size);

#endif
