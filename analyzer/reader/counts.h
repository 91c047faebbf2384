/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This compares what the processes of a recording counted (the first pages of their files,
 * tracer/ring.h) with what was read of them.
 *
 * Processes are known by their number: if several program images and processes had the same one,
 * the sums are compared.
 */
#ifndef HIPGRAIN_READER_COUNTS_H
#define HIPGRAIN_READER_COUNTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"
#include "tracer/ring.h"

/* Says how a program image ended. */
enum hg_ended {
	HG_ENDED_UNKNOWN, /* it was confined, or left no file */
	HG_ENDED_NOT,     /* by a signal, or by a system call of its own */
	HG_ENDED_ITSELF,  /* by exit() or a relative, or it executed another one */
	HG_ENDED_LATER,   /* it lived when the recording ended */
};

struct counts_process {
	int32_t pid;
	unsigned files;                /* one for each program image; 0: it left none */
	unsigned images;               /* that were read, by their `process` events */
	bool expected;                 /* it was started to be recorded until its end */
	bool confined;                 /* it was not recorded to its end */
	uint64_t confined_after;       /* ns: its first record came so long before */
	enum hg_ended ended;           /* the last of its program images */
	char program[HG_RING_PROGRAM]; /* of the last file; printable, may be empty */
	uint64_t counted[HG_GROUPS];   /* records of pages that were full, or settled */
	uint64_t lost[HG_GROUPS];      /* records that found no room, which are none of these */
	uint64_t full[HG_GROUPS];      /* records that were read, of such pages */
	uint64_t read[HG_GROUPS];      /* records */
	uint64_t told, told_lost;      /* by the recorder, in the trace: as `counted` and `lost` */
	uint64_t launches;             /* events that were read */
	bool devices;                  /* were among them, as at the first call of HIP or HSA */
	uint64_t unrecorded[HG_UNRECORDED_KINDS];
};

struct counts;

struct counts *counts_new(void);
void counts_free(struct counts *counts); /* NULL does nothing */

/* Notes a file's first page, which anybody may have written. */
void counts_head(struct counts *counts, const struct hg_ring *head, uint64_t id);
/* Notes what the recorder reports of the file of that name; the latest report counts. */
void counts_told(struct counts *counts, int32_t pid, uint64_t id, uint64_t records, uint64_t lost);

/* Note what was read: records, those of full pages, those of a page that its file's end has left
 * open, an event. */
void counts_read(struct counts *counts, int32_t pid, const uint64_t records[HG_GROUPS]);
void counts_full(struct counts *counts, int32_t pid, const uint64_t records[HG_GROUPS]);
void counts_open(struct counts *counts, int32_t pid, uint64_t id,
		 const uint64_t records[HG_GROUPS]);
void counts_event(struct counts *counts, const struct hg_event *event);

/* Returns every process, by its number: struct counts_process. The list belongs to `counts`. */
const GPtrArray *counts_processes(struct counts *counts);
/* Returns NULL if nothing is known of the process. */
const struct counts_process *counts_find(const struct counts *counts, int32_t pid);

/* Holds what is missing of what was counted. With `whole`, all that was counted should be there. */
struct counts_gap {
	uint64_t missing[HG_GROUPS], counted[HG_GROUPS];
	uint64_t total; /* missing */
};
struct counts_gap counts_compare(const struct counts_process *process, bool whole);

/* Returns a group's name, "allocations" and so on. */
const char *counts_group_name(enum hg_group group);

/* Returns how the process ended that has this number. */
enum hg_ended counts_ended(const struct counts *counts, int32_t pid);

#endif
