/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a kernel's atomics do in one launch: the data flow once more, with its numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "concrete.h"
#include "handover.h"
#include "origin.h"
#include "certain_path.h"

/* Returns true if an address is one pointer: an argument, or what one load gave at one address. */
static bool is_one(const struct flow *flow, const struct value_pair *pair)
{
	const struct value *low = value_get(&flow->store, pair->low);
	const struct alt *alt = low->alt;

	if (low->lane_count || low->alt_count != 1 || alt->term_count != 1 ||
	    value_get(&flow->store, pair->high)->alt_count != 1)
		return false;
	return BASE_KIND(alt->term[0].base) != BASE_LOADED ||
	       flow->access[BASE_PAYLOAD(alt->term[0].base) >> 4].pair_count == 1;
}

/* Returns true if it is executed with each of several addresses. */
static bool is_every(const struct flow *flow, const struct access *access)
{
	for (unsigned i = 0; i < access->pair_count; i++)
		if (!(access->sure >> i & 1) || !is_one(flow, &access->pair[i]))
			return false;
	return access->pair_count > 1 && !access->overflow;
}

static int fill(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
		struct isa_evaluation *evaluation)
{
	struct isa_kernel kernel = { 0 }; /* without conditions */
	struct witness *witness = witness_new(flow, entry, &kernel);
	int status = -ENOMEM;

	evaluation->atomics = calloc(flow->access_count + 1, sizeof(*evaluation->atomics));
	if (!witness || !evaluation->atomics)
		goto out;
	status = 0;
	for (size_t i = 0; !status && i < flow->access_count; i++) {
		struct access *access = &flow->access[i];
		struct isa_evaluated *atomic = &evaluation->atomics[evaluation->atomic_count];
		isa_when certain;

		if (!access->insn->atomic)
			continue;
		evaluation->atomic_count++;
		atomic->kernel_offset = (int64_t)(access->insn->pc - entry->start);
		status =
		    witness_access(witness, access, &certain, &atomic->unsure, &atomic->by_word);
		atomic->executes = certain == ISA_ALWAYS || access->executes;
		atomic->every = is_every(flow, access);
		if (!status)
			status = place_resolve(flow, access, &atomic->origin, &atomic->placed,
					       &atomic->place);
		if (!status)
			status = names_paths(analysis, flow->launch->kernel, &atomic->origin.paths);
	}
	kernel.stores_complete = true;
	if (!status)
		status = origin_stores(flow, &kernel);
	evaluation->stores = kernel.stores;
	evaluation->store_count = kernel.store_count;
	evaluation->stores_complete = !status && kernel.stores_complete;
out:
	witness_free(witness);
	return status;
}

/* Returns why what was followed is not all, or NULL. The caller frees it. */
static char *unfinished(const struct flow *flow, int *status)
{
	char *why = NULL;

	if (flow->exhausted && asprintf(&why, "its evaluation was given up after %u instructions",
					flow->launch->steps) < 0)
		why = NULL;
	else if (!flow->exhausted && (flow->broken || flow->unvisited))
		why = strdup(flow->broken ? flow->broken : flow->unvisited);
	else if (!flow->exhausted)
		return NULL;
	*status = why ? 0 : -ENOMEM;
	return why;
}

int kernel_evaluate(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		    const struct isa_launch *launch, struct isa_evaluation **out, char **error)
{
	struct launch_values values = { .launch = launch,
					.kernel = from,
					.steps = launch->steps ? launch->steps : ISA_LAUNCH_STEPS };
	struct flow_arg *args = calloc(from->arg_count + 1, sizeof(*args));
	struct isa_evaluation *evaluation = calloc(1, sizeof(*evaluation));
	struct flow_entry entry = { 0 };
	struct program *program = NULL;
	struct flow flow = { 0 };
	const char *why;
	int status = args && evaluation ? 0 : -ENOMEM;

	for (size_t i = 0; !status && i < from->arg_count; i++)
		args[i] = (struct flow_arg){ from->args[i].offset, from->args[i].size,
					     from->args[i].kind == CODEOBJ_ARG_GLOBAL_BUFFER };
	if (!status)
		status = kernel_descriptor(analysis, from->symbol, &entry, error);
	if (!status)
		status = analysis_program(analysis, entry.wave_size, &program, &why);
	if (!status)
		status = flow_init(&flow, program, analysis->arch, args, from->arg_count);
	if (!status) {
		flow.launch = &values;
		status = flow_run(&flow, &entry);
		if (!status) {
			evaluation->why = unfinished(&flow, &status);
			if (!evaluation->why && !status)
				status = fill(analysis, &flow, &entry, evaluation);
		}
		flow_free(&flow);
		program_trim(program);
	}
	free(args);
	if (status) {
		isa_evaluation_free(evaluation);
		return isa_fail(error, status, "code object: %s", strerror(-status));
	}
	*out = evaluation;
	return 0;
}

void isa_evaluation_free(struct isa_evaluation *evaluation)
{
	struct isa_kernel kernel = { 0 };

	if (!evaluation)
		return;
	kernel.stores = evaluation->stores;
	kernel.store_count = evaluation->store_count;
	isa_kernel_clear(&kernel);
	for (size_t i = 0; i < evaluation->atomic_count; i++) {
		isa_origin_clear(&evaluation->atomics[i].origin);
		free(evaluation->atomics[i].unsure);
	}
	free(evaluation->atomics);
	free(evaluation->why);
	free(evaluation);
}
