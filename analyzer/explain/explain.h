/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the rules and the kinds of memory to people: `hipgrain explain`. */
#ifndef HIPGRAIN_EXPLAIN_H
#define HIPGRAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/model/measured.h"
#include "analyzer/model/model.h"
#include "analyzer/rules/engine/findings.h"

/* Prints a line for each rule. */
void explain_rules(FILE *stream);

/* Prints what hipgrain-rules(7) says of a rule, and what its source tags stand for. */
void explain_rule(const struct rule *rule, FILE *stream);

/* The machine whose memory is explained. */
struct machine {
	struct model_environment environment;
	char runtime[4096]; /* path of libamdhip64, empty: none could be loaded */
	char arch[128];     /* target id of the first GPU, empty: there is none */
	char problem[256];  /* why there is no answer, empty if there is */
};

/*
 * Queries the HIP runtime that a program would get here, in a process of its own. Values that
 * cannot be determined are -1.
 */
void machine_ask(struct machine *machine);

/* Prints the tables of the memory model as they apply on that machine; both XNACK modes if it is
 * not known which one does. What was `measured` on it takes precedence. */
void explain_memory(const struct machine *machine, const struct measured *measured, FILE *stream);

#endif
