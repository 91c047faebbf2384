/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the instructions that a launch executes for certain.
 *
 * The witness is the first work-item of the first work-group, which every launch has: its numbers
 * are 0. Its registers are followed as constants, fields of the arguments and values that are not
 * known; masks of lanes by its own bit, which is the first one. A comparison of arguments is a
 * condition of the kernel (choice.h): the witness passes `i < n` where 0 < n. An instruction is
 * executed for certain if each way from the kernel's entry to its end leads through it, with the
 * witness active when control comes there first.
 */
#ifndef HIPGRAIN_ISA_CERTAIN_PATH_H
#define HIPGRAIN_ISA_CERTAIN_PATH_H

#include "flow.h"
#include "isa.h"

struct witness;

/*
 * Makes a witness, after choices_find(), whose conditions are kept; others are added to the
 * kernel's as far as there is room. All three parameters are borrowed. Returns NULL without memory.
 */
struct witness *witness_new(struct flow *flow, const struct flow_entry *entry,
			    struct isa_kernel *kernel);
void witness_free(struct witness *witness);

/*
 * Finds the results of the conditions for which an access is executed for certain. If these are not
 * all, *unsure becomes a clause with the reason, which the caller frees, else NULL; *by_word is set
 * if the reason is one word in memory at a place that arguments give, the same for all work-items.
 * Returns 0 or -ENOMEM.
 */
int witness_access(struct witness *witness, const struct access *access, isa_when *certain,
		   char **unsure, bool *by_word);

#endif
