/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers matter: backwards from the addresses of accesses. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "flow.h"

/* What an instruction with a wanted destination wants of its sources. */
enum wants {
	WANTS_ALL,     /* whatever is wanted of the destination */
	WANTS_NOTHING, /* its result is a number, whatever they are */
	WANTS_VALUES,  /* their contents, if the contents of the destination are wanted */
};

/* Classes without other effects than on their destinations. */
static const struct plain {
	uint8_t destinations; /* the first operands; 0: no such class */
	uint8_t sources;      /* those behind them that count; 0: all */
	uint8_t wants;
} plain[256] = {
	[OP_DATA] = { 1, 0, WANTS_NOTHING },    [OP_MOVE] = { 1, 0, WANTS_ALL },
	[OP_MIX] = { 1, 0, WANTS_ALL },         [OP_MIX_OWN] = { 1, 0, WANTS_ALL },
	[OP_SHIFT_ADD] = { 1, 0, WANTS_ALL },   [OP_ADD_SHIFT] = { 1, 0, WANTS_ALL },
	[OP_XOR_ADD] = { 1, 0, WANTS_ALL },     [OP_INSERT] = { 1, 0, WANTS_ALL },
	[OP_PACKED_MOVE] = { 1, 0, WANTS_ALL }, [OP_SWAP] = { 2, 0, WANTS_ALL },
	[OP_SELECT] = { 1, 0, WANTS_ALL },      [OP_CMOV] = { 1, 0, WANTS_ALL },
	[OP_ADD] = { 1, 0, WANTS_ALL },         [OP_ADD_CARRY_OUT] = { 2, 2, WANTS_ALL },
	[OP_SUB] = { 1, 0, WANTS_ALL },         [OP_SUB_CARRY_OUT] = { 2, 2, WANTS_ALL },
	[OP_SUBREV] = { 1, 0, WANTS_ALL },      [OP_SUBREV_CARRY_OUT] = { 2, 2, WANTS_ALL },
	[OP_ADD3] = { 1, 0, WANTS_ALL },        [OP_ADD64] = { 1, 0, WANTS_ALL },
	[OP_SUB64] = { 1, 0, WANTS_ALL },       [OP_LAST_PLUS] = { 1, 0, WANTS_ALL },
	[OP_LAST_PLUS64] = { 2, 0, WANTS_ALL }, [OP_LSHL_ADD64] = { 1, 0, WANTS_ALL },
	[OP_LAST_PLUS2] = { 1, 0, WANTS_ALL },  [OP_ADD_CONST] = { 1, 0, WANTS_ALL },
	[OP_OR] = { 1, 0, WANTS_ALL },          [OP_AND] = { 1, 0, WANTS_ALL },
	[OP_ANDN2] = { 1, 0, WANTS_ALL },       [OP_XOR] = { 1, 0, WANTS_ALL },
	[OP_LSHL] = { 1, 0, WANTS_ALL },        [OP_LSHR] = { 1, 0, WANTS_ALL },
	[OP_ASHR] = { 1, 0, WANTS_ALL },        [OP_LSHLREV] = { 1, 0, WANTS_ALL },
	[OP_LSHRREV] = { 1, 0, WANTS_ALL },     [OP_ASHRREV] = { 1, 0, WANTS_ALL },
	[OP_NOT] = { 1, 0, WANTS_ALL },         [OP_AND_OR] = { 1, 0, WANTS_ALL },
	[OP_MUL] = { 1, 0, WANTS_ALL },         [OP_COMPARE] = { 1, 0, WANTS_VALUES },
	[OP_READ_FIRST] = { 1, 0, WANTS_ALL },  [OP_READ_LANE] = { 1, 0, WANTS_ALL },
	[OP_WRITE_LANE] = { 1, 0, WANTS_ALL },  [OP_GETREG] = { 1, 0, WANTS_NOTHING },
	[OP_GETPC] = { 1, 0, WANTS_NOTHING },   [OP_SEXT_HIGH] = { 1, 0, WANTS_ALL },
};

/* What is live at one place. */
struct live {
	struct reg_set value; /* by its contents */
	struct reg_set mask; /* as a lane mask only: what a comparison compared is of no interest */
	bool condition;      /* the condition code */
};

struct walk {
	const struct function *function;
	struct live *in;    /* by block */
	bool *stale;        /* by block: what it depends on has changed */
	bool *across;       /* by block: it depends on `aside` */
	struct live aside;  /* wherever lanes may be switched on, and what other lanes read */
	bool private_reads; /* what is stored may come back */
	bool changed;       /* `aside` has */
	bool asked;         /* `aside` was */
};

static bool is_register(const struct insn *insn, unsigned index)
{
	return index < insn->operand_count && insn->operand[index].kind == OPERAND_REG;
}

/* div_scale has a second destination. */
static unsigned destinations(const struct insn *insn)
{
	if (insn->class == OP_DATA && is_register(insn, 1) && strstr(insn->mnemonic, "div_scale"))
		return 2;
	return plain[insn->class].destinations;
}

/* Part of exec, which more depends on than registers. */
static bool touches_exec(const struct operand *operand)
{
	return operand->reg < REG_VECTOR && operand->reg + operand->count > REG_EXEC;
}

static void add_operand(struct reg_set *set, const struct operand *operand)
{
	if (operand->kind != OPERAND_REG)
		return;
	reg_add(set, operand->reg, operand->count);
}

static bool any_of(const struct reg_set *set, const struct operand *operand)
{
	return reg_any(set, operand->reg, operand->count);
}

static void remove_operand(struct live *live, const struct operand *operand)
{
	if (operand->kind != OPERAND_REG)
		return;
	reg_remove(&live->value, operand->reg, operand->count);
	reg_remove(&live->mask, operand->reg, operand->count);
}

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

static void want(struct live *live, const struct operand *operand, bool value, bool mask)
{
	if (value)
		add_operand(&live->value, operand);
	if (mask)
		add_operand(&live->mask, operand);
}

static void before_memory(const struct walk *walk, const struct insn *insn, struct live *live)
{
	bool result = (insn->load || (insn->atomic && insn->returns)) && !insn->lds;
	unsigned first = result ? 1 : 0, data, i;

	if (result)
		remove_operand(live, &insn->operand[0]);
	/* LDS is not followed; other lanes are. */
	if (insn->family == MEM_DS) {
		for (i = 1; !insn->load && !insn->store && !insn->atomic && i < insn->operand_count;
		     i++)
			want(live, &insn->operand[i], true, true);
		return;
	}
	data = first + 1;
	if (insn->family == MEM_BUFFER || insn->family <= MEM_SCALAR_BUFFER) {
		/* What is stored stands first; atomics return into it. */
		data = 0;
		first = insn->load ? first : 0;
	}
	for (i = first; i < insn->operand_count; i++)
		if (insn->load || i != data || walk->private_reads || insn_stores_words(insn))
			want(live, &insn->operand[i], true, true);
}

/* Instructions that write exec: whether they can only switch lanes off. */
static bool only_shrinks(const struct insn *insn)
{
	const struct operand *a = &insn->operand[1], *b = &insn->operand[2];
	bool first = is_register(insn, 1) && a->reg == REG_EXEC;
	bool second = is_register(insn, 2) && b->reg == REG_EXEC;

	switch (insn->class) {
	case OP_AND_SAVEEXEC:
	case OP_COMPARE_EXEC:
		return true;
	case OP_AND:
		return first || second;
	case OP_ANDN2:
		return first;
	default:
		return false;
	}
}

static bool writes_exec(const struct insn *insn)
{
	switch (insn->class) {
	case OP_AND_SAVEEXEC:
	case OP_ANDN2_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
	case OP_COMPARE_EXEC:
		return true;
	default:
		return insn->class != OP_MEMORY && insn->class != OP_NOTHING &&
		       insn->class != OP_COMPARE_SCALAR && is_register(insn, 0) &&
		       touches_exec(&insn->operand[0]);
	}
}

static void before_exec(struct walk *walk, const struct insn *insn, struct live *live)
{
	for (unsigned i = 0; insn->class != OP_COMPARE_EXEC && i < insn->operand_count; i++)
		want(live, &insn->operand[i], false, true);
	walk->asked = true;
	if (!only_shrinks(insn))
		walk->changed |= merge(&walk->aside, live);
	merge(live, &walk->aside);
}

/* Read in lanes that may be switched off. */
static void pin(struct walk *walk, const struct insn *insn, struct live *live)
{
	struct live pinned = { 0 };

	if (insn->class != OP_READ_LANE && insn->class != OP_WRITE_LANE && !insn->dpp)
		return;
	for (unsigned i = 0; i < insn->operand_count; i++)
		if (is_register(insn, i) && insn->operand[i].reg >= REG_VECTOR)
			want(&pinned, &insn->operand[i], true, true);
	walk->asked = true;
	walk->changed |= merge(&walk->aside, &pinned);
	merge(live, &pinned);
}

/* One of `plain` that does not write exec. */
static void before_plain(const struct insn *insn, struct live *live)
{
	const struct operand *to = &insn->operand[0];
	unsigned count = destinations(insn), first, i;
	bool value = any_of(&live->value, to), mask = any_of(&live->mask, to);
	bool part = insn->sdwa_dst || insn->dpp || insn->class == OP_WRITE_LANE ||
		    insn->class == OP_CMOV || insn->class == OP_ADD_CONST ||
		    insn->class == OP_MIX_OWN;

	if (insn->class == OP_SWAP && is_register(insn, 1)) {
		value |= any_of(&live->value, &insn->operand[1]);
		mask |= any_of(&live->mask, &insn->operand[1]);
	}
	for (i = 0; i < count && !part; i++)
		remove_operand(live, &insn->operand[i]);
	if (plain[insn->class].wants == WANTS_NOTHING && !part)
		return;
	if (plain[insn->class].wants == WANTS_VALUES) {
		mask = false;
		value &= condition_followed(insn);
	}
	if (!value && !mask)
		return;
	first = insn->class == OP_SWAP ? 0 : plain[insn->class].destinations;
	for (i = first; i < insn->operand_count; i++)
		if (!plain[insn->class].sources || i < first + plain[insn->class].sources)
			want(live, &insn->operand[i], value, mask);
	if (insn->class == OP_SELECT) {
		/* The mask of a vector instruction need not be named. */
		if (insn->mnemonic[0] == 'v')
			want(live,
			     &(struct operand){ .kind = OPERAND_REG, .reg = REG_VCC, .count = 2 },
			     value, mask);
		else
			live->condition = true;
	}
}

/* From what is live after an instruction to what is live before it. */
static void before(struct walk *walk, const struct insn *insn, struct live *live)
{
	bool condition = live->condition;

	if (insn->mnemonic[0] == 's' && insn->class != OP_NOTHING && insn->class != OP_MOVE &&
	    insn->class != OP_SELECT && insn->class != OP_GETPC && insn->class != OP_MEMORY)
		live->condition = false;
	pin(walk, insn, live);
	if (insn->class == OP_MEMORY)
		before_memory(walk, insn, live);
	else if (writes_exec(insn))
		before_exec(walk, insn, live);
	else if (insn->class == OP_COMPARE_SCALAR)
		for (unsigned i = 0;
		     condition && condition_followed(insn) && i < insn->operand_count; i++)
			want(live, &insn->operand[i], true, false);
	else if (plain[insn->class].destinations && is_register(insn, 0))
		before_plain(insn, live);
	else if (insn->class == OP_UNKNOWN || insn->class == OP_ALIGNBIT)
		for (unsigned i = 0; i < insn->operand_count; i++)
			want(live, &insn->operand[i], true, true);
}

/* Whether it changes nothing of what is live after it. */
static bool is_idle(const struct insn *insn, const struct live *live)
{

	if (insn->class == OP_NOTHING)
		return !insn->fence;
	if (!plain[insn->class].destinations || (live->condition && insn->mnemonic[0] == 's'))
		return false;
	for (unsigned i = 0; i < destinations(insn); i++)
		if (!is_register(insn, i) || touches_exec(&insn->operand[i]) ||
		    any_of(&live->value, &insn->operand[i]) ||
		    any_of(&live->mask, &insn->operand[i]))
			return false;
	return true;
}

/* From the end of a block to its beginning; `idle`, unless it is NULL, by instruction. */
static void through_block(struct walk *walk, const struct block *block, struct live *live,
			  bool *idle)
{
	const struct function *function = walk->function;
	uint32_t i;

	memset(live, 0, sizeof(*live));
	for (i = 0; i < 2; i++)
		if (block->successor[i] != NO_BLOCK)
			merge(live, &walk->in[block->successor[i]]);
	for (i = block->first + block->count; i-- > block->first;) {
		const struct insn *insn = function->insn[i];

		if (idle)
			idle[i] = is_idle(insn, live) && (!insn->dual || is_idle(insn->dual, live));
		if (insn->dual) {
			/* Both read before either writes. */
			struct live other = *live;

			before(walk, insn->dual, &other);
			before(walk, insn, live);
			merge(live, &other);
		} else {
			before(walk, insn, live);
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
		return insn->mnemonic[0] == 'v';
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
			through_block(walk, block, &live, NULL);
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
		through_block(walk, &function->block[b], &live, slice->idle);
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
		walk.private_reads |= insn->class == OP_MEMORY && insn->load &&
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
		 slice->idle && solve(&walk, slice);
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
