/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measurements of `hipgrain probe` on the machine of a recording take precedence over the
 * tables of the memory model.
 */
#ifndef HIPGRAIN_MODEL_MEASURED_H
#define HIPGRAIN_MODEL_MEASURED_H

#include "model.h"

/* The contents of one or more files of schema hipgrain-probe/1. */
struct measured;

struct measured *measured_new(void);
void measured_free(struct measured *measured); /* may be NULL */

/*
 * Add a file, which somebody else may have written. 0; or -1 with one line in *why (to be freed)
 * if it is no probe, or too large to be one: then nothing of it was added.
 */
int measured_add(struct measured *measured, const char *path, char **why);
/* Does the same for all *.json in a directory whose names begin with `prefix` ("": all). Returns
 * their number; files that cannot be used are left out, each with a line in `problems` (char *). */
struct _GPtrArray;
unsigned measured_add_directory(struct measured *measured, const char *directory,
				const char *prefix, struct _GPtrArray *problems);

/* The key of the measurements that hold for a process and its GPU. */
struct measured_key {
	const char *arch; /* "gfx90a", or a target id that begins with it */
	int xnack;        /* -1, unknown: none holds */
	int runtime_version;
};

/* Memory by the call that allocated it; measured for exactly these. */
struct measured_memory {
	unsigned api;
	uint64_t flags;
	bool advised; /* all of it by hipMemAdviseSetCoarseGrain */
};

bool measured_any(const struct measured *measured, const struct measured_key *key);

/* Returns GRAIN_FINE or GRAIN_COARSE; GRAIN_UNKNOWN if it was not measured, or is not the same on
 * all GPUs that fit. */
enum granularity measured_granularity(const struct measured *measured,
				      const struct measured_key *key,
				      const struct measured_memory *memory);

/*
 * Returns OUTCOME_WORKS or OUTCOME_LOST if that is so of every instruction of the kind that the GPU
 * has; OUTCOME_UNKNOWN if it was not measured, something else happened, or it is not the same for
 * all.
 */
enum atomic_outcome measured_atomic(const struct measured *measured, const struct measured_key *key,
				    const struct measured_memory *memory, enum atomic_kind kind,
				    bool system_scope);

#endif
