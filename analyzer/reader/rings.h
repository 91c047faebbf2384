/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the pages of processes' files (tracer/ring.h), of all processes in the order of time. */
#ifndef HIPGRAIN_READER_RINGS_H
#define HIPGRAIN_READER_RINGS_H

#include <stdbool.h>
#include <stdint.h>

struct rings;

/* A page begins, at the time of its first record, or it ends, at that of its last one. */
struct ring_step {
	bool ends;
	bool first; /* the process's file begins */
	int32_t pid, tid;
	uint32_t number;
	uint64_t ns;             /* CLOCK_MONOTONIC */
	uint64_t origin;         /* add this: since the clock's origin */
	uint64_t begin;          /* of the page; as `ns` */
	const uint64_t *records; /* of whole_records() */
	uint32_t words;
};

/*
 * Opens the files of a bundle's directory HG_RINGS; NULL if there is none. `damage` becomes a line
 * that says which file is damaged, if that was NULL (g_free()).
 */
struct rings *rings_open(const char *folder, char **damage);
void rings_close(struct rings *rings);

/* Returns the next step, until the next call; NULL: none is left. */
const struct ring_step *rings_next(struct rings *rings);
void rings_take(struct rings *rings);

#endif
