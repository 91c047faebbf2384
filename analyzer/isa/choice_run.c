/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one pass after the other over a function, each assuming other results of conditions. */
#include "choice_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many registers are joined at a time. */
typedef choice_id lane __attribute__((vector_size(CHOICE_LANE * sizeof(choice_id))));

/* Makes what differs in both CHOICE_UNKNOWN, which is 0. Returns true if that changed any. */
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

static void flow_to(struct choice_pass *pass, uint32_t block, const struct choice_state *state)
{
	struct choice_state *in = &pass->in[block];
	bool changed;

	if (!in->reached) {
		choice_copy(pass->choice, in, state);
		in->reg[pass->choice->unused] = CHOICE_UNKNOWN;
		in->reached = pass->block[block].dirty = true;
		return;
	}
	in->by_exec |= state->by_exec;
	changed = join_regs(in->reg, state->reg, pass->choice->slots);
	if (in->exec != state->exec && in->exec != CHOICE_EXEC_SOME) {
		in->exec = CHOICE_EXEC_SOME;
		changed = true;
	}
	if (in->scc != state->scc && in->scc != TRUTH_UNKNOWN) {
		in->scc = TRUTH_UNKNOWN;
		changed = true;
	}
	pass->block[block].dirty |= changed;
}

static void visit(struct choice_pass *pass, uint32_t index)
{
	const struct block *block = &pass->choice->function->block[index];
	struct choice_block *own = &pass->block[index];
	const struct choice_state *state = &pass->in[index];
	struct choice_state stepped;
	enum choice_truth taken;
	bool falls, jumps;

	pass->choice->consulted = 0;
	if (own[0].first != own[1].first) {
		choice_copy(pass->choice, &stepped, state);
		state = &stepped;
		for (uint32_t i = own[0].first; i < own[1].first; i++)
			choice_step(pass->choice, &pass->step[i], &stepped);
	}
	pass->steps += own->cost;
	taken = choice_taken(pass->choice, own->branch, state);
	own->consults |= pass->choice->consulted;
	falls = block->successor[0] != NO_BLOCK && taken != TRUTH_YES;
	jumps = block->successor[1] != NO_BLOCK && taken != TRUTH_NO;
	own->ways = (uint8_t)(falls + jumps);
	if (falls)
		flow_to(pass, block->successor[0], state);
	if (jumps)
		flow_to(pass, block->successor[1], state);
}

unsigned choice_mark(struct choice_pass *pass, uint32_t conditions)
{
	const struct function *function = pass->choice->function;
	uint32_t top = 0, count = 0;

	for (uint32_t b = 0; b < function->block_count; b++)
		pass->block[b].renewed = false;
	for (uint32_t b = 0; b < function->block_count; b++)
		if (pass->in[b].reached && pass->block[b].consults & conditions)
			pass->todo[top++] = b;
	/* A block is there at most twice: as one that consults, and as one that follows. */
	while (top) {
		const struct block *from = &function->block[pass->todo[--top]];

		for (unsigned i = 0; i < 2; i++) {
			uint32_t to = from->successor[i];

			if (to == NO_BLOCK || pass->block[to].renewed)
				continue;
			pass->block[to].renewed = true;
			pass->todo[top++] = to;
			count++;
		}
	}
	return count;
}

/* Begin from where the last pass ended, but for what these conditions decide. */
static void renew(struct choice_pass *pass, uint32_t conditions)
{
	const struct function *function = pass->choice->function;

	choice_mark(pass, conditions);
	for (uint32_t b = 0; b < function->block_count; b++) {
		struct choice_block *block = &pass->block[b];
		const uint32_t *next = function->block[b].successor;

		block->dirty = false;
		if (block->renewed) {
			pass->in[b].reached = false;
			block->consults = 0;
		} else if (pass->in[b].reached) {
			block->dirty = block->consults & conditions ||
				       (next[0] != NO_BLOCK && pass->block[next[0]].renewed) ||
				       (next[1] != NO_BLOCK && pass->block[next[1]].renewed);
		}
		if (block->dirty)
			block->consults = 0;
	}
}

/* Returns the conditions of which something else is assumed than in the last pass. */
static uint32_t flipped(struct choice_pass *pass)
{
	uint32_t conditions = 0;

	for (unsigned c = 0; c < pass->choice->condition_count; c++)
		conditions |= (uint32_t)(pass->choice->truth[c] != pass->last[c]) << c;
	memcpy(pass->last, pass->choice->truth, sizeof(pass->last));
	return conditions;
}

unsigned choice_run(struct choice_pass *pass, const struct choice_state *entry)
{
	const struct function *function = pass->choice->function;
	uint32_t conditions = flipped(pass), consulted = 0;
	unsigned edges = 0;
	bool again = true;

	if (pass->settled)
		renew(pass, conditions);
	for (uint32_t b = 0; !pass->settled && b < function->block_count; b++) {
		pass->in[b].reached = pass->block[b].dirty = false;
		pass->block[b].consults = 0;
	}
	pass->settled = true;
	if (!pass->in[function->entry_block].reached)
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
	for (uint32_t b = 0; b < function->block_count; b++) {
		if (!pass->in[b].reached)
			continue;
		edges += pass->block[b].ways;
		consulted |= pass->block[b].consults;
	}
	pass->choice->consulted = consulted;
	return edges;
}

void choice_begin(struct choice *choice, const struct flow_entry *entry, struct choice_state *state)
{
	const uint8_t *place = choice->place;

	memset(state, 0, sizeof(*state)); /* all unknown */
	state->reg[place[REG_EXEC]] = state->reg[place[REG_EXEC + 1]] = CHOICE_ALL;
	if (entry->kernarg_ptr >= 0) {
		state->reg[place[entry->kernarg_ptr]] =
		    choice_node(choice, CHOICE_POINTER, &(struct isa_field){ 0 });
		state->reg[place[entry->kernarg_ptr + 1]] = CHOICE_UPPER;
	}
	for (unsigned i = 0; i < entry->preload_count && entry->preload >= 0; i++)
		state->reg[place[entry->preload + (int)i]] =
		    choice_argument(choice, (entry->preload_offset + i) * 4);
	state->reached = true;
}

void choice_pass_end(struct choice_pass *pass)
{
	free(pass->choice);
	free(pass->step);
	free(pass->block);
	free(pass->in);
	free(pass->todo);
}

/* Adds an instruction that matters, its second half first. */
static void add_step(struct choice_pass *pass, uint32_t index, uint32_t *count, bool half)
{
	const struct insn *insn = pass->choice->function->insn[index];

	if (half)
		insn = insn->dual;
	else if (insn->dual)
		add_step(pass, index, count, true);
	choice_read(pass->choice, insn, index, &pass->step[*count]);
	pass->step[(*count)++].half = half;
}

static void read_block(struct choice_pass *pass, const struct block *from,
		       struct choice_block *block, uint32_t *count)
{
	const struct function *function = pass->choice->function;

	block->first = *count;
	block->cost = 1;
	for (uint32_t i = from->first; i < from->first + from->count; i++) {
		const struct insn *insn = function->insn[i];

		if (choice_is_idle(pass->choice, insn))
			continue;
		add_step(pass, i, count, false);
		block->selects |= insn->class == OP_SELECT && insn->traits & INSN_VECTOR;
		block->cost++;
	}
	block->branch = (uint8_t)choice_read_branch(function->insn[from->first + from->count - 1]);
	pass->selects |= block->selects;
}

int choice_pass_begin(struct choice_pass *pass, const struct function *function,
		      const struct flow_entry *entry)
{
	uint32_t count = 0, room = 0;
	struct choice_set all;

	memset(pass, 0, sizeof(*pass));
	pass->choice = malloc(sizeof(*pass->choice));
	pass->block = calloc((size_t)function->block_count + 1, sizeof(*pass->block));
	pass->in = calloc(function->block_count, sizeof(*pass->in));
	pass->todo = reallocarray(NULL, (size_t)function->block_count + 1, 2 * sizeof(*pass->todo));
	if (!pass->choice || !pass->block || !pass->in || !pass->todo)
		return -ENOMEM;
	memset(pass->choice, 0, offsetof(struct choice, node));
	pass->choice->function = function;
	pass->choice->mask_dwords = entry->wave_size / 32;
	/* Idle instructions are known when all are followed; room that is not used is not touched.
	 */
	for (uint32_t i = 0; i < function->insn_count; i++) {
		choice_follow(pass->choice, function->insn[i]);
		room += function->insn[i]->dual ? 2 : 1;
	}
	pass->step = reallocarray(NULL, (size_t)room + 1, sizeof(*pass->step));
	if (!pass->step)
		return -ENOMEM;
	for (uint32_t b = 0; b < function->block_count; b++)
		read_block(pass, &function->block[b], &pass->block[b], &count);
	pass->block[function->block_count].first = count;
	/* All registers matter while conditions are found. */
	memset(&all, 0xff, sizeof(all));
	choice_arrange(pass->choice, &all);
	return 0;
}
