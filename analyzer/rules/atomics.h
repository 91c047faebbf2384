/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules about atomics have in common. */
#ifndef HIPGRAIN_RULES_ATOMICS_H
#define HIPGRAIN_RULES_ATOMICS_H

#include "analyzer/rules/context.h"

/*
 * From this release on clang assumes that atomics never meet fine-grained memory, unless told
 * otherwise (memory-model.md B.5; CLANGA).
 */
#define CLANG_ASSUMES_COARSE 21

/* Operand kind of the instruction itself: that of a compare-and-swap loop is integer. */
enum atomic_kind atomic_instruction_kind(const struct isa_atomic *atomic);

/* The question that the memory model answers about an instruction on this memory. Its scope is
 * left out: narrow. */
struct model_atomic_use atomic_use(const struct rules_context *context, const struct launch *launch,
				   enum atomic_kind kind, const struct pointer_argument *pointer,
				   const struct grain *grain);

/* The finding about this atomic on this memory, with the evidence filled in; NULL if not new. */
struct finding *atomic_finding(const struct rules_context *context, const struct launch *launch,
			       enum rule_id rule, const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, const struct grain *grain);

/* Fill in what follows from the launch, the instruction and the memory. */
void atomic_describe(struct finding *finding, const struct launch *launch,
		     const struct isa_atomic *atomic, const struct pointer_argument *pointer,
		     const struct grain *grain);

/* Called for each atomic of a launched kernel and each pointer that it may go through. */
void check_reach(const struct rules_context *context, const struct launch *launch,
		 const struct isa_atomic *atomic, const struct pointer_argument *pointer);
void check_contention(const struct rules_context *context, const struct launch *launch,
		      const struct isa_atomic *atomic, const struct pointer_argument *pointer);

/* Loops that wait for memory to change. */
void check_spins(const struct rules_context *context, const struct launch *launch);

/* A floating-point atomic whose memory is not known. */
void check_unproven(const struct rules_context *context, const struct launch *launch,
		    const struct isa_atomic *atomic);

/* The same kernel from several code objects. */
void check_flags_across(const struct rules_context *context, const struct launch *launch);

#endif
