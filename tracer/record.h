/* SPDX-License-Identifier: Apache-2.0 */
/* This runs a command under the preload library and records it into a bundle. */
#ifndef HIPGRAIN_TRACER_RECORD_H
#define HIPGRAIN_TRACER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/environment.h"
#include "tracer/keep_symbols.h"
#include "tracer/places.h"
#include "tracer/rotation.h"

#define RECORD_DEFAULT_DIRECTORY "hipgrain.d"

enum record_hsa { RECORD_HSA_AUTO, RECORD_HSA_YES, RECORD_HSA_NO };

struct record_options {
	const char *directory; /* bundle; NULL: RECORD_DEFAULT_DIRECTORY */
	bool elsewhere;        /* if that cannot be used: a new directory below TMPDIR, or /tmp */
	bool per_node; /* one recording for all ranks here, in a bundle named by the machine below
			  `directory` */
	const char *stage; /* record below this directory, and move the bundle to its place at the
			      end; NULL: no */
	bool softgpu;      /* run on the software GPU */
	struct softgpu_model softgpu_model;
	bool totals;                  /* count host allocations below the threshold by call stack */
	const char *kernel_arguments; /* full, hashed or off; NULL: full */
	bool no_memory_queries;       /* do not query the runtime about memory */
	enum record_hsa hsa;          /* record what is below HIP */
	const char *residency; /* milliseconds between samples of page locations; NULL: none */
	bool gpu_time;         /* have the GPU's times of kernels and copies recorded */
	const char *fix;       /* changes to be made in memory: HIPGRAIN_FIX, or NULL */
	const char *fix_plan;  /* file with the kernels that are known for it, or NULL */
	bool no_migration;     /* do not record page faults and migrations */
	int stack_depth;       /* frames; negative: the preload library's default */
	int snapshot_mib;      /* flight recorder: keep so much in memory; 0: record all */
	const char *threshold; /* bytes or "all"; NULL: the preload library's default */
	struct rotation_plan rotation; /* settled; all 0: none */
	places_finder
	    *find_places; /* of kernels that are launched; NULL: memory is searched without */
	const char *url;  /* record to the relay daemon there; NULL: into the bundle */
	symbols_keeper *keep_symbols; /* at the end; NULL: none are kept */
	bool no_sources;              /* keep no contents of source files */
};

struct record_result {
	char *directory;     /* absolute path of the bundle, owned by the caller (free) */
	int status;          /* of the command, as a shell has it: 128 + n for signal n */
	bool complete;       /* the recording was flushed and ended */
	bool nothing;        /* no process of the command was recorded, although they were to be */
	int64_t lost_events; /* -1: not known */
	bool follows;        /* `per_node`: another rank of this machine makes the recording */
	int lock;            /* with `elsewhere`: open while nobody else may rename the bundle, the
			      * caller's to close; else -1 */
	bool gpu_missing;    /* the machine has none, and the software GPU was not requested */
};

/*
 * Records the command `argv` (ends with NULL). Its standard streams are not touched. Signals of the
 * terminal reach it directly; SIGINT, SIGTERM, SIGQUIT and SIGHUP sent to this process are
 * forwarded to it. Blocks these and SIGCHLD in this process permanently: pending ones must not end
 * a recorder that is closing its bundle.
 *
 * Returns HG_EXIT_OK when the command ran, whatever its status (*result is filled), otherwise one
 * of enum hg_exit after a message, or 128 + n when signal n came before the command was started;
 * then no new bundle is left behind.
 */
int record_command(const struct record_options *options, char **argv, struct record_result *result);

#endif
