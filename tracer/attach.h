/* SPDX-License-Identifier: Apache-2.0 */
/* This records processes that are on standby, until they are detached. */
#ifndef HIPGRAIN_TRACER_ATTACH_H
#define HIPGRAIN_TRACER_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracer/standby.h"
#include "tracer/environment.h"
#include "tracer/keep_symbols.h"

struct attach_options {
	const char *directory; /* bundle; NULL: RECORD_DEFAULT_DIRECTORY */
	const pid_t *pids;
	size_t pid_count;
	bool all; /* every process that is on standby, also those that start later; no pids */
	struct standby_users users;   /* of --all: whose */
	symbols_keeper *keep_symbols; /* at the end; NULL: none are kept */
	bool no_sources;              /* keep no contents of source files */
	int seconds; /* end after this time, and return then; 0: return when recording has begun */
};

/*
 * Records into a bundle. With options->seconds it returns when the recording has ended: after that
 * time, when all the processes have ended, or at SIGINT or SIGTERM. Without, a process of our own
 * keeps the recording until detach_bundle() or until they have ended. Returns HG_EXIT_OK, or
 * another enum hg_exit after a message; then no bundle is left behind.
 */
int attach(const struct attach_options *options);

/*
 * Ends the recording into the bundle in `directory`, and waits until it is complete. Returns the
 * same.
 */
int detach_bundle(const char *directory);

/* Has the flight recorder of that bundle take a snapshot, and waits for it. Returns the same. */
int snapshot_bundle(const char *directory);

/* `hipgrain standby` executes the command, in an environment that allows it to be attached to. */
struct standby_options {
	const char *directory; /* for code objects; made if it is not there. NULL: a default */
	struct softgpu_model softgpu_model;
	bool softgpu, no_memory_queries, no_migration, totals;
	const char *kernel_arguments; /* full, hashed or off; NULL: full */
	int stack_depth;              /* negative: the library's default */
	const char *threshold;        /* NULL: the library's default */
};

/* Returns only an enum hg_exit after a message. */
int standby_exec(const struct standby_options *options, char **argv);

#endif
