/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what is known of the memory that OpenMP maps: internal to offload*.c. */
#ifndef HIPGRAIN_OFFLOAD_STATE_H
#define HIPGRAIN_OFFLOAD_STATE_H

#include "analyzer/rules/engine/rule_api.h"

struct hg_ev_omp_data;

/* Host memory that was mapped to a device, in one piece. */
struct range {
	uint64_t host, size;
	int32_t device;
	struct place place; /* at the latest mapping; holds a reference to its allocation */
	uint64_t maps;
	bool known;    /* both sides hold the bytes of `hash` as far as transfers tell */
	uint64_t hash; /* of the latest transfer */
};

/* An upload that nothing has used yet; size 0: none. */
struct pending {
	uint64_t offset, size; /* in the copy */
	uint64_t kernels;      /* that had run by then */
	uint32_t stack_id;
	int64_t ns;
};

/* A range's copy on a device, from its allocation until it is deleted. */
struct copy {
	uint64_t ptr, size;  /* on the device; must stay the first member: it is the tree's key */
	struct range *range; /* NULL: omp_target_alloc */
	uint32_t stack_id;   /* of the construct that made it */
	uint64_t number;     /* no other copy's, not even at the same address */
	bool fresh;          /* nothing was transferred since it was made */
	bool doubted;        /* offload_doubt() */

	/* The latest transfer of all of it: */
	enum { NOTHING, UPLOAD, DOWNLOAD } latest;
	uint64_t hash;    /* 0: not known */
	uint64_t kernels; /* that had run on the device by then */

	struct pending pending;
};

/* A transfer whose content is still to come. */
struct transfer {
	bool upload, whole;
	bool first;      /* into a copy that was made for it */
	uint64_t number; /* of the copy */
	struct range *range;
	uint64_t ptr;
	uint64_t kernels;
	uint32_t stack_id;
	int64_t ns;
	struct pending over; /* an upload wrote over this */
	/* These were known before; they hold no longer should the content not be known. */
	bool known;
	uint64_t range_hash, copy_hash, copy_kernels;
	int latest;
	/* A download is read when the construct ends; this was uploaded there before. */
	uint64_t before;
	uint32_t before_stack;
};

/* Holds what a construct did to the ranges that it mapped. */
struct construct {
	uint64_t code;          /* its place; must stay the first member: it is the table's key */
	bool update;            /* target update */
	uint32_t stack_id;      /* of its first run */
	struct construct *same; /* another copy of its region that has what it did; or NULL */
	int64_t first_ns;
	uint64_t runs;
	uint64_t copies;           /* that it made, of ranges that had been mapped before */
	uint64_t uploads, repeats; /* into those; repeats: of bytes that had been there */
	uint64_t repeated_bytes, allocated_bytes;
	struct range *largest;
};

/* Bytes that came back from the device as they went there. */
struct return_trip {
	struct range *range;
	struct construct *construct; /* that made the copy */
	int64_t first_ns;
	uint64_t unchanged, changed;
};

struct process_offload {
	struct process *process;
	uint64_t callbacks; /* struct hg_ev_omp_runtime; 0: not known */
	uint64_t regions, kernels, operations;
	uint64_t unread; /* transfers whose contents were not read */
	uint64_t next_number;
	GHashTable *ranges;     /* struct range, by itself */
	GTree *copies;          /* struct copy, by ptr */
	GHashTable *transfers;  /* op id -> struct transfer */
	GHashTable *constructs; /* struct construct, by its code */
	GHashTable *trips;      /* struct return_trip, by range and construct */
};

/* Returns what is kept about the process; makes it if there is none. */
struct process_offload *offload_of(struct process *process);
/* Returns NULL if nothing is kept. */
struct process_offload *offload_known(struct process *process);

/* Returns the range of a mapping, with the allocation that is there now. */
struct range *offload_range(struct process_offload *process, const struct hg_ev_omp_data *data);

/* Returns the copy that [ptr, ptr + size) of a device lies in, or NULL. */
struct copy *offload_copy_at(const struct process_offload *process, uint64_t ptr, uint64_t size);

/* Returns what tells constructs apart: the return address of their call, or `stack_id` if there is
 * none. */
uint64_t offload_code(const struct process *process, uint32_t stack_id);

/*
 * Returns the construct at that place, whoever calls it. Without stacks all constructs are one.
 * Compilers unroll loops and inline: see offload_unite().
 */
struct construct *offload_construct(struct process_offload *process, uint32_t stack_id, int64_t ns);

/* Adds what copies of one target region did to the first of `constructs` (all of them, in order of
 * appearance) that is one, and unites the trips of their ranges. */
void offload_unite(struct process_offload *process, const GPtrArray *constructs);

/*
 * Notes that a region ran that did not have the data that it reads: that bytes come back unchanged
 * says nothing about what it does to them.
 */
void offload_doubt(struct process *process);

/* Every kernel counts for every device: which one it runs on is not always known. */
uint64_t offload_kernels(const struct process_offload *process);

/*
 * Returns true if the runtime reports kernels: ompt_callback_target_submit_emi, or the older form.
 */
bool offload_sees_kernels(const struct process_offload *process);

#endif
