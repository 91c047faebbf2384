/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long recordings are made in chunks. LTTng rotates a session (lttng-rotate(1)): what was recorded
 * so far becomes an archived chunk, a directory below the trace's `archives` that can be read by
 * itself, and recording continues in a new one. The oldest chunks are deleted, and counted.
 */
#ifndef HIPGRAIN_TRACER_ROTATION_H
#define HIPGRAIN_TRACER_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LTTng calls the directory of a trace's archived chunks so. */
#define ROTATION_ARCHIVES "archives"

struct rotation_plan {
	uint64_t size;      /* bytes of a chunk; 0: no limit */
	uint64_t period_us; /* a chunk's time; 0: no limit */
	unsigned keep;      /* archived chunks beside the one that is written; 0: all */
	uint64_t quota;     /* bytes of all chunks together; 0: no limit */
};

struct rotation_state {
	unsigned chunks;        /* archived, and there */
	unsigned deleted;       /* archived, and deleted */
	uint64_t deleted_bytes; /* of these */
	bool fresh;             /* a new chunk began since the last call */
};

/* Reads a number with K, M, G or T (powers of 1024), in bytes. Returns 0 or -EINVAL. */
int rotation_parse_size(const char *text, uint64_t *bytes);

/* Reads a size, or a number with s, m, h or d. Sets one of plan->size and plan->period_us, and the
 * other to 0. Returns the same. */
int rotation_parse(const char *text, struct rotation_plan *plan);

/*
 * Completes what was requested: a quota makes chunks of at most a quarter of it. Returns 0, or
 * -EINVAL with one line in `why` when it contradicts itself, or chunks would be too small for a
 * trace with buffers for `cpus` (buffers_cpus()).
 */
int rotation_settle(struct rotation_plan *plan, unsigned cpus, char *why, size_t why_size);

/* Returns true if the trace is rotated at all. */
bool rotation_is_planned(const struct rotation_plan *plan);
/* Returns true if nothing is deleted: all that is recorded stays. */
bool rotation_keeps_all(const struct rotation_plan *plan);

/* Has LTTng rotate the session. Returns 0 or -errno with one line in `why`. */
int rotation_begin(const char *session, const struct rotation_plan *plan, char *why,
		   size_t why_size);

/*
 * Is to be called periodically: looks for new chunks of the trace in the open directory `trace` and
 * chooses which are to be deleted. state->deleted is what it will be after rotation_delete(). If
 * `ended` is true nothing more is recorded, so that no part of a quota has to be kept free.
 */
struct rotation_victims;
struct rotation_victims *rotation_look(int trace, const struct rotation_plan *plan,
				       struct rotation_state *state, bool ended);
/* Returns how many were chosen. */
unsigned rotation_count(const struct rotation_victims *victims);
/* Deletes them and frees the list. */
void rotation_delete(struct rotation_victims *victims);

#endif
