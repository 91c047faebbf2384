/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a kernel are reached, with the results of some conditions assumed. */
#include "choice_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Instructions looked at in all, less what a pass needs: a large kernel gets fewer conditions. */
#define CHOICE_STEPS (1u << 20)

/* So few are not ranked. */
#define FEW_CONDITIONS 3u

/* Passes over the function. */
struct pass {
	struct choice *choice;
	struct choice_insn *step;   /* instructions that matter, by block */
	struct choice_block *block; /* one more than blocks */
	struct choice_state *in;    /* by block */
	bool selects;               /* some block has */
	size_t steps;
};

static void copy_state(const struct choice *choice, struct choice_state *to,
		       const struct choice_state *from)
{
	memcpy(to, from, offsetof(struct choice_state, reg) + choice->slots * sizeof(to->reg[0]));
}

/* So many registers are joined at a time. */
typedef choice_id lane __attribute__((vector_size(CHOICE_LANE * sizeof(choice_id))));

/* What is not the same in both becomes CHOICE_UNKNOWN, which is 0. Whether anything did. */
static bool join_regs(choice_id *into, const choice_id *from, unsigned count)
{
	lane a, b, same, changed = { 0 };
	uint64_t any[sizeof(lane) / sizeof(uint64_t)], all = 0;

	for (unsigned i = 0; i < count; i += CHOICE_LANE) {
		memcpy(&a, into + i, sizeof(a));
		memcpy(&b, from + i, sizeof(b));
		same = a & (lane)(a == b);
		changed |= a ^ same;
		memcpy(into + i, &same, sizeof(same));
	}
	memcpy(any, &changed, sizeof(any));
	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++)
		all |= any[i];
	return all;
}

static void flow_to(struct pass *pass, uint32_t block, const struct choice_state *state)
{
	struct choice_state *in = &pass->in[block];
	bool changed;

	if (!in->reached) {
		copy_state(pass->choice, in, state);
		in->reg[pass->choice->unused] = CHOICE_UNKNOWN;
		in->reached = pass->block[block].dirty = true;
		return;
	}
	in->by_exec |= state->by_exec;
	changed = join_regs(in->reg, state->reg, pass->choice->slots);
	if (in->scc != state->scc && in->scc != TRUTH_UNKNOWN) {
		in->scc = TRUTH_UNKNOWN;
		changed = true;
	}
	pass->block[block].dirty |= changed;
}

static void visit(struct pass *pass, uint32_t index)
{
	const struct block *block = &pass->choice->function->block[index];
	struct choice_block *own = &pass->block[index];
	const struct choice_state *state = &pass->in[index];
	struct choice_state stepped;
	enum choice_truth taken;
	bool falls, jumps;

	if (own[0].first != own[1].first) {
		copy_state(pass->choice, &stepped, state);
		state = &stepped;
		for (uint32_t i = own[0].first; i < own[1].first; i++)
			choice_step(pass->choice, &pass->step[i], &stepped);
	}
	pass->steps += own->cost;
	taken = choice_taken(pass->choice, own->branch, state);
	falls = block->successor[0] != NO_BLOCK && taken != TRUTH_YES;
	jumps = block->successor[1] != NO_BLOCK && taken != TRUTH_NO;
	own->ways = (uint8_t)(falls + jumps);
	if (falls)
		flow_to(pass, block->successor[0], state);
	if (jumps)
		flow_to(pass, block->successor[1], state);
}

/* How many ways are left; what is reached stands in pass->in. */
static unsigned run(struct pass *pass, const struct choice_state *entry)
{
	const struct function *function = pass->choice->function;
	unsigned edges = 0;
	bool again = true;

	for (uint32_t b = 0; b < function->block_count; b++)
		pass->in[b].reached = pass->block[b].dirty = false;
	flow_to(pass, function->entry_block, entry);
	while (again) {
		again = false;
		for (uint32_t b = 0; b < function->block_count; b++) {
			if (!pass->block[b].dirty)
				continue;
			pass->block[b].dirty = false;
			visit(pass, b);
			again = true;
		}
	}
	for (uint32_t b = 0; b < function->block_count; b++)
		edges += pass->in[b].reached ? pass->block[b].ways : 0;
	return edges;
}

/* Registers when the kernel begins. */
static void begin(struct choice *choice, const struct flow_entry *entry, struct choice_state *state)
{
	struct isa_field field = { .mask = UINT32_MAX };
	const uint8_t *place = choice->place;

	memset(state, 0, sizeof(*state)); /* all unknown */
	state->reg[place[REG_EXEC]] = state->reg[place[REG_EXEC + 1]] = CHOICE_ALL;
	if (entry->kernarg_ptr >= 0) {
		state->reg[place[entry->kernarg_ptr]] =
		    choice_node(choice, CHOICE_POINTER, &(struct isa_field){ 0 });
		state->reg[place[entry->kernarg_ptr + 1]] = CHOICE_UPPER;
	}
	for (unsigned i = 0; i < entry->preload_count && entry->preload >= 0; i++) {
		field.kernarg = (entry->preload_offset + i) * 4;
		state->reg[place[entry->preload + (int)i]] =
		    choice_node(choice, CHOICE_FIELD, &field);
	}
	state->reached = true;
}

/* Whether a block accesses memory of other than the work-group. */
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

/* Those first that exclude something, and of these the ones that exclude least. */
static int by_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (!x->blocks != !y->blocks)
		return x->blocks ? -1 : 1;
	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* How many selections are decided after a pass. */
static unsigned decided_selects(const struct pass *pass)
{
	uint32_t blocks = pass->choice->function->block_count;
	unsigned count = 0;

	for (uint32_t b = 0; pass->selects && b < blocks; b++) {
		struct choice_state state;

		if (!pass->block[b].selects || !pass->in[b].reached)
			continue;
		copy_state(pass->choice, &state, &pass->in[b]);
		for (uint32_t i = pass->block[b].first; i < pass->block[b + 1].first; i++) {
			struct choice_insn *step = &pass->step[i];

			count += step->selects && !step->half &&
				 choice_selects(pass->choice, step->insn, &state);
			choice_step(pass->choice, step, &state);
		}
	}
	return count;
}

/* All of them, where trying them one by one takes as long as trying what they have in common. */
static unsigned take_all(const struct choice *choice, struct candidate *candidates)
{
	for (unsigned c = 0; c < choice->condition_count; c++)
		candidates[c] = (struct candidate){ .index = c };
	return choice->condition_count;
}

/* Try each condition by itself. Returns how many decide anything, the most useful ones first. */
static unsigned rank(struct pass *pass, const struct choice_state *entry, const bool *accessing,
		     const bool *reached, unsigned edges, struct candidate *candidates)
{
	struct choice *choice = pass->choice;
	unsigned count = 0;

	for (unsigned c = 0; c < choice->condition_count; c++) {
		struct candidate *candidate = &candidates[count];

		*candidate = (struct candidate){ .index = c };
		for (unsigned yes = 0; yes < 2; yes++) {
			choice->truth[c] = yes ? TRUTH_YES : TRUTH_NO;
			candidate->edges += edges - run(pass, entry);
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

/* Results of the first `count` conditions, a bit for each. */
static void assume(struct choice *choice, unsigned count, unsigned results)
{
	for (unsigned c = 0; c < count; c++)
		choice->truth[c] = results >> c & 1 ? TRUTH_YES : TRUTH_NO;
}

/* As those of isa_when: all in which the conditions of `asked` have these results. */
static isa_when like(unsigned results, unsigned asked)
{
	isa_when bits = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (!((bit ^ results) & asked))
			bits |= UINT64_C(1) << bit;
	return bits;
}

static void try_all(struct pass *pass, const struct choice_state *entry, unsigned count,
		    const bool *reached, isa_when *when)
{
	uint32_t blocks = pass->choice->function->block_count;
	isa_when tried = 0;

	for (uint32_t b = 0; b < blocks; b++)
		when[b] = reached[b] ? 0 : ISA_ALWAYS; /* seen by the data flow alone */
	for (unsigned results = 0; results < 1u << count; results++) {
		isa_when bits;

		if (tried >> results & 1)
			continue;
		assume(pass->choice, count, results);
		pass->choice->asked = 0;
		run(pass, entry);
		/* With other results of the conditions that nothing asked for it is the same. */
		bits = like(results, pass->choice->asked);
		tried |= bits;
		for (uint32_t b = 0; b < blocks; b++)
			if (pass->in[b].reached)
				when[b] |= bits;
	}
}

/* Make the candidates the choice's conditions, and the kernel's. */
static void take(struct choice *choice, const struct candidate *candidates, unsigned count,
		 struct isa_kernel *kernel)
{
	for (unsigned i = 0; i < count; i++)
		kernel->condition[i] = choice->condition[candidates[i].index];
	memcpy(choice->condition, kernel->condition, count * sizeof(choice->condition[0]));
	choice->condition_count = kernel->condition_count = count;
}

static int solve(struct pass *pass, const struct flow_entry *entry, struct isa_kernel *kernel,
		 isa_when **when)
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
	begin(choice, entry, &start);
	choice->learning = true;
	edges = run(pass, &start);
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
	if (status)
		goto out;
	begin(choice, entry, &start);
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
	take(choice, candidates, count, kernel);
	try_all(pass, &start, count, reached, *when);
out:
	free(accessing);
	free(reached);
	return status;
}

static void pass_end(struct pass *pass)
{
	free(pass->choice);
	free(pass->step);
	free(pass->block);
	free(pass->in);
}

/* An instruction that matters, its second half first. */
static void add_step(struct pass *pass, uint32_t index, uint32_t *count, bool half)
{
	const struct insn *insn = pass->choice->function->insn[index];

	if (half)
		insn = insn->dual;
	else if (insn->dual)
		add_step(pass, index, count, true);
	choice_read(pass->choice, insn, index, &pass->step[*count]);
	pass->step[(*count)++].half = half;
}

static void read_block(struct pass *pass, const struct block *from, struct choice_block *block,
		       uint32_t *count)
{
	const struct function *function = pass->choice->function;

	block->first = *count;
	block->cost = 1;
	for (uint32_t i = from->first; i < from->first + from->count; i++) {
		const struct insn *insn = function->insn[i];

		if (choice_is_idle(pass->choice, insn))
			continue;
		add_step(pass, i, count, false);
		block->selects |= insn->class == OP_SELECT && insn->mnemonic[0] == 'v';
		block->cost++;
	}
	block->branch = (uint8_t)choice_read_branch(function->insn[from->first + from->count - 1]);
	pass->selects |= block->selects;
}

/* 0 or -ENOMEM; to be ended also then. */
static int pass_begin(struct pass *pass, const struct function *function,
		      const struct flow_entry *entry)
{
	uint32_t count = 0, room = 0;
	struct choice_set all;

	memset(pass, 0, sizeof(*pass));
	pass->choice = calloc(1, sizeof(*pass->choice));
	pass->block = calloc((size_t)function->block_count + 1, sizeof(*pass->block));
	pass->in = calloc(function->block_count, sizeof(*pass->in));
	if (!pass->choice || !pass->block || !pass->in)
		return -ENOMEM;
	pass->choice->function = function;
	pass->choice->mask_dwords = entry->wave_size / 32;
	for (uint32_t i = 0; i < function->insn_count; i++)
		choice_follow(pass->choice, function->insn[i]);
	for (uint32_t i = 0; i < function->insn_count; i++)
		if (!choice_is_idle(pass->choice, function->insn[i]))
			room += function->insn[i]->dual ? 2 : 1;
	pass->step = reallocarray(NULL, (size_t)room + 1, sizeof(*pass->step));
	if (!pass->step)
		return -ENOMEM;
	for (uint32_t b = 0; b < function->block_count; b++)
		read_block(pass, &function->block[b], &pass->block[b], &count);
	pass->block[function->block_count].first = count;
	/* Where conditions are found all registers matter. */
	memset(&all, 0xff, sizeof(all));
	choice_arrange(pass->choice, &all);
	return 0;
}

int choices_find(struct flow *flow, const struct flow_entry *entry, struct isa_kernel *kernel)
{
	const struct function *function = flow->kernel;
	struct pass pass;
	int status;

	if (!function || function->entry_block == NO_BLOCK || flow->exhausted || flow->broken)
		return 0;
	status = pass_begin(&pass, function, entry);
	if (!status)
		status = solve(&pass, entry, kernel, &flow->when);
	pass_end(&pass);
	return status;
}

/* ---- selections ---- */

/* What each selection takes after a pass. */
static void read_selects(const struct pass *pass, uint8_t *selects)
{
	for (uint32_t b = 0; b < pass->choice->function->block_count; b++) {
		struct choice_state state;

		copy_state(pass->choice, &state, &pass->in[b]);
		for (uint32_t i = pass->block[b].first;
		     state.reached && i < pass->block[b + 1].first; i++) {
			struct choice_insn *step = &pass->step[i];

			if (step->insn->class == OP_SELECT && !step->half)
				selects[step->index] =
				    (uint8_t)choice_selects(pass->choice, step->insn, &state);
			choice_step(pass->choice, step, &state);
		}
	}
}

/* Takes over `selects`. False if there are too many groups. */
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
	struct pass pass;
	bool few = true;
	int status = 0;

	groups->count = 0;
	if (!kernel->condition_count)
		return 0;
	status = pass_begin(&pass, function, entry);
	if (!status)
		status = choice_slice(pass.choice, pass.step, pass.block, true);
	if (status)
		goto out;
	begin(pass.choice, entry, &start);
	memcpy(pass.choice->condition, kernel->condition, sizeof(kernel->condition));
	pass.choice->condition_count = kernel->condition_count;
	for (unsigned results = 0; few && results < 1u << kernel->condition_count; results++) {
		isa_when when = like(results, (1u << kernel->condition_count) - 1);
		uint8_t *selects = calloc((size_t)function->insn_count + 1, 1);

		if (!selects) {
			status = -ENOMEM;
			break;
		}
		assume(pass.choice, kernel->condition_count, results);
		run(&pass, &start);
		read_selects(&pass, selects);
		few = add_group(groups, selects, function->insn_count, when);
	}
	if (status || !few || groups->count < 2)
		choices_groups_clear(groups);
out:
	pass_end(&pass);
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
	/* What a function does is done for whoever calls it. */
	if (!flow->when || access->function != flow->kernel)
		return ISA_ALWAYS;
	return flow->when[function_block(flow->kernel, access->insn->pc)];
}
