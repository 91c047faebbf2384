/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records in the files of processes (tracer/ring.h), of all processes by time. */
#ifndef HIPGRAIN_READER_READ_RINGS_H
#define HIPGRAIN_READER_READ_RINGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "counts.h"
#include "runs.h"

struct rings;

/*
 * Opens the files of a bundle's directory HG_RINGS; NULL if there is none with a page. `damage`,
 * which lives as long as this, becomes a line that says which file is damaged, if it was NULL
 * (g_free()). `counts` gets the files' first pages, and those of HG_RINGS_ENDED.
 */
struct rings *rings_open(const char *folder, struct counts *counts, char **damage);
void rings_close(struct rings *rings);

/* Returns what is added to the processes' CLOCK_MONOTONIC for the time since the clock's origin. */
int64_t rings_origin(const struct rings *rings);

/* The reader reports this about a page before the page's records follow. */
struct ring_page {
	int32_t pid;
	uint32_t number;
	uint64_t file;             /* hg_ring_id() */
	uint64_t known[HG_GROUPS]; /* records that were known, which do not follow */
	uint64_t rest[HG_GROUPS];  /* the others */
	bool full;                 /* it is counted in the file's `records` */
};

struct ring_calls {
	group_of_type *group;
	void (*page)(const struct ring_page *page, void *data);
	void (*record)(const struct order_record *record, void *data);
	/* Returns how many bytes at the page's begin are known already; UINT32_MAX: it was full
	 * then. May be NULL. */
	uint32_t (*known)(const struct ring_page *page, void *data);
	bool no_blocks; /* memory blocks and copies do not follow */
};

/*
 * Passes on the next records, if they are not later than that moment of CLOCK_MONOTONIC. Returns
 * false if they are, or if none are left. Their times are of CLOCK_MONOTONIC plus `offset`.
 */
bool rings_pass(struct rings *rings, int64_t last, int64_t offset, const struct ring_calls *calls,
		void *data);

#endif
