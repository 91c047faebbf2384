/* SPDX-License-Identifier: Apache-2.0 */
/* Branches by a mask that the block before set to all ones or to zeros. */
#include "way.h"

#include <string.h>

/* Instructions of a block that decides, and blocks before it where the mask may be set. */
#define INSNS_MAX  12u
#define BEFORE_MAX 32u
/* Such blocks whose own way decides which blocks those are. */
#define DEPTH_MAX 2u

/* The mask that a block's last instruction branches by. */
struct question {
	unsigned reg, count;
	bool inverted;
	bool grows; /* exec has lanes, also where it was zero at the block's beginning */
};

static bool is_reg(const struct operand *operand, unsigned reg)
{
	return operand->kind == OPERAND_REG && operand->reg == reg;
}

static bool overlaps(const struct operand *operand, unsigned reg, unsigned count)
{
	return operand->kind == OPERAND_REG && operand->reg < reg + count &&
	       operand->reg + operand->count > reg;
}

static bool mentions(const struct insn *insn, unsigned reg, unsigned count)
{
	for (unsigned i = 0; i < insn->operand_count; i++)
		if (overlaps(&insn->operand[i], reg, count))
			return true;
	return insn->dual && mentions(insn->dual, reg, count);
}

/* Tells if it may write one of the registers: for most instructions, if it mentions them. */
static bool may_write(const struct insn *insn, unsigned reg, unsigned count)
{
	switch (insn->class) {
	case OP_MOVE:
	case OP_AND:
	case OP_ANDN2:
	case OP_OR:
		if (!insn->dual)
			return overlaps(&insn->operand[0], reg, count);
		break;
	default:
		break;
	}
	return mentions(insn, reg, count);
}

/* Recognises vcc = exec & mask, or exec & ~mask. */
static bool ask(const struct insn *insn, struct question *question)
{
	const struct operand *to = &insn->operand[0], *a = &insn->operand[1], *mask = a + 1;

	if ((insn->class != OP_AND && insn->class != OP_ANDN2) || insn->operand_count != 3 ||
	    !is_reg(to, REG_VCC) || insn->mnemonic[0] != 's')
		return false;
	if (insn->class == OP_AND && is_reg(mask, REG_EXEC))
		mask = a;
	else if (!is_reg(a, REG_EXEC))
		return false;
	if (mask->kind != OPERAND_REG || mask->reg >= REG_EXEC || mask->count != to->count)
		return false;
	question->reg = mask->reg;
	question->count = mask->count;
	question->inverted = insn->class == OP_ANDN2;
	return true;
}

/* Finds what the block branches by, if that was so when it began. */
static bool find_question(const struct function *function, const struct block *block,
			  struct question *question)
{
	const struct insn *last = function->insn[block->first + block->count - 1];
	uint32_t i = block->count - 1;

	if (last->class != OP_CBRANCH || block->count > INSNS_MAX ||
	    strncmp(last->mnemonic, "s_cbranch_vcc", 13) != 0)
		return false;
	while (i && !mentions(function->insn[block->first + i - 1], REG_VCC, 2))
		i--;
	memset(question, 0, sizeof(*question));
	if (!i || !ask(function->insn[block->first + --i], question))
		return false;
	while (i--) {
		const struct insn *insn = function->insn[block->first + i];

		if (insn_writes_exec_unnamed(insn))
			return false;
		if (insn->class == OP_OR && is_reg(&insn->operand[0], REG_EXEC))
			question->grows = true;
		else if (mentions(insn, REG_EXEC, 2) ||
			 may_write(insn, question->reg, question->count))
			return false;
	}
	return true;
}

/* 1 ones, 0 zeros, -1 not known: the mask at the end of a block. MASK_SAME: as at its beginning. */
#define MASK_SAME 2

static int mask_in(const struct function *function, const struct block *block,
		   const struct question *question)
{
	for (uint32_t i = block->count; i--;) {
		const struct insn *insn = function->insn[block->first + i];
		const struct operand *from = &insn->operand[1];

		if (insn->class == OP_CALL || insn->class == OP_SETPC || insn->class == OP_ODD)
			return -1;
		if (!may_write(insn, question->reg, question->count))
			continue;
		if (insn->class != OP_MOVE || insn->dual ||
		    !is_reg(&insn->operand[0], question->reg) ||
		    insn->operand[0].count != question->count || from->kind != OPERAND_CONST)
			return -1;
		return from->value == -1 ? 1 : from->value == 0 ? 0 : -1;
	}
	return MASK_SAME;
}

/* Blocks on ways to a block that were looked at. */
struct seen {
	uint32_t block[BEFORE_MAX];
	unsigned count;
};

static uint32_t way_of(const struct function *function, const uint32_t *trail, unsigned count,
		       uint32_t index, unsigned depth);

/* The same, whatever way led to the block, if `next` comes after it; MASK_SAME: seen before. */
static int mask_after(const struct function *function, uint32_t index, uint32_t next,
		      const struct question *question, struct seen *seen, unsigned depth)
{
	const struct block *block = &function->block[index];
	int result, one;

	for (unsigned i = 0; i < seen->count; i++)
		if (seen->block[i] == index)
			return MASK_SAME;
	if (seen->count == BEFORE_MAX)
		return -1;
	seen->block[seen->count++] = index;
	result = mask_in(function, block, question);
	if (result != MASK_SAME)
		return result;
	if (index == function->entry_block)
		return -1;
	for (uint32_t i = 0; i < block->predecessor_count; i++) {
		uint32_t way = depth < DEPTH_MAX
				   ? way_of(function, &block->predecessor[i], 1, index, depth + 1)
				   : NO_BLOCK;

		if (way != NO_BLOCK && way != next)
			continue;
		one = mask_after(function, block->predecessor[i], index, question, seen, depth);
		if (one < 0 || (one != MASK_SAME && result != MASK_SAME && one != result))
			return -1;
		result = one == MASK_SAME ? result : one;
	}
	return result;
}

static uint32_t way_of(const struct function *function, const uint32_t *trail, unsigned count,
		       uint32_t index, unsigned depth)
{
	const struct block *block = &function->block[index], *before;
	uint32_t next = index;
	struct question question;
	const struct insn *last;
	struct seen seen;
	int mask = MASK_SAME;
	bool taken;

	if (!block->asks || trail[count - 1] >= index)
		return NO_BLOCK;
	find_question(function, block, &question);
	seen.count = 0;
	last = function->insn[block->first + block->count - 1];
	before = &function->block[trail[count - 1]];
	switch (function->insn[before->first + before->count - 1]->class) {
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
		if (!question.grows)
			return NO_BLOCK;
		break;
	default:
		break;
	}
	for (; mask == MASK_SAME && count > 1; next = trail[--count])
		mask = mask_in(function, &function->block[trail[count - 1]], &question);
	if (mask == MASK_SAME)
		mask = mask_after(function, trail[0], next, &question, &seen, depth);
	if (mask < 0 || mask == MASK_SAME)
		return NO_BLOCK;
	taken = (mask != (int)question.inverted) == !strcmp(last->mnemonic, "s_cbranch_vccnz");
	return block->successor[taken];
}

bool way_asks(const struct function *function, const struct block *block)
{
	struct question question;

	return find_question(function, block, &question);
}

uint32_t way_from(const struct function *function, const uint32_t *trail, unsigned count,
		  uint32_t index)
{
	return count ? way_of(function, trail, count, index, 0) : NO_BLOCK;
}
