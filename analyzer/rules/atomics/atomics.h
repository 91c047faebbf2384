/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the functions that the rules about atomics share. */
#ifndef HIPGRAIN_RULES_ATOMICS_H
#define HIPGRAIN_RULES_ATOMICS_H

#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/atomics/page_reach.h"

/*
 * From this release on clang assumes that atomics never meet fine-grained memory, unless instructed
 * otherwise (docs/memory-model.md#compilers; CLANGA).
 */
#define CLANG_ASSUMES_COARSE 21

/*
 * Returns the operand kind of the instruction itself: that of a compare-and-swap loop is integer.
 */
enum atomic_kind atomic_instruction_kind(const struct isa_atomic *atomic);

/*
 * Returns the question that the memory model answers about an instruction on this memory. Its scope
 * is left out: it is narrow.
 */
struct model_atomic_use atomic_use(const struct rules_context *context, const struct launch *launch,
				   enum atomic_kind kind, const struct pointer_argument *pointer,
				   const struct grain *grain);

/*
 * The granularity of the memory that the pointer leads to, as far as this launch uses it: memory of
 * which it uses coarse-grained pages only is coarse-grained. *grain is for grain_clear().
 */
struct pages_used atomic_grain(const struct rules_context *context, const struct launch *launch,
			       const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, struct grain *grain);

/*
 * The finding about this operation on this memory, with the evidence filled in; NULL if not new:
 * then the instruction, the memory and the launch were added to the one that is there. All that it
 * unites are of one operation, one kind of memory and one certainty. `used` as atomic_grain() says;
 * NULL: the pages do not matter.
 */
#define FIGURE_SIZE 3 /* the memory's, of each finding that this makes */
struct finding *atomic_finding(const struct rules_context *context, const struct launch *launch,
			       enum rule_id rule, const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, const struct grain *grain,
			       const struct pages_used *used);

/* Returns the operand kind of a floating-point atomic or loop, -1 if it is none. */
int atomic_fp_kind(const struct isa_atomic *atomic);

/* Returns "float addition" or the like; static. */
const char *atomic_kind_text(enum atomic_kind kind);

/* The report says that what the instruction does to memory is unknown, because of `why`. */
void atomic_limit_memory(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic, const char *why);

/* " (FILE:LINE)" for a limit, "" if `file` is NULL; to be freed. */
char *limit_line(const char *file, unsigned line);

/* The finding is about this instruction, too. */
void atomic_add_site(struct finding *finding, const struct isa_atomic *atomic);

/* Returns how a person calls the memory, where a finding is about one of several, too; static. */
const char *atomic_memory_noun(const struct pointer_argument *pointer);

/* Returns how to make the memory coarse-grained, in terms of the call that allocated it. The caller
 * frees the text. */
char *atomic_coarse_fix(const struct pointer_argument *pointer, int device);

/* Checks an update that is right because its memory is coarse-grained: who made it so. */
void check_former_advice(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic, const struct pointer_argument *pointer,
			 const struct grain *grain, const struct pages_used *used);

/* Called for each atomic of a launched kernel and each pointer that it may go through. */
void check_pointer(const struct rules_context *context, const struct launch *launch,
		   const struct isa_atomic *atomic, const struct pointer_argument *pointer);
void check_interconnect(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic, const struct pointer_argument *pointer);
void check_contention(const struct rules_context *context, const struct launch *launch,
		      const struct isa_atomic *atomic, const struct pointer_argument *pointer);

/* Checks loops that wait for memory to change. */
void check_spins(const struct rules_context *context, const struct launch *launch);

/* Its memory may be unknown, and the report says so. */
bool atomic_has_limit(const struct isa_atomic *atomic);
void limit_unknown_target(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic);

/* Checks an atomic that goes through one of several arguments, or through pointers in memory. */
void check_set(const struct rules_context *context, const struct launch *launch,
	       const struct isa_atomic *atomic);
void check_paths(const struct rules_context *context, const struct launch *launch,
		 const struct isa_atomic *atomic);

/* A hardware atomic whose address could not be followed. */
void check_unknown_target(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic);

/*
 * Returns true if the instruction may be lost on some memory that the process has. If not, it does
 * not matter which memory it updates.
 */
bool atomic_may_be_lost(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic);

/*
 * Returns true if it belongs to a service of the host (printf, malloc in kernels), which updates
 * memory of the runtime's own.
 */
bool atomic_is_the_runtimes(const struct launch *launch, const struct isa_atomic *atomic);

/* Checks the same kernel from several code objects. */
void check_flags_across(const struct rules_context *context, const struct launch *launch);

#endif
