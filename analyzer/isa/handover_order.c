/* SPDX-License-Identifier: Apache-2.0 */
/* This finds which instructions are executed because others were; see handover.h. */
#include "handover.h"

#include <stdlib.h>

/*
 * Returns true if block `to` can be reached from block `from` without block `around`; with NO_BLOCK
 * as `to`, if the end can. Branches that are taken where no lane is active do not count. Returns
 * true without memory.
 */
static bool reaches_around(const struct function *function, uint32_t from, uint32_t to,
			   uint32_t around)
{
	bool *seen = calloc(function->block_count, sizeof(*seen)), reached = false;
	uint32_t *todo = calloc((size_t)function->block_count + 1, sizeof(*todo)), top = 0;

	if (!seen || !todo) {
		free(seen);
		free(todo);
		return true;
	}
	if (from != around) {
		seen[from] = true;
		todo[top++] = from;
	}
	while (top && !reached) {
		const struct block *block = &function->block[todo[--top]];
		const struct insn *last = function->insn[block->first + block->count - 1];

		reached = to == (uint32_t)(block - function->block) ||
			  (to == NO_BLOCK && block->successor[0] == NO_BLOCK &&
			   block->successor[1] == NO_BLOCK);
		for (unsigned i = 0; i < 2; i++) {
			uint32_t next = block->successor[i];

			if (next == NO_BLOCK || seen[next] || next == around ||
			    (i && block->successor[0] != NO_BLOCK &&
			     last->class == OP_CBRANCH_EXECZ))
				continue;
			seen[next] = true;
			todo[top++] = next;
		}
	}
	free(seen);
	free(todo);
	return reached;
}

/* Returns true if whoever executes `b` has executed `a` before. */
static bool always_before(const struct function *function, struct code_point a, struct code_point b)
{
	return a.block == b.block ||
	       !reaches_around(function, function->entry_block, b.block, a.block);
}

bool handover_always_after(const struct function *function, struct code_point a,
			   struct code_point b)
{
	return a.block == b.block || !reaches_around(function, a.block, NO_BLOCK, b.block);
}

/* Lanes that executed what is before it are switched off, and others on: the other side of a
 * branch. */
static bool turns_lanes(const struct insn *insn)
{
	return insn->class == OP_ANDN2_SAVEEXEC || insn->class == OP_OR_SAVEEXEC ||
	       insn->class == OP_OTHER_SAVEEXEC ||
	       (insn->class == OP_XOR && insn->operand_count &&
		insn->operand[0].kind == OPERAND_REG && insn->operand[0].reg == REG_EXEC);
}

bool handover_leads_to(const struct function *function, struct code_point a, struct code_point b)
{
	bool turned = false, barrier = false;

	for (uint32_t block = a.block; block <= b.block; block++)
		for (uint32_t i = block == a.block ? a.index + 1 : 0;
		     i < (block == b.block ? b.index : function->block[block].count); i++) {
			struct code_point at = { block, i };
			const struct insn *insn = insn_at(function, at);

			turned |= turns_lanes(insn);
			barrier |= insn->class == OP_BARRIER &&
				   handover_always_after(function, a, at) &&
				   always_before(function, at, b);
		}
	return barrier || (!turned && always_before(function, a, b));
}
