/* SPDX-License-Identifier: Apache-2.0 */
/* This finds which registers matter: backwards from the addresses of accesses. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "slice_step.h"

/* This is what is live at one place. */
struct live {
	struct reg_set value; /* by its contents */
	struct reg_set mask; /* as a lane mask only: what a comparison compared is of no interest */
	bool condition;      /* the condition code */
};

struct walk {
	const struct function *function;
	struct live *in;   /* by block */
	bool *stale;       /* by block: what it depends on has changed */
	bool *across;      /* by block: it depends on `aside` */
	struct live aside; /* wherever lanes may be switched on, and what other lanes read */
	struct slice_steps steps;
	bool changed; /* `aside` has */
	bool asked;   /* `aside` was */
};

static bool merge_set(struct reg_set *into, const struct reg_set *from)
{
	uint64_t news = 0;

	for (size_t i = 0; i < REG_COUNT / 64; i++) {
		news |= from->word[i] & ~into->word[i];
		into->word[i] |= from->word[i];
	}
	return news;
}

static bool merge(struct live *into, const struct live *from)
{
	bool value = merge_set(&into->value, &from->value);

	return merge_set(&into->mask, &from->mask) || value;
}

static bool any_of(const struct reg_set *set, const struct slice_ref *ref, unsigned count)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < count; i++)
		any |= set->word[ref[i].word] & ref[i].bits;
	return any;
}

static void add(struct reg_set *set, const struct slice_ref *ref, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		set->word[ref[i].word] |= ref[i].bits;
}

static void remove_from(struct reg_set *set, const struct slice_ref *ref, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		set->word[ref[i].word] &= ~ref[i].bits;
}

static void before_exec(struct walk *walk, const struct slice_step *step,
			const struct slice_ref *sources, struct live *live)
{
	add(&live->mask, sources, step->sources);
	walk->asked = true;
	if (step->kind == SLICE_EXEC)
		walk->changed |= merge(&walk->aside, live);
	merge(live, &walk->aside);
}

static void pin(struct walk *walk, const struct slice_step *step, const struct slice_ref *pinned,
		struct live *live)
{
	struct live wanted = { 0 };

	add(&wanted.value, pinned, step->pinned);
	add(&wanted.mask, pinned, step->pinned);
	walk->asked = true;
	walk->changed |= merge(&walk->aside, &wanted);
	merge(live, &wanted);
}

/* From what is live after an instruction to what is live before it. */
static void before(struct walk *walk, const struct slice_step *step, struct live *live)
{
	const struct slice_ref *to = walk->steps.ref + step->first;
	const struct slice_ref *sources = to + step->destinations;
	bool condition = live->condition, value = true, mask = true;

	if (step->sets_condition)
		live->condition = false;
	if (step->pins)
		pin(walk, step, sources + step->sources, live);
	switch (step->kind) {
	case SLICE_PLAIN:
		value = any_of(&live->value, to, step->results);
		mask = any_of(&live->mask, to, step->results) && !step->values_only;
		break;
	case SLICE_WANT:
		break;
	case SLICE_COMPARE:
		if (condition)
			add(&live->value, sources, step->sources);
		return;
	case SLICE_SHRINK:
	case SLICE_EXEC:
		before_exec(walk, step, sources, live);
		return;
	default:
		return;
	}
	if (step->removes) {
		remove_from(&live->value, to, step->destinations);
		remove_from(&live->mask, to, step->destinations);
	}
	if (value)
		add(&live->value, sources, step->sources);
	if (mask)
		add(&live->mask, sources, step->sources);
	if ((value || mask) && step->wants_condition)
		live->condition = true;
}

/* Returns true if it changes nothing of what is live after it. */
static bool is_idle(const struct walk *walk, const struct slice_step *step, const struct live *live)
{
	const struct slice_ref *to = walk->steps.ref + step->first;

	if (!step->idle || step->nothing)
		return step->idle;
	return !(live->condition && step->scalar) &&
	       !any_of(&live->value, to, step->destinations) &&
	       !any_of(&live->mask, to, step->destinations);
}

/* From the end of a block to its beginning; `idle`, unless it is NULL, by instruction. */
static void through_block(struct walk *walk, uint32_t index, struct live *live, bool *idle)
{
	const struct block *block = &walk->function->block[index];
	const struct slice_step *first = walk->steps.step + walk->steps.begin[index];
	const struct slice_step *step = walk->steps.step + walk->steps.begin[index + 1];
	uint32_t i = block->first + block->count;

	memset(live, 0, sizeof(*live));
	for (unsigned k = 0; k < 2; k++)
		if (block->successor[k] != NO_BLOCK)
			merge(live, &walk->in[block->successor[k]]);
	while (step-- > first) {
		bool dual = step > first && step[-1].dual;

		i--;
		step -= dual;
		if (idle)
			idle[i] =
			    is_idle(walk, step, live) && (!dual || is_idle(walk, step + 1, live));
		if (dual) {
			/* Both read before either writes. */
			struct live other = *live;

			before(walk, step + 1, &other);
			before(walk, step, live);
			merge(live, &other);
		} else {
			before(walk, step, live);
		}
	}
	/* Conditions are followed within blocks only. */
	live->condition = false;
}

static bool understood(const struct insn *insn)
{
	switch (insn->class) {
	case OP_CALL:
	case OP_SETPC:
	case OP_ODD:
	case OP_INDEX_ON:
	case OP_INDEX_OFF:
	case OP_INDEX_SOURCE:
	case OP_INDEX_DEST:
		return false;
	case OP_UNKNOWN:
		return insn->traits & INSN_VECTOR;
	default:
		return true;
	}
}

static bool solve(struct walk *walk, struct slice *slice)
{
	const struct function *function = walk->function;
	struct live live;
	uint32_t b, i;
	bool again;

	memset(walk->stale, true, function->block_count);
	do {
		again = false;
		/* Backwards: most successors lie behind. */
		for (b = function->block_count; b--;) {
			const struct block *block = &function->block[b];

			if (!walk->stale[b])
				continue;
			walk->stale[b] = walk->changed = walk->asked = false;
			through_block(walk, b, &live, NULL);
			walk->across[b] = walk->asked;
			/* It is part of what every block with a change of exec passes on. */
			for (i = 0; walk->changed && i < function->block_count; i++)
				walk->stale[i] |= walk->across[i];
			if (merge(&walk->in[b], &live))
				for (i = 0; i < block->predecessor_count; i++)
					walk->stale[block->predecessor[i]] = true;
			again = true;
		}
	} while (again);
	for (b = 0; b < function->block_count; b++) {
		through_block(walk, b, &live, slice->idle);
		for (i = 0; i < REG_COUNT / 64; i++) {
			uint64_t value = walk->in[b].value.word[i], mask = walk->in[b].mask.word[i];

			slice->live[b].word[i] = value | mask;
			slice->mask[b].word[i] = mask & ~value;
		}
	}
	for (i = 0; i < REG_COUNT / 64; i++)
		slice->aside.word[i] = walk->aside.value.word[i] | walk->aside.mask.word[i];
	return true;
}

bool slice_function(struct slice *slice, const struct function *function)
{
	struct walk walk = { .function = function };
	bool solved;
	uint32_t i;

	for (i = 0; i < function->insn_count; i++) {
		const struct insn *insn = function->insn[i];

		if (!understood(insn) || (insn->dual && !understood(insn->dual)))
			return false;
		walk.steps.private_reads |=
		    insn->class == OP_MEMORY && insn->load &&
		    (insn->family == MEM_FLAT || insn->family == MEM_SCRATCH ||
		     insn->family == MEM_BUFFER);
	}
	walk.in = calloc(function->block_count + 1, sizeof(*walk.in));
	walk.stale = calloc(function->block_count + 1, sizeof(*walk.stale));
	walk.across = calloc(function->block_count + 1, sizeof(*walk.across));
	slice->live = calloc(function->block_count + 1, sizeof(*slice->live));
	slice->mask = calloc(function->block_count + 1, sizeof(*slice->mask));
	slice->idle = calloc(function->insn_count + 1, sizeof(*slice->idle));
	solved = walk.in && walk.stale && walk.across && slice->live && slice->mask &&
		 slice->idle && !slice_steps_read(&walk.steps, function) && solve(&walk, slice);
	slice_steps_free(&walk.steps);
	free(walk.in);
	free(walk.stale);
	free(walk.across);
	return solved;
}

void slice_clear(struct slice *slice)
{
	free(slice->live);
	free(slice->mask);
	free(slice->idle);
	memset(slice, 0, sizeof(*slice));
}
