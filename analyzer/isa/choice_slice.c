/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which instructions decide branches and selections, by what they leave in registers:
 * backwards from these. The others are left out of the passes that assume results of conditions.
 */
#include "choice_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SET_SCC CHOICE_REGS /* behind the registers */

static void add(struct choice_set *set, unsigned member)
{
	set->word[member / 64] |= UINT64_C(1) << member % 64;
}

/* Adds the registers of an operand that are followed. */
static void add_operand(const struct choice *choice, const struct operand *operand,
			struct choice_set *set)
{
	if (choice_is_scalar(operand)) {
		for (unsigned i = 0; i < operand->count && operand->reg + i < REG_VECTOR; i++)
			add(set, operand->reg + i);
		return;
	}
	for (unsigned i = 0; operand->kind == OPERAND_REG && i < choice->vector_count; i++)
		if (operand->reg <= choice->vector[i] &&
		    choice->vector[i] - operand->reg < operand->count)
			add(set, REG_VECTOR + i);
}

static void add_mask(const struct choice *choice, unsigned reg, struct choice_set *set)
{
	for (unsigned i = 0; i < choice->mask_dwords && reg + i < REG_VECTOR; i++)
		add(set, reg + i);
}

static void defined(const struct choice *choice, const struct choice_insn *step,
		    struct choice_set *set)
{
	memset(set, 0, sizeof(*set));
	for (unsigned i = 0; i < step->destinations && i < step->insn->operand_count; i++)
		add_operand(choice, &step->insn->operand[i], set);
	switch (step->action) {
	case ACTION_LOSE_ALL:
		memset(set, 0xff, sizeof(*set));
		break;
	case ACTION_MASKS:
		add_mask(choice, REG_VCC, set);
		add(set, SET_SCC);
		break;
	case ACTION_WRITE:
	case ACTION_COMPUTE:
		if (!step->keeps_scc)
			add(set, SET_SCC);
		break;
	case ACTION_COMPARE_SCALAR:
	case ACTION_COMPARE_WIDE:
	case ACTION_TEST_BIT:
	case ACTION_TEST_NO_BIT:
		add(set, SET_SCC);
		break;
	default:
		break;
	}
}

static void used(const struct choice *choice, const struct choice_insn *step,
		 struct choice_set *set)
{
	const struct insn *insn = step->insn;
	unsigned first = 1;

	memset(set, 0, sizeof(*set));
	switch (step->action) {
	case ACTION_WRITE:
	case ACTION_LOSE_ALL:
		break;
	case ACTION_MASKS:
		if (insn->class == OP_AND_SAVEEXEC)
			add_operand(choice, &insn->operand[1], set);
		break;
	case ACTION_SELECT_SCC:
		add(set, SET_SCC);
		/* fall through */
	case ACTION_COMPARE_SCALAR:
	case ACTION_COMPARE_WIDE:
	case ACTION_TEST_BIT:
	case ACTION_TEST_NO_BIT:
		first = 0;
		/* fall through */
	default:
		for (unsigned i = first; i < insn->operand_count && i < CHOICE_SOURCES; i++)
			add_operand(choice, &insn->operand[i], set);
		break;
	}
}

/* Adds what a selection selects by. */
static void consulted_by(const struct choice *choice, const struct choice_insn *step,
			 struct choice_set *set)
{
	if (step->insn->class != OP_SELECT)
		return;
	if (!step->selects)
		add(set, SET_SCC);
	else if (step->insn->operand_count <= 3)
		add_mask(choice, REG_VCC, set);
	else if (choice_is_scalar(&step->insn->operand[3]))
		add_mask(choice, step->insn->operand[3].reg, set);
}

/* Returns true if it writes exec, which ends what masks say that were made by it. */
static bool writes_exec(const struct choice_insn *step)
{
	if (step->action == ACTION_MASKS || step->action == ACTION_LOSE_ALL)
		return true;
	for (unsigned i = 0; i < step->destinations && i < step->insn->operand_count; i++) {
		const struct operand *to = &step->insn->operand[i];

		if (choice_is_scalar(to) && to->reg + to->count > REG_EXEC)
			return true;
	}
	return false;
}

/* Returns true if the instruction may leave no lane, which a branch tests. */
static bool empties_exec(const struct choice_insn *step)
{
	const struct operand *to = &step->insn->operand[0];

	return step->insn->class == OP_AND_SAVEEXEC ||
	       (step->insn->class == OP_AND && choice_is_scalar(to) && to->reg == REG_EXEC);
}

/* Goes from what is live behind a step to what is ahead of it. Returns false if it changes nothing
 * live. */
static bool through(const struct choice *choice, const struct choice_insn *step, bool scalar,
		    struct choice_set *live)
{
	struct choice_set set;
	uint64_t hit = 0;
	bool counts = step->insn->class == OP_SELECT && !step->half && (scalar || step->selects);

	defined(choice, step, &set);
	for (unsigned w = 0; w < CHOICE_WORDS; w++) {
		hit |= live->word[w] & set.word[w];
		live->word[w] &= ~set.word[w];
	}
	if (!hit && !counts && !writes_exec(step))
		return false;
	if (hit || empties_exec(step)) {
		used(choice, step, &set);
		for (unsigned w = 0; w < CHOICE_WORDS; w++)
			live->word[w] |= set.word[w];
	}
	if (counts || (hit && step->makes_flag))
		consulted_by(choice, step, live);
	return true;
}

/* Finds what is live at the end of a block. */
static void behind(const struct choice *choice, const struct choice_block *blocks, uint32_t index,
		   struct choice_set *live)
{
	const struct block *block = &choice->function->block[index];

	memset(live, 0, sizeof(*live));
	for (unsigned i = 0; i < 2; i++)
		for (unsigned w = 0; block->successor[i] != NO_BLOCK && w < CHOICE_WORDS; w++)
			live->word[w] |= blocks[block->successor[i]].live.word[w];
	if (blocks[index].branch == BRANCH_SCC0 || blocks[index].branch == BRANCH_SCC1)
		add(live, SET_SCC);
	else if (blocks[index].branch == BRANCH_VCC_ZERO ||
		 blocks[index].branch == BRANCH_VCC_NOT_ZERO)
		add_mask(choice, REG_VCC, live);
}

/* Goes through a block. Returns true if that made more live at its beginning. */
static bool through_block(const struct choice *choice, const struct choice_insn *steps,
			  struct choice_block *blocks, uint32_t index, bool scalar)
{
	struct choice_set live;
	uint64_t more = 0;

	behind(choice, blocks, index, &live);
	for (uint32_t i = blocks[index + 1].first; i-- > blocks[index].first;)
		through(choice, &steps[i], scalar, &live);
	for (unsigned w = 0; w < CHOICE_WORDS; w++) {
		more |= live.word[w] & ~blocks[index].live.word[w];
		blocks[index].live.word[w] |= live.word[w];
	}
	return more;
}

/* Leave out what changes nothing; steps move up. `keep` has a byte for each. */
static void drop(const struct choice *choice, struct choice_insn *steps,
		 struct choice_block *blocks, bool scalar, bool *keep)
{
	uint32_t count = choice->function->block_count, kept = 0, first;
	struct choice_set live;

	for (uint32_t b = 0; b < count; b++) {
		behind(choice, blocks, b, &live);
		for (uint32_t i = blocks[b + 1].first; i-- > blocks[b].first;)
			keep[i] = through(choice, &steps[i], scalar, &live);
	}
	for (uint32_t b = 0; b < count; b++) {
		first = blocks[b].first;
		blocks[b].first = kept;
		for (uint32_t i = first; i < blocks[b + 1].first; i++)
			if (keep[i])
				steps[kept++] = steps[i];
	}
	blocks[count].first = kept;
}

/* Adds what a step that was kept reads, also within a block. */
static void touch(const struct choice *choice, const struct choice_insn *step,
		  struct choice_set *any)
{
	struct choice_set set;

	used(choice, step, &set);
	consulted_by(choice, step, &set);
	for (unsigned w = 0; w < CHOICE_WORDS; w++)
		any->word[w] |= set.word[w];
}

void choice_arrange(struct choice *choice, const struct choice_set *set)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CHOICE_REGS; i++) {
		if (i == REG_VECTOR)
			choice->first_vector = count;
		choice->place[i] = UINT8_MAX;
		/* The condition mask is written with exec, and read by branches. */
		if (set->word[i / 64] >> i % 64 & 1 || i == REG_VCC || i == REG_VCC + 1 ||
		    i == REG_EXEC || i == REG_EXEC + 1)
			choice->place[i] = (uint8_t)count++;
	}
	for (unsigned i = 0; i < CHOICE_REGS; i++)
		if (choice->place[i] == UINT8_MAX)
			choice->place[i] = (uint8_t)count;
	choice->unused = count;
	choice->slots = (count + CHOICE_LANE) / CHOICE_LANE * CHOICE_LANE;
}

int choice_slice(struct choice *choice, struct choice_insn *steps, struct choice_block *blocks,
		 bool scalar)
{
	uint32_t count = choice->function->block_count;
	bool *keep = malloc((size_t)blocks[count].first + 1);
	struct choice_set any = { 0 };
	bool again = true;

	if (!keep)
		return -ENOMEM;
	for (uint32_t b = 0; b < count; b++) {
		memset(&blocks[b].live, 0, sizeof(blocks[b].live));
		blocks[b].dirty = true;
	}
	while (again) {
		again = false;
		for (uint32_t b = count; b--;) {
			const struct block *block = &choice->function->block[b];

			if (!blocks[b].dirty)
				continue;
			blocks[b].dirty = false;
			if (!through_block(choice, steps, blocks, b, scalar))
				continue;
			for (uint32_t i = 0; i < block->predecessor_count; i++)
				blocks[block->predecessor[i]].dirty = true;
			again = true;
		}
	}
	drop(choice, steps, blocks, scalar, keep);
	free(keep);
	for (uint32_t b = 0; b < count; b++)
		for (unsigned w = 0; w < CHOICE_WORDS; w++)
			any.word[w] |= blocks[b].live.word[w];
	for (uint32_t i = 0; i < blocks[count].first; i++)
		touch(choice, &steps[i], &any);
	choice_arrange(choice, &any);
	return 0;
}
