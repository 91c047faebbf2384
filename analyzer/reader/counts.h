/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a recording counted (tracer/counts.h) beside what was read of the trace.
 *
 * Processes are known by their number: of several program images and processes that had the same
 * one, the sums are compared.
 */
#ifndef HIPGRAIN_READER_COUNTS_H
#define HIPGRAIN_READER_COUNTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "order.h"
#include "tracer/counts.h"

/* Kinds of this version, and one for all that it does not know. */
#define COUNTS_OTHER HG_COUNTS_USED
#define COUNTS_KINDS (HG_COUNTS_USED + 1)

struct counts_process {
	int32_t pid;
	unsigned files;      /* of counts; 0: it left none */
	unsigned recorded;   /* of them, those of processes that a session has recorded */
	bool expected;       /* it was started to be recorded until its end */
	unsigned confined;   /* bits by enum hg_confined_by: why it was not recorded to its end */
	enum hg_ended ended; /* the last of its program images */
	char program[HG_COUNTS_PROGRAM]; /* of the last file; may be empty */
	uint64_t counted[COUNTS_KINDS];
	uint64_t read[COUNTS_KINDS];
	uint64_t unrecorded[HG_UNRECORDED_KINDS];
	uint64_t found_launches; /* in records that were not in the trace */
	uint64_t pages; /* of the bundle, with records of batches that were open in the end */
};

struct counts;

struct counts *counts_new(void);
void counts_free(struct counts *counts); /* NULL does nothing */

/*
 * Read the counts of a bundle, before its trace: its files, and the records that were not in the
 * trace when their process was killed. What is no such file is left out.
 */
void counts_load(struct counts *counts, const char *bundle);

/* A kind by the event's name without its provider ("alloc"). */
unsigned counts_kind(const char *name);

/* An event of the trace; and a batch's records, beside the event of the batch itself. */
void counts_event(struct counts *counts, int32_t pid, unsigned kind);
void counts_batch(struct counts *counts, int32_t pid, const struct order_batch *batch,
		  uint64_t begin);

/* Records that were not in the trace, and were found in the bundle. */
void counts_found(struct counts *counts, const struct hg_open_batch *page);

/*
 * Nothing follows: of processes that left a count, records in the bundle that could not be used
 * are missing, too. Of a trace that begins in their middle they need not be.
 */
void counts_end(struct counts *counts);

/* Every process, by its number: struct counts_process. The list belongs to `counts`. */
const GPtrArray *counts_processes(struct counts *counts);

/* So many of the kinds in this group are missing, and were counted. */
enum counts_group {
	COUNTS_ALLOCATIONS,
	COUNTS_FREES,
	COUNTS_LAUNCHES,
	COUNTS_COPIES,
	COUNTS_OTHERS, /* that describe the process, its objects and calls */
	COUNTS_GROUPS,
};
struct counts_gap {
	uint64_t missing[COUNTS_GROUPS], counted[COUNTS_GROUPS];
	uint64_t total;
	/* Batches that were open in the end, of whose records there is neither count nor file. */
	uint64_t batches;
};
struct counts_gap counts_compare(const struct counts_process *process);

/*
 * Returns the launches that were either counted or read, whichever are more, and those that were
 * found in the bundle.
 */
uint64_t counts_launches(const struct counts_process *process);

/*
 * Returns true if the process's devices were recorded, which happens at the first call of HIP or
 * HSA.
 */
bool counts_has_devices(const struct counts_process *process);

/*
 * Returns how the process ended that has this number, if a session recorded it: HG_ENDED_NOT: by a
 * signal, or by a system call of its own.
 */
enum hg_ended counts_ended(struct counts *counts, int32_t pid);

/* "allocations" etc. */
const char *counts_group_name(enum counts_group group);

#endif
