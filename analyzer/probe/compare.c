/* SPDX-License-Identifier: Apache-2.0 */
/* Sets each measurement beside the memory model. */
#include "compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "operations.h"

/* hsa_amd_link_info_type_t [HSAH] */
enum { LINK_TYPE_PCIE = 2, LINK_TYPE_XGMI = 4 };

const char *probe_verdict_name(enum probe_verdict verdict)
{
	static const char *const names[VERDICTS] = { "agree", "differ", "model unknown",
						     "not measured", "not applicable" };

	return names[verdict];
}

static void set(char text[96], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, 96, format, arguments);
	va_end(arguments);
}

/* Returns the memory that the model expects. */
static struct model_memory expected_memory(const struct probe_mode *mode, unsigned placement)
{
	const struct probe_placement *row = &probe_placements[placement];
	struct model_memory memory = model_memory(row->api, row->flags, &mode->environment);

	/* Advice works on what the GPU can reach (docs/memory-model.md#advice). */
	if (row->advice == ADVISE_COARSE && memory.advisable &&
	    memory.granularity != GRAIN_INACCESSIBLE)
		memory.granularity = GRAIN_COARSE;
	return memory;
}

static const char *state_text(enum probe_state state)
{
	switch (state) {
	case PROBE_WORKS:
		return "works";
	case PROBE_LOST:
		return "lost";
	case PROBE_WRONG:
		return "wrong result";
	case PROBE_NO_CODE:
		return "no instruction";
	case PROBE_SKIPPED:
		return "skipped";
	case PROBE_TIME_LIMIT:
		return PROBE_UNKNOWN "(time limit)";
	case PROBE_KILLED:
		return PROBE_UNKNOWN "(killed)";
	case PROBE_NOT_TRIED:
		return PROBE_UNKNOWN "(not tried)";
	default:
		return "not measured";
	}
}

static void describe(const struct probe_result *result, char text[96])
{
	if (result->state == PROBE_FAULTS && result->error)
		set(text, "faults: %s", model_hip_error_name(result->error));
	else if (result->state == PROBE_FAULTS && result->signal)
		set(text, "ends the process: %s", strsignal(result->signal));
	else if (result->state == PROBE_FAULTS)
		set(text, "ends the process");
	else if (result->state == PROBE_REFUSED)
		set(text, "refused: %s", model_hip_error_name(result->error));
	else
		set(text, "%s", state_text((enum probe_state)result->state));
}

/* Judges an answer: a measurement cannot refute one that passed over an unknown condition. */
static void judge(struct probe_comparison *comparison, bool agree)
{
	comparison->verdict = agree                 ? VERDICT_AGREE
			      : comparison->certain ? VERDICT_DIFFER
						    : VERDICT_MODEL_UNKNOWN;
}

static void compare_granularity(const struct probe_mode *mode, unsigned placement,
				const struct probe_result *result,
				struct probe_comparison *comparison)
{
	struct model_memory memory = expected_memory(mode, placement);
	enum granularity measured = (enum granularity)result->value;

	set(comparison->measured, "%s",
	    measured == GRAIN_UNKNOWN ? "not reported" : model_granularity_name(measured));
	set(comparison->model, "%s", model_granularity_name(memory.granularity));
	comparison->sources = memory.sources;
	comparison->certain = memory.certain;
	if (measured == GRAIN_UNKNOWN)
		comparison->verdict = VERDICT_NOT_MEASURED;
	else if (memory.granularity == GRAIN_FINE || memory.granularity == GRAIN_COARSE)
		judge(comparison, measured == memory.granularity);
	else /* the driver keeps a mode also for pages that no GPU reaches */
		comparison->verdict = VERDICT_MODEL_UNKNOWN;
}

/* Returns the question of the model that a step answers; QUESTIONS: none. */
static enum model_question question_of(int step)
{
	switch (step) {
	case PROBE_STEP_HOST:
		return QUESTION_CPU;
	case PROBE_STEP_LOAD:
	case PROBE_STEP_STORE:
		return QUESTION_GPU;
	case PROBE_STEP_FILL:
		return QUESTION_FILL;
	case PROBE_STEP_PREFETCH:
		return QUESTION_PREFETCH;
	case PROBE_STEP_ADVICE:
		return QUESTION_ADVICE;
	default:
		return QUESTIONS;
	}
}

static void compare_access(const struct probe_mode *mode, unsigned placement, int step,
			   const struct probe_result *result, struct probe_comparison *comparison)
{
	struct model_memory memory = expected_memory(mode, placement);
	struct model_answer answer = model_ask(question_of(step), memory.kind, &mode->environment);
	bool works = result->state == PROBE_WORKS;

	set(comparison->model, "%s", model_access_text(answer.access));
	comparison->sources = answer.sources;
	/* Memory of pools may be mapped for GPUs alone, as that of HIP 7.2 is [SEEN72]. */
	comparison->certain =
	    answer.certain && memory.certain &&
	    !(step == PROBE_STEP_HOST && probe_placements[placement].way == PROBE_DEVICE_STREAM);
	switch (answer.access) {
	case ACCESS_UNKNOWN:
		comparison->verdict = VERDICT_MODEL_UNKNOWN;
		break;
	case ACCESS_NONE:
	case ACCESS_FAULT:
		judge(comparison, !works);
		break;
	case ACCESS_NO:
		/* A call that has no effect may succeed; a fill that succeeds has one. */
		if (step == PROBE_STEP_FILL || !works)
			judge(comparison, !works);
		else
			comparison->verdict = VERDICT_MODEL_UNKNOWN;
		break;
	default:
		judge(comparison, works);
	}
}

static void compare_atomic(const struct probe_mode *mode, unsigned placement, int step,
			   const struct probe_result *result, struct probe_comparison *comparison)
{
	static const char *const outcomes[] = {
		[OUTCOME_UNKNOWN] = "unknown",
		[OUTCOME_WORKS] = "works",
		[OUTCOME_LOST] = "lost",
		[OUTCOME_NO_OPCODE] = "no instruction",
		[OUTCOME_DOWNGRADED] = "atomic within the GPU only",
	};
	struct model_memory memory = expected_memory(mode, placement);
	struct probe_step_text text = probe_step_text(step);
	struct model_atomic_use use = {
		.arch = mode->arch,
		.kind = text.kind,
		.granularity = memory.granularity,
		.location = memory.location,
		.system_scope = text.system,
		.link = mode->link == LINK_TYPE_PCIE   ? LINK_PCIE
			: mode->link == LINK_TYPE_XGMI ? LINK_XGMI
						       : LINK_UNKNOWN,
		.pcie_atomics = mode->pcie_atomics,
		.apu = mode->environment.apu,
	};
	struct model_outcome outcome;

	/* Nothing was prefetched, and without XNACK nothing else moves pages (S0). */
	if (use.location == LOCATION_MOVABLE && mode->environment.xnack == 0)
		use.location = LOCATION_HOST;
	outcome = model_atomic(&use);
	set(comparison->model, "%s", outcomes[outcome.outcome]);
	comparison->sources = outcome.sources;
	comparison->certain = outcome.certain && memory.certain && !outcome.doubt;
	switch (outcome.outcome) {
	case OUTCOME_WORKS:
	case OUTCOME_DOWNGRADED: /* here only the GPU takes part */
		judge(comparison, result->state == PROBE_WORKS);
		break;
	case OUTCOME_LOST:
		judge(comparison, result->state == PROBE_LOST);
		break;
	case OUTCOME_NO_OPCODE:
		judge(comparison, result->state == PROBE_NO_CODE);
		break;
	default:
		comparison->verdict = VERDICT_MODEL_UNKNOWN;
	}
	/* No instruction of its own for system scope; kernels of a generic processor lack what some
	 * of its members have. */
	if (result->state == PROBE_NO_CODE && (outcome.outcome != OUTCOME_NO_OPCODE || text.system))
		comparison->verdict = VERDICT_NOT_APPLICABLE;
}

/* By the model, a thread that waits so sees what the kernel stored
 * (docs/memory-model.md#visibility-and-waiting). */
static void compare_wait(const struct probe_result *result, struct probe_comparison *comparison)
{
	if (result->state == PROBE_WORKS)
		set(comparison->measured, "visible");
	else if (result->state == PROBE_LOST)
		set(comparison->measured, "not visible");
	set(comparison->model, "visible");
	comparison->sources = "S1,COH,CLR62";
	comparison->certain = true;
	judge(comparison, result->state == PROBE_WORKS);
}

/* Compares a sum to which both add: it is right if each side is right alone and the link carries
 * additions. */
static void compare_together(const struct probe_mode *mode, unsigned placement,
			     const struct probe_result *result, struct probe_comparison *comparison)
{
	struct model_memory memory = expected_memory(mode, placement);

	compare_atomic(mode, placement, PROBE_STEP_ATOMIC + 2 * PROBE_OP_u32_add, result,
		       comparison);
	/* The GPU may hold coarse-grained memory that the host changes: any sum is possible. */
	if (memory.granularity != GRAIN_FINE || strcmp(comparison->model, "works") != 0) {
		comparison->model[0] = '\0';
		comparison->verdict = VERDICT_MODEL_UNKNOWN;
	}
}

/* Compares the migration: that pages stayed does not prove that they never move. */
static void compare_migration(const struct probe_mode *mode, unsigned placement,
			      const struct probe_result *result,
			      struct probe_comparison *comparison)
{
	struct model_memory memory = expected_memory(mode, placement);
	struct model_answer answer = model_ask(QUESTION_MIGRATION, memory.kind, &mode->environment);
	bool moved = result->state == PROBE_WORKS;

	if (moved || result->state == PROBE_LOST)
		set(comparison->measured, "%s", moved ? "pages move" : "pages stay");
	set(comparison->model, "%s", model_access_text(answer.access));
	comparison->sources = answer.sources;
	comparison->certain = answer.certain && memory.certain;
	comparison->verdict = VERDICT_MODEL_UNKNOWN;
	if (answer.access == ACCESS_NO || (answer.access == ACCESS_YES && moved))
		judge(comparison, moved == (answer.access == ACCESS_YES));
}

struct probe_comparison probe_compare(const struct probe_mode *mode, unsigned placement, int step)
{
	const struct probe_result *result = &mode->memory[placement].steps[step];
	struct probe_comparison comparison = { .verdict = VERDICT_NOT_MEASURED, .sources = "" };

	describe(result, comparison.measured);
	if (step == PROBE_STEP_ALLOCATE && result->state == PROBE_NO_CODE)
		set(comparison.measured, "not possible here");
	/* No such call in this runtime, or no second GPU. */
	if (mode->memory[placement].steps[PROBE_STEP_ALLOCATE].state == PROBE_NO_CODE) {
		comparison.verdict = VERDICT_NOT_APPLICABLE;
		return comparison;
	}
	if (result->state == PROBE_PENDING || result->state == PROBE_STARTED ||
	    result->state == PROBE_SKIPPED || probe_state_unknown((enum probe_state)result->state))
		return comparison;
	if (probe_placements[placement].way == PROBE_PEER && step != PROBE_STEP_GRANULARITY) {
		/* The model knows one GPU. */
		comparison.verdict =
		    result->state == PROBE_NO_CODE ? VERDICT_NOT_APPLICABLE : VERDICT_MODEL_UNKNOWN;
	} else if (step == PROBE_STEP_TOGETHER) {
		compare_together(mode, placement, result, &comparison);
	} else if (step == PROBE_STEP_MIGRATION) {
		compare_migration(mode, placement, result, &comparison);
	} else if (step == PROBE_STEP_ALLOCATE) {
		/* The model does not say if a call succeeds. */
		comparison.verdict =
		    result->state == PROBE_WORKS ? VERDICT_NOT_APPLICABLE : VERDICT_NOT_MEASURED;
	} else if (step == PROBE_STEP_GRANULARITY) {
		compare_granularity(mode, placement, result, &comparison);
	} else if (step >= PROBE_STEP_STREAM_WAIT && step <= PROBE_STEP_DEVICE_WAIT) {
		compare_wait(result, &comparison);
	} else if (question_of(step) != QUESTIONS) {
		compare_access(mode, placement, step, result, &comparison);
	} else {
		compare_atomic(mode, placement, step, result, &comparison);
	}
	return comparison;
}

double probe_slowdown(const struct probe_mode *mode, unsigned placement, int step)
{
	double coarse = mode->memory[0].steps[step].nanoseconds; /* hipMalloc is the first row */
	double here = mode->memory[placement].steps[step].nanoseconds;

	return coarse > 0 && here > 0 ? here / coarse : 0;
}
