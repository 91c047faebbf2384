/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the event schema (events.h) about what the recorder did to memory itself, because it
 * was asked to (`hipgrain run --fix`), and about where memory was found to be.
 */
#ifndef HIPGRAIN_TRACER_MIGRATION_EVENTS_H
#define HIPGRAIN_TRACER_MIGRATION_EVENTS_H

#include <stdint.h>

#define HG_MIGRATION_EVENTS(EVENT) \
	EVENT(fix_plan)            \
	EVENT(fix)                 \
	EVENT(residency)

/* As bits of HIPGRAIN_FIX, and as one of them in `fix`. */
enum hg_fix {
	HG_FIX_COARSE_MANAGED = 1,
	HG_FIX_PREFETCH = 2,
	HG_FIX_ALIGN = 4,
};

enum hg_fix_outcome {
	HG_FIX_DONE = 1,
	HG_FIX_FAILED = 2,       /* the runtime refused: result */
	HG_FIX_UNKNOWN_CODE = 3, /* the kernel's machine code was not looked at beforehand */
	HG_FIX_UNKNOWN_USE = 4,  /* which memory its atomics update could not be told beforehand */
	HG_FIX_NOT_TRIED = 5,    /* the program has yet to read an error of the runtime's */
	HG_FIX_NO_ARGUMENTS = 6, /* what the kernel is given is not known */
};

/* What is to be done, once when the process first uses HIP. */
struct hg_ev_fix_plan {
	uint32_t fixes;        /* 1 coarse-managed, 2 prefetch, 4 align */
	uint32_t code_objects; /* that were looked at beforehand */
	uint32_t kernels;      /* of these, with atomics that fine-grained memory loses */
	const char *problem;   /* why they could not be, else empty */
};

/*
 * The recorder called the runtime on the program's memory, or returned other memory than it was
 * asked for; or it could not, which is said once for each kernel.
 */
struct hg_ev_fix {
	uint8_t fix;     /* 1 coarse-managed, 2 prefetch, 4 align */
	uint8_t outcome; /* 1 done, 2 refused by the runtime, 3 the kernel's code was not looked at
			    beforehand, 4 the memory of its atomics is not known, 5 an error of the
			    program's was pending, 6 the kernel's arguments are not known */
	uint64_t ptr;
	uint64_t size;      /* bytes, as the program allocated them */
	uint64_t given;     /* align: bytes from ptr on that are the allocation's alone, else 0 */
	int32_t device;     /* -1: none */
	int32_t result;     /* hipError_t */
	uint32_t kernel_id; /* whose launch was the reason, 0: none */
	uint64_t stream;
	uint64_t duration;
	uint32_t stack_id;
};

/*
 * Where the pages of an allocation were found when the program had waited for the GPU, with
 * HIPGRAIN_RESIDENCY: by the host's page table. Pages that were looked at and are in none of the
 * sums were never touched, or are where the host's page table does not tell.
 */
struct hg_ev_residency {
	uint32_t round; /* samples of one round have one number; from 1 */
	uint64_t ptr;   /* of the allocation */
	uint64_t size;
	uint64_t looked;       /* bytes whose pages were looked at; less than all of large ones */
	uint64_t on_host;      /* of them, present in the host's memory */
	uint64_t away;         /* of them, in a device's memory: a device-private entry */
	uint64_t swapped;      /* of them, in swap, or an entry whose kind is not known */
	uint32_t left_out;     /* allocations so far that were too many to be followed */
	int32_t node;          /* NUMA node of most that are on the host; -1: not known */
	int32_t last_prefetch; /* as hipMemRangeGetAttribute says: intent; INT32_MIN: not told */
};

#endif
