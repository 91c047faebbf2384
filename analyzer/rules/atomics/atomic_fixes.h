/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixes that change how the compiler translates an atomic update. Which change helps depends on how
 * the source writes the update, on the compiler and on HIP's headers (model/atomic_code.def).
 */
#ifndef HIPGRAIN_ATOMIC_FIXES_H
#define HIPGRAIN_ATOMIC_FIXES_H

#include "analyzer/model/atomic_code.h"
#include "analyzer/rules/engine/rule_api.h"

/* In a fix: replaced by fixes_finish() once the source line is known. */
#define FIX_LOOP        "{loop}"        /* tells how to get a compare-and-swap loop */
#define FIX_INSTRUCTION "{instruction}" /* tells how to get the hardware's instruction */

/* Describes an atomic update in the source, as far as it is known. */
struct atomic_source {
	char *arch;
	int clang;      /* major release, 0: unknown */
	bool amd;       /* AMD's own clang: its releases 19 and 20 lie between those of the table */
	bool omp;       /* in a target region of OpenMP */
	bool returns;   /* the old value is used */
	enum isa_op op; /* is the operation that it computes */
	int operation;  /* enum code_operation; -1: not in the table */
	enum atomic_construct construct;
	char *name;      /* as the source writes it: "unsafeAtomicAdd"; NULL if unknown */
	char *arguments; /* "total, x", where the statement is nothing but the call; else NULL */
};

/* Returns what the debug information tells of an instruction (or loop) of a launched kernel. */
struct atomic_source *atomic_source_new(const struct launch *launch,
					const struct isa_atomic *atomic);
void atomic_source_free(struct atomic_source *source);

/*
 * Sets the atomic update that the finding's fix changes and takes it over. The getter returns NULL
 * if there is none.
 */
void finding_set_source(struct finding *finding, struct atomic_source *source);
struct atomic_source *finding_source(const struct finding *finding);

/* Look at the source line, if the debug information did not tell; NULL: it cannot be had. */
void atomic_source_look(struct atomic_source *source, const char *line);

/* Texts for the two tokens; to be freed. NULL: nothing that was seen to help. */
char *atomic_loop_text(const struct atomic_source *source, const char *place);
char *atomic_instruction_text(const struct atomic_source *source, const char *place);

#endif
