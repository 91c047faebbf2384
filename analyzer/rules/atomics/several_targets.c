/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks atomics that go through one of several pointers: arguments, or words in memory. What they
 * do on all that the pointers lead to decides how sure a finding about one of these can be.
 */
#include "atomics.h"

#include "analyzer/rules/engine/words.h"
#include "analyzer/rules/engine/measurements.h"
#include "analyzer/rules/engine/paths.h"

#include <string.h>

/* An atomic is lost on memory, or (else) its effect is the granularity of the memory. */
enum { EFFECT_NONE = -1, EFFECT_LOST = -2 };

static int effect_on(const struct rules_context *context, const struct launch *launch,
		     const struct isa_atomic *atomic, const struct pointer_argument *pointer)
{
	struct model_atomic_use use;
	struct atomic_effect effect;
	struct grain grain;
	int result;

	if (pointer->place.kind != PLACE_ALLOCATION && !is_system_memory(&pointer->place))
		return EFFECT_NONE;
	atomic_grain(context, launch, atomic, pointer, &grain);
	use = atomic_use(context, launch, atomic_instruction_kind(atomic), pointer, &grain);
	effect = atomic_effect(context->process, launch, &pointer->place, &grain, &use);
	result = effect.outcome.outcome == OUTCOME_LOST ? EFFECT_LOST : (int)grain.granularity;
	grain_clear(&grain);
	return result;
}

/* Sums up what the pointers of an atomic lead to. */
struct comparison {
	int *effect; /* of each */
	bool same;   /* ... which is the same of all */
};

static struct comparison compare(const struct rules_context *context, const struct launch *launch,
				 const struct isa_atomic *atomic,
				 const struct path_targets *targets)
{
	struct comparison comparison = { g_new(int, targets->list->len + 1), true };

	for (unsigned i = 0; i < targets->list->len; i++) {
		comparison.effect[i] =
		    effect_on(context, launch, atomic,
			      &g_array_index(targets->list, struct pointer_argument, i));
		comparison.same &= comparison.effect[i] == comparison.effect[0];
	}
	return comparison;
}

/* Returns true if the atomic does the same on other memory. */
static bool other_is_alike(const struct path_targets *targets, const struct comparison *comparison,
			   unsigned index)
{
	const struct pointer_argument *target =
	    &g_array_index(targets->list, struct pointer_argument, 0);

	for (unsigned i = 0; i < targets->list->len; i++)
		if (comparison->effect[i] == comparison->effect[index] &&
		    target[i].place.allocation != target[index].place.allocation)
			return true;
	return false;
}

/* Returns what is doubtful about which of them it is. */
static const char *doubt_of(const struct path_targets *targets, const struct isa_atomic *atomic)
{
	if (targets->chosen)
		return "an index that is not known chooses among pointers in memory";
	if (targets->stored)
		return "kernels may have stored several pointers there, and which of them is the "
		       "latest is not known";
	return atomic->origin.kind == ISA_ORIGIN_SET
		   ? "the instruction updates what one of several arguments points to, and nothing "
		     "recorded says which"
		   : "the instruction updates what one of several pointers leads to";
}

static void weigh(const struct path_targets *targets, const struct isa_atomic *atomic,
		  const struct comparison *comparison, struct pointer_argument *target)
{
	bool chosen = targets->chosen || targets->stored;

	/* A pointer that the launch itself stores may be there ahead of the update, or not. */
	if (!comparison->same || (chosen && !targets->complete) || targets->own) {
		target->at_most = CONFIDENCE_POSSIBLE;
		target->maybe_harmless = !comparison->same || targets->stored;
		target->doubt = doubt_of(targets, atomic);
	} else if (!target->doubt) {
		target->at_most = CONFIDENCE_LIKELY;
		target->doubt = doubt_of(targets, atomic);
	}
}

/* Returns what identifies all that the atomic may go through; to be freed. */
static char *name_of(const struct isa_atomic *atomic)
{
	GString *name = g_string_new(atomic->origin.symbol);

	for (size_t i = 0; i < atomic->origin.kernarg_count; i++)
		g_string_append_printf(name, " %u", atomic->origin.kernarg[i]);
	return g_string_free(name, FALSE);
}

/* Returns true if they are pointer arguments, each of which is another one. */
static bool are_arguments(const struct path_targets *targets)
{
	for (unsigned i = 0; i < targets->list->len; i++) {
		int index = g_array_index(targets->list, struct pointer_argument, i).index;

		if (index < 0)
			return false;
		for (unsigned k = 0; k < i; k++)
			if (g_array_index(targets->list, struct pointer_argument, k).index == index)
				return false;
	}
	return true;
}

/* Returns the arguments that the atomic may go through. The caller frees the text. */
static char *arguments_text(const struct path_targets *targets)
{
	bool whole = are_arguments(targets);
	GString *text =
	    g_string_new(whole ? "one of the arguments " : "one of the pointers at bytes ");

	for (unsigned i = 0; i < targets->list->len; i++) {
		const struct pointer_argument *target =
		    &g_array_index(targets->list, struct pointer_argument, i);

		g_string_append(text, words_separator(i, targets->list->len));
		if (!whole)
			g_string_append_printf(text, "%u", target->kernarg);
		else if (target->name)
			g_string_append_printf(text, "%s (number %d)", target->name, target->index);
		else
			g_string_append_printf(text, "number %d", target->index);
	}
	return g_string_free(g_string_append(text, whole ? "" : " of the arguments"), FALSE);
}

/* Returns true if all of them come from the kernel's arguments, and lead to the same memory. */
static bool are_one(const struct path_targets *targets, const struct comparison *comparison)
{
	for (unsigned i = 0; i < targets->list->len; i++) {
		const struct pointer_argument *target =
		    &g_array_index(targets->list, struct pointer_argument, i);

		if (target->chain || target->kernarg == NO_KERNARG)
			return false;
	}
	return targets->list->len > 1 && comparison->same && path_targets_alike(targets);
}

static void check_targets(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic, struct path_targets *targets)
{
	struct comparison comparison = compare(context, launch, atomic, targets);
	unsigned count = targets->list->len;
	bool alike = targets->complete && comparison.same && path_targets_alike(targets);
	char *name = name_of(atomic);
	char *several = are_one(targets, &comparison) ? arguments_text(targets) : NULL;

	for (unsigned i = 0; i < count; i++) {
		struct pointer_argument *target =
		    &g_array_index(targets->list, struct pointer_argument, i);

		if (!alike && count + !targets->complete > 1 && !atomic->every)
			weigh(targets, atomic, &comparison, target);
		if (!path_targets_alike(targets) && other_is_alike(targets, &comparison, i))
			target->among = name;
		target->several = several;
		check_pointer(context, launch, atomic, target);
	}
	g_free(comparison.effect);
	g_free(several);
	g_free(name);
}

/* ---- arguments ---- */

/* Returns true if an argument that may hold the pointer leads nowhere: it is another number. */
static bool leads_nowhere(const struct launch *launch, const struct pointer_argument *pointer)
{
	bool declared = pointer->index >= 0 && launch->code->args[pointer->index].pointer;

	return pointer->place.kind == PLACE_NULL ||
	       (pointer->place.kind == PLACE_UNKNOWN && !declared);
}

static bool is_there(const struct path_targets *targets, uint64_t address)
{
	for (unsigned i = 0; i < targets->list->len; i++)
		if (g_array_index(targets->list, struct pointer_argument, i).address == address)
			return true;
	return false;
}

/* Adds a device variable, which is coarse-grained unless the process has an allocation for it. */
static void add_variable(const struct rules_context *context, const char *symbol,
			 struct path_targets *targets)
{
	struct pointer_argument pointer = { .kernarg = NO_KERNARG, .index = -1 };

	pointer.place.allocation = address_space_find_symbol(&context->process->space, symbol);
	pointer.place.kind = pointer.place.allocation ? PLACE_ALLOCATION : PLACE_UNKNOWN;
	pointer.address = pointer.place.allocation ? pointer.place.allocation->ptr : 0;
	g_array_append_val(targets->list, pointer);
}

void check_set(const struct rules_context *context, const struct launch *launch,
	       const struct isa_atomic *atomic)
{
	struct path_targets targets = {
		.list = g_array_new(FALSE, FALSE, sizeof(struct pointer_argument)),
		.complete = true,
	};

	for (size_t i = 0; i < atomic->origin.kernarg_count; i++) {
		struct pointer_argument pointer;

		if (!launch_pointer(context, launch, atomic->origin.kernarg[i], &pointer) ||
		    leads_nowhere(launch, &pointer))
			targets.complete = false;
		else if (!is_there(&targets, pointer.address))
			g_array_append_val(targets.list, pointer);
	}
	if (atomic->origin.symbol)
		add_variable(context, atomic->origin.symbol, &targets);
	check_targets(context, launch, atomic, &targets);
	g_array_free(targets.list, TRUE);
}

/* ---- pointers in memory ---- */

void check_paths(const struct rules_context *context, const struct launch *launch,
		 const struct isa_atomic *atomic)
{
	const struct isa_paths *paths = &atomic->origin.paths;
	struct path_targets targets;

	path_targets_find(context, launch, paths->path, paths->count, &targets);
	check_targets(context, launch, atomic, &targets);
	if (targets.list->len == 0)
		check_unknown_target(context, launch, atomic);
	if (!targets.complete)
		limit_unknown_target(context, launch, atomic);
	path_targets_clear(&targets);
}
