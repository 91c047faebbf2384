/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels with the same machine code, analysed once in a process: libraries hold many of them, as
 * instances of one template for types that compile alike.
 *
 * What follows from code is kept as bytes (pack.h) and found by everything that it follows from:
 * the code, its place towards the kernel's entry, registers at the entry, arguments, disassembler
 * and what the analysis takes from the processor; of another processor with the same of these, the
 * instructions must be decoded alike, too. Names and source lines are each kernel's own. Code that
 * knows its own address, or leaves itself, has no twin: calls, tail calls, addresses of variables,
 * and whatever was not understood.
 */
#ifndef HIPGRAIN_ISA_TWINS_H
#define HIPGRAIN_ISA_TWINS_H

#include "analysis.h"

struct twin_key {
	uint8_t *bytes; /* NULL: this kernel has no twin */
	size_t size;
	uint64_t first, end; /* its code: addresses, in bytes and... */
	const uint8_t *code; /* ...where it lies */
	size_t room;         /* bytes of the section from there on */
	uint64_t pc;         /* is the address where it is entered */
	const struct arch *arch;
};

/* Collects what the results of a kernel follow from, for twin_key_clear() afterwards. */
void twin_key_make(struct twin_key *key, const struct isa_analysis *analysis,
		   const struct codeobj_kernel *from, const struct flow_entry *entry);
void twin_key_clear(struct twin_key *key);

/*
 * Set what follows from the code to what was found for a twin. `program` decodes it. `kernel` has
 * its names, arguments and what the descriptor says, which stay. *incomplete_pc is set to the
 * instruction that is the reason why the results are incomplete, if there is one. False if none is
 * known: nothing is changed.
 */
bool twins_find(const struct twin_key *key, struct program *program, struct isa_kernel *kernel,
		uint64_t *incomplete_pc);

/* Keep the results of a kernel for its twins, if the analysis shows that they follow from the key.
 */
void twins_add(const struct twin_key *key, const struct flow *flow,
	       const struct isa_kernel *kernel);

#endif
