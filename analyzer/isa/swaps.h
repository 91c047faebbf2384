/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compare-and-swaps whose loop lies in a caller: a second pass of the data flow, in which values
 * remember the memory they were computed from, and how.
 *
 * casloop.c looks for the loop inside of one function. Without optimisation the instruction stands
 * in a function of its own, and what it stores comes through registers, the stack and pointers to
 * it. The pass follows calls in place as always, but tells every chain of calls apart, so that a
 * value that an instruction returned and is given again has been round a loop.
 */
#ifndef HIPGRAIN_ISA_SWAPS_H
#define HIPGRAIN_ISA_SWAPS_H

#include "casloop.h"
#include "flow.h"

struct swaps;

/* Returns NULL if out of memory. */
struct swaps *swaps_new(void);
void swaps_free(struct swaps *swaps);

/* The chain of calls that is being followed, as a number that is never 0. */
uint64_t swaps_context(const struct flow *flow);

/*
 * Returns what the result of `insn` remembers, from its sources as they are in `state`;
 * VALUE_BOTTOM: nothing, or it is for the data flow itself to say (moves, memory).
 */
value_id swaps_carried(struct flow *flow, const struct insn *insn, const struct state *state);

/* A comparison is executed: remember what it compares if it tells the smaller. 0 or -ENOMEM. */
int swaps_compare(struct flow *flow, const struct insn *insn, const struct state *state);

/* A compare-and-swap is executed: access `index`, with these values. 0 or -ENOMEM. */
int swaps_note(struct flow *flow, size_t index, value_id stored, value_id expected);

/*
 * Finds what all executions of the compare-and-swap `insn` are, after a pass. *why, a static text,
 * is set if that cannot be determined. Returns 0 or -ENOMEM.
 */
int swaps_classify(const struct flow *flow, const struct insn *insn, struct casloop *result,
		   const char **why);

#endif
