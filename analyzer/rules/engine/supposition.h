/* SPDX-License-Identifier: Apache-2.0 */
/* Notes which answers of the model differ between what was recorded and what is supposed (struct
 * supposed). */
#ifndef HIPGRAIN_RULES_SUPPOSITION_H
#define HIPGRAIN_RULES_SUPPOSITION_H

#include "analyzer/model/waits.h"
#include "rule_api.h"

/* This is an answer that differs; there is one for each call, flags and texts of a process. */
struct supposed_row {
	const struct process *process; /* borrowed */
	char *what;                    /* "hipMemcpy", with flags or what the memory is */
	char *before, *after;          /* what it is and would be, clauses */
	const char *sources;           /* tags; static */
	uint32_t stack_id;             /* where the model was queried first; 0: none */
	uint64_t count;
};

/* Returns them, struct supposed_row, in order of appearance. */
const GPtrArray *supposed_rows(const struct findings *findings);

/* Returns what model_wait() says of a call at `stack_id` that is being made, and notes if that
 * differs. */
enum wait wait_of_call(const struct rules_context *context, unsigned api, enum wait_memory memory,
		       uint32_t stack_id);

/* Notes it if a call for `what` memory waits, or does not, where it did otherwise. */
void note_supposed_wait(const struct rules_context *context, unsigned api, const char *what,
			bool waited, bool waits, const char *sources, uint32_t stack_id);

/* Notes it if the outcome of an atomic operation on `use->arch` differs. */
void note_supposed_atomic(const struct rules_context *context, const struct launch *launch,
			  const struct model_atomic_use *use, const char *mnemonic);

#endif
