/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which blocks of a kernel are reached, with the results of some conditions assumed. */
#include "choice_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Instructions looked at in all, less what a pass needs: a large kernel gets fewer conditions. */
#define CHOICE_STEPS (1u << 20)

/* So few are not ranked. */
#define FEW_CONDITIONS 3u

/* Returns true if a block may access memory other than the work-group's. */
static bool accesses_memory(const struct function *function, uint32_t index)
{
	const struct block *block = &function->block[index];

	for (uint32_t i = 0; i < block->count; i++) {
		const struct insn *insn = function->insn[block->first + i];

		if (insn->class == OP_CALL || (insn->class == OP_MEMORY && insn->family != MEM_DS))
			return true;
	}
	return false;
}

/* A condition, and what it decides. */
struct candidate {
	unsigned index;
	unsigned blocks; /* with accesses, that one of its results excludes */
	unsigned edges;
	unsigned selects; /* that are decided by one of its results */
};

/* Puts those first that exclude something, and of these the ones that exclude least. */
static int by_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (!x->blocks != !y->blocks)
		return x->blocks ? -1 : 1;
	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns how many selections are decided after a pass. */
static unsigned decided_selects(const struct choice_pass *pass)
{
	uint32_t blocks = pass->choice->function->block_count;
	unsigned count = 0;

	for (uint32_t b = 0; pass->selects && b < blocks; b++) {
		struct choice_state state;

		if (!pass->block[b].selects || !pass->in[b].reached)
			continue;
		choice_copy(pass->choice, &state, &pass->in[b]);
		for (uint32_t i = pass->block[b].first; i < pass->block[b + 1].first; i++) {
			struct choice_insn *step = &pass->step[i];

			count += step->selects && !step->half &&
				 choice_selects(pass->choice, step->insn, &state);
			choice_step(pass->choice, step, &state);
		}
	}
	return count;
}

/* Takes all, if trying them one by one takes as long as trying what they have in common. */
static unsigned take_all(const struct choice *choice, struct candidate *candidates)
{
	for (unsigned c = 0; c < choice->condition_count; c++)
		candidates[c] = (struct candidate){ .index = c };
	return choice->condition_count;
}

/* Try each condition by itself. Returns how many decide anything, the most useful ones first. */
static unsigned rank(struct choice_pass *pass, const struct choice_state *entry,
		     const bool *accessing, const bool *reached, unsigned edges,
		     struct candidate *candidates)
{
	struct choice *choice = pass->choice;
	unsigned count = 0;

	for (unsigned c = 0; c < choice->condition_count; c++) {
		struct candidate *candidate = &candidates[count];

		*candidate = (struct candidate){ .index = c };
		for (unsigned yes = 0; yes < 2; yes++) {
			choice->truth[c] = yes ? TRUTH_YES : TRUTH_NO;
			candidate->edges += edges - choice_run(pass, entry);
			candidate->selects += decided_selects(pass);
			for (uint32_t b = 0; b < choice->function->block_count; b++)
				candidate->blocks +=
				    accessing[b] && reached[b] && !pass->in[b].reached;
		}
		choice->truth[c] = TRUTH_UNKNOWN;
		count += candidate->edges > 0 || candidate->selects > 0;
	}
	qsort(candidates, count, sizeof(*candidates), by_use);
	return count;
}

/* Sets what is assumed of the first `count` conditions: `results` has a bit for each. */
static void assume(struct choice *choice, unsigned count, unsigned results)
{
	for (unsigned c = 0; c < count; c++)
		choice->truth[c] = results >> c & 1 ? TRUTH_YES : TRUTH_NO;
}

/*
 * Orders conditions by how often their results change from one pass to the next, most often those
 * that decide little: a pass goes over what differs from the one before.
 */
static void order_conditions(struct choice_pass *pass, unsigned count, unsigned *order)
{
	unsigned weight[ISA_CONDITIONS];

	for (unsigned c = 0; c < count; c++) {
		unsigned k = c, own = choice_mark(pass, 1u << c);

		for (; k && weight[k - 1] > own; k--) {
			weight[k] = weight[k - 1];
			order[k] = order[k - 1];
		}
		weight[k] = own;
		order[k] = c;
	}
}

static void try_all(struct choice_pass *pass, const struct choice_state *entry, unsigned count,
		    const bool *reached, isa_when *when)
{
	uint32_t blocks = pass->choice->function->block_count;
	unsigned order[ISA_CONDITIONS];
	isa_when tried = 0;

	for (uint32_t b = 0; b < blocks; b++)
		when[b] = reached[b] ? 0 : ISA_ALWAYS; /* seen by the data flow alone */
	for (unsigned number = 0; number < 1u << count; number++) {
		unsigned results = 0;
		isa_when bits;

		for (unsigned k = 0; number && k < count; k++)
			results |= (number >> k & 1) << order[k];
		if (tried >> results & 1)
			continue;
		assume(pass->choice, count, results);
		choice_run(pass, entry);
		/* With other results of the conditions that nothing consulted it is the same. */
		bits = choice_like(results, pass->choice->consulted);
		tried |= bits;
		for (uint32_t b = 0; b < blocks; b++)
			if (pass->in[b].reached)
				when[b] |= bits;
		if (!number)
			order_conditions(pass, count, order);
	}
}

/* Make the candidates the choice's conditions, and the kernel's. */
static void take(struct choice_pass *pass, const struct candidate *candidates, unsigned count,
		 struct isa_kernel *kernel)
{
	struct choice *choice = pass->choice;

	for (unsigned i = 0; i < count; i++)
		kernel->condition[i] = choice->condition[candidates[i].index];
	memcpy(choice->condition, kernel->condition, count * sizeof(choice->condition[0]));
	choice->condition_count = kernel->condition_count = count;
	pass->settled = false;
}

static int solve(struct choice_pass *pass, const struct flow_entry *entry,
		 struct isa_kernel *kernel, isa_when **when)
{
	struct choice *choice = pass->choice;
	uint32_t blocks = choice->function->block_count;
	bool *accessing = calloc(blocks, sizeof(*accessing));
	bool *reached = calloc(blocks, sizeof(*reached));
	struct candidate candidates[CHOICE_CONDITIONS_MAX];
	struct choice_state start;
	unsigned edges, count;
	int status = accessing && reached ? 0 : -ENOMEM;
	size_t steps;

	if (status)
		goto out;
	choice_begin(choice, entry, &start);
	choice->learning = true;
	edges = choice_run(pass, &start);
	choice->learning = false;
	steps = pass->steps;
	if (choice->lost || !choice->condition_count ||
	    steps * 2 * choice->condition_count > CHOICE_STEPS)
		goto out;
	for (uint32_t b = 0; b < blocks; b++) {
		accessing[b] = accesses_memory(choice->function, b);
		reached[b] = pass->in[b].reached;
	}
	status = choice_slice(choice, pass->step, pass->block, false);
	pass->settled = false;
	if (status)
		goto out;
	choice_begin(choice, entry, &start);
	count = choice->condition_count <= FEW_CONDITIONS
		    ? take_all(choice, candidates)
		    : rank(pass, &start, accessing, reached, edges, candidates);
	count = count > ISA_CONDITIONS ? ISA_CONDITIONS : count;
	while (count && steps << count > CHOICE_STEPS)
		count--;
	if (!count)
		goto out;
	*when = calloc(blocks, sizeof(**when));
	if (!*when) {
		status = -ENOMEM;
		goto out;
	}
	take(pass, candidates, count, kernel);
	try_all(pass, &start, count, reached, *when);
out:
	free(accessing);
	free(reached);
	return status;
}

int choices_find(struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel)
{
	const struct function *function = flow->kernel;
	struct choice_pass pass;
	int status;

	if (!function || function->entry_block == NO_BLOCK || flow->exhausted || flow->broken)
		return 0;
	status = choice_pass_begin(&pass, function, entry);
	if (!status)
		status = solve(&pass, entry, kernel, &flow->when);
	choice_pass_end(&pass);
	return status;
}

/* ---- selections ---- */

/*
 * Returns true if it makes a mask of a condition: a selection by that mask depends on the
 * condition.
 */
static bool makes_mask(const struct insn *insn)
{
	const struct operand *a = &insn->operand[1], *b = &insn->operand[2];

	return insn->traits & INSN_SCALAR && a->kind == OPERAND_CONST && b->kind == OPERAND_CONST &&
	       a->value + b->value == -1 && a->value * b->value == 0;
}

/* Reads what each selection takes after a pass. */
static void read_selects(const struct choice_pass *pass, uint8_t *selects)
{
	for (uint32_t b = 0; b < pass->choice->function->block_count; b++) {
		struct choice_state state;

		choice_copy(pass->choice, &state, &pass->in[b]);
		for (uint32_t i = pass->block[b].first;
		     state.reached && i < pass->block[b + 1].first; i++) {
			struct choice_insn *step = &pass->step[i];

			if (step->insn->class == OP_SELECT && !step->half &&
			    !makes_mask(step->insn))
				selects[step->index] =
				    (uint8_t)choice_selects(pass->choice, step->insn, &state);
			choice_step(pass->choice, step, &state);
		}
	}
}

/* Takes over `selects`. Returns false if there are too many groups. */
static bool add_group(struct choice_groups *groups, uint8_t *selects, size_t count, isa_when when)
{
	for (unsigned i = 0; i < groups->count; i++) {
		if (!memcmp(groups->group[i].selects, selects, count)) {
			groups->group[i].when |= when;
			free(selects);
			return true;
		}
	}
	if (groups->count == CHOICE_GROUPS) {
		free(selects);
		return false;
	}
	groups->group[groups->count++] = (struct choice_group){ when, selects };
	return true;
}

void choices_groups_clear(struct choice_groups *groups)
{
	for (unsigned i = 0; i < groups->count; i++)
		free(groups->group[i].selects);
	groups->count = 0;
}

int choices_groups(struct flow *flow, const struct flow_entry *entry,
		   const struct isa_kernel *kernel, struct choice_groups *groups)
{
	const struct function *function = flow->kernel;
	struct choice_state start;
	struct choice_pass pass;
	bool few = true;
	int status = 0;

	groups->count = 0;
	if (!kernel->condition_count)
		return 0;
	status = choice_pass_begin(&pass, function, entry);
	if (!status)
		status = choice_slice(pass.choice, pass.step, pass.block, true);
	if (status)
		goto out;
	choice_begin(pass.choice, entry, &start);
	memcpy(pass.choice->condition, kernel->condition, sizeof(kernel->condition));
	pass.choice->condition_count = kernel->condition_count;
	for (unsigned results = 0; few && results < 1u << kernel->condition_count; results++) {
		isa_when when = choice_like(results, (1u << kernel->condition_count) - 1);
		uint8_t *selects = calloc((size_t)function->insn_count + 1, 1);

		if (!selects) {
			status = -ENOMEM;
			break;
		}
		assume(pass.choice, kernel->condition_count, results);
		choice_run(&pass, &start);
		read_selects(&pass, selects);
		few = add_group(groups, selects, function->insn_count, when);
	}
	if (status || !few || groups->count < 2)
		choices_groups_clear(groups);
out:
	choice_pass_end(&pass);
	return status;
}

int choices_select(const struct flow *flow, const struct insn *insn)
{
	uint32_t index =
	    flow->selects && flow->kernel ? function_index(flow->kernel, insn) : NO_INSN;

	return index == NO_INSN ? 0 : flow->selects[index];
}

/* ---- accesses ---- */

isa_when choices_when(const struct flow *flow, const struct access *access)
{
	/* A function does its work for whoever calls it. */
	if (!flow->when || access->function != flow->kernel)
		return ISA_ALWAYS;
	return flow->when[function_block(flow->kernel, access->insn->pc)];
}
