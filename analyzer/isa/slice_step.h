/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions do this to the set of live registers (slice.h): for slice.c, by slice_step.c. */
#ifndef HIPGRAIN_ISA_SLICE_STEP_H
#define HIPGRAIN_ISA_SLICE_STEP_H

#include "slice.h"

/* Some registers of one word of a reg_set. */
struct slice_ref {
	uint64_t bits;
	uint8_t word;
};

enum slice_kind {
	SLICE_NOTHING, /* it writes and reads nothing that is followed */
	SLICE_PLAIN,   /* it wants its sources where a result of it is wanted */
	SLICE_WANT,    /* it wants its sources, whatever becomes of its results */
	SLICE_COMPARE, /* it wants their contents if the condition code is wanted */
	SLICE_SHRINK,  /* it switches lanes off */
	SLICE_EXEC,    /* it may switch lanes on */
};

struct slice_step {
	/* Words of its operands, one after the other: of its destinations, of which the first are
	 * results, of its sources, and of what it reads in lanes that may be switched off. */
	uint32_t first;
	uint8_t destinations, results, sources, pinned;
	uint8_t kind;
	bool removes : 1; /* nothing of its destinations stays as it was */
	bool values_only : 1, wants_condition : 1;
	bool scalar : 1, sets_condition : 1;
	bool pins : 1;
	bool idle : 1;    /* it changes nothing live unless its destinations are */
	bool nothing : 1; /* it has none */
	bool dual : 1;    /* the next step is its second half: both read before either writes */
};

/* These are the steps of a function, by block. */
struct slice_steps {
	struct slice_step *step;
	uint32_t *begin; /* a block's first step; one more than blocks */
	struct slice_ref *ref;
	uint32_t count, ref_count, ref_room;
	bool private_reads; /* data that are stored may come back; set by the caller */
};

/* `steps` is zeroed but for private_reads. 0 or -ENOMEM; to be freed also then. */
int slice_steps_read(struct slice_steps *steps, const struct function *function);
void slice_steps_free(struct slice_steps *steps);

#endif
