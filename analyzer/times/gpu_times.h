/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of kernels on GPUs: those that were recorded (--gpu-time), and those that another tool took
 * (rocpd.h), matched to the launches of a recording by process and by the kernel's symbol.
 */
#ifndef HIPGRAIN_TIMES_GPU_TIMES_H
#define HIPGRAIN_TIMES_GPU_TIMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct process;

/* A kernel of a process. */
struct gpu_time {
	const struct process *process; /* borrowed */
	char *symbol;
	uint64_t launches;    /* recorded */
	uint64_t dispatches;  /* timed; more than launches where a graph has the kernel */
	uint64_t ns, most_ns; /* sum, and the longest */
};

struct gpu_times {
	GPtrArray *files;   /* char *, paths, or "this recording" */
	GPtrArray *kernels; /* struct gpu_time, the one that took longest first */
	GPtrArray *lines;   /* char *, sentences without full stop: what was not matched, and why */
	uint64_t kernels_ns;        /* of all kernels of the matched processes */
	uint64_t copies_ns, copies; /* theirs */
};

/* Sets analysis->gpu_times to the recorded times, if there are any. `software`: of the software
 * GPU. */
void gpu_times_record(struct analysis *analysis, bool software);

/*
 * Adds the times of a database in file `path` to analysis->gpu_times, which this makes if there are
 * none; analysis->overview is needed. Returns 0, also if nothing in it is of this recording: then
 * a line says so. Returns a negative errno with a one-line message in *error (g_free()) if it
 * cannot be read.
 */
int gpu_times_add(struct analysis *analysis, const char *path, char **error);
void gpu_times_free(struct gpu_times *times);

/* Returns the times of a kernel, or NULL: none are known. `times` may be NULL. */
const struct gpu_time *gpu_time_of(const struct gpu_times *times, const struct process *process,
				   const char *symbol);

/* Returns the time of kernels and copies of the matched processes, in ns. */
uint64_t gpu_times_sum(const struct gpu_times *times);

#endif
