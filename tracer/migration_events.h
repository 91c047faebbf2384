/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This is the part of the event schema (events.h) about what the recorder did to memory itself, for
 * `hipgrain run --fix`, and about where memory was found to be.
 */
#ifndef HIPGRAIN_TRACER_MIGRATION_EVENTS_H
#define HIPGRAIN_TRACER_MIGRATION_EVENTS_H

#include <stdint.h>

/* These are bits of HIPGRAIN_FIX, and one of them is in `fix`. */
enum hg_fix {
	HG_FIX_COARSE_MANAGED = 1,
	HG_FIX_PREFETCH = 2,
	HG_FIX_ALIGN = 4,
};

enum hg_fix_outcome {
	HG_FIX_DONE = 1,
	HG_FIX_FAILED = 2,       /* the runtime refused: result */
	HG_FIX_UNKNOWN_CODE = 3, /* the kernel's machine code was not analysed beforehand */
	HG_FIX_UNKNOWN_USE =
	    4, /* it could not be determined in advance which memory its atomics update */
	HG_FIX_NOT_TRIED = 5,    /* the program has not yet queried an error of the runtime */
	HG_FIX_NO_ARGUMENTS = 6, /* the kernel's arguments are not known */
};

#endif
