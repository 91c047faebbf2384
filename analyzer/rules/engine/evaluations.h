/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what the atomics of a launch do by its arguments, its sizes and what is known to lie in
 * memory (isa_session_evaluate()). That is evaluated once for all launches that answer the same to
 * what the evaluation asked.
 */
#ifndef HIPGRAIN_RULES_EVALUATIONS_H
#define HIPGRAIN_RULES_EVALUATIONS_H

#include "analyzer/isa/isa.h"
#include "analyzer/rules/engine/rule_api.h"

/* Kinds of launches of one kernel that are evaluated; of others nothing is found out. */
#define EVALUATIONS_MOST 64u

/* Holds the evaluations of one kernel. */
struct evaluations;

struct evaluations *evaluations_new(void);
void evaluations_free(struct evaluations *evaluations);

/*
 * The evaluation of a launch, owned by `evaluations`; `session` has the kernel's code object (NULL:
 * it is gone). NULL if that was not possible.
 */
const struct isa_evaluation *evaluations_find(struct evaluations *evaluations,
					      struct isa_session *session, const char *symbol,
					      const struct isa_launch *launch);

/*
 * The same of the launch at hand, which is then looked at anew when there are other sizes or other
 * numbers in memory.
 */
const struct isa_evaluation *launch_evaluate(const struct rules_context *context,
					     const struct launch *launch);

#endif
