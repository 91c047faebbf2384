/* SPDX-License-Identifier: Apache-2.0 */
/* This reads what instructions do to live registers, once for all visits of their blocks. */
#include "slice_step.h"

#include <errno.h>
#include <stdlib.h>

#include "flow.h"

/* An instruction with a wanted destination wants this of its sources. */
enum wants {
	WANTS_ALL,     /* whatever is wanted of the destination */
	WANTS_NOTHING, /* its result is a number, whatever they are */
	WANTS_VALUES,  /* their contents, if the contents of the destination are wanted */
};

/* Classes without other effects than on their destinations. */
static const struct plain {
	uint8_t destinations; /* the first operands; 0: no such class */
	uint8_t sources;      /* is how many behind them count; 0: all */
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

static bool is_register(const struct insn *insn, unsigned index)
{
	return index < insn->operand_count && insn->operand[index].kind == OPERAND_REG;
}

/* div_scale has a second destination. */
static unsigned destinations(const struct insn *insn)
{
	if (insn->class == OP_DATA && insn->traits & INSN_DIV_SCALE && is_register(insn, 1))
		return 2;
	return plain[insn->class].destinations;
}

/* Returns true for a part of exec, which more depends on than registers. */
static bool touches_exec(const struct operand *operand)
{
	return operand->reg < REG_VECTOR && operand->reg + operand->count > REG_EXEC;
}

/* Returns true if an instruction that writes exec can only switch lanes off. */
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
	return insn_writes_exec_unnamed(insn) ||
	       (insn->class != OP_MEMORY && insn->class != OP_NOTHING &&
		insn->class != OP_COMPARE_SCALAR && is_register(insn, 0) &&
		touches_exec(&insn->operand[0]));
}

static int grow_refs(struct slice_steps *steps)
{
	uint32_t room = steps->ref_room * 2 + 256;
	struct slice_ref *grown = reallocarray(steps->ref, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	steps->ref = grown;
	steps->ref_room = room;
	return 0;
}

static int add_ref(struct slice_steps *steps, unsigned word, uint64_t bits)
{
	if (steps->ref_count == steps->ref_room && grow_refs(steps))
		return -ENOMEM;
	steps->ref[steps->ref_count++] = (struct slice_ref){ bits, (uint8_t)word };
	return 0;
}

/* Adds the words of the set of registers that an operand has, behind those of `steps`. */
static int add_refs(struct slice_steps *steps, const struct operand *operand, uint8_t *count)
{
	int status = 0;

	if (operand->kind == OPERAND_REG)
		REG_WORDS(w, bits, operand->reg, operand->count,
			  status = status ? status : add_ref(steps, w, bits);
			  ++*count);
	return status;
}

static int add_sources(struct slice_steps *steps, const struct insn *insn, unsigned first,
		       unsigned end, struct slice_step *step)
{
	int status = 0;

	for (unsigned i = first; !status && i < insn->operand_count && i < end; i++)
		status = add_refs(steps, &insn->operand[i], &step->sources);
	return status;
}

static int read_memory(struct slice_steps *steps, const struct insn *insn, struct slice_step *step)
{
	bool result = (insn->load || (insn->atomic && insn->returns)) && !insn->lds;
	unsigned first = result ? 1 : 0, data;
	int status = 0;

	step->kind = SLICE_WANT;
	if (result)
		status = add_refs(steps, &insn->operand[0], &step->destinations);
	step->removes = true;
	/* LDS is not followed; other lanes are. */
	if (insn->family == MEM_DS) {
		if (status || insn->load || insn->store || insn->atomic)
			return status;
		return add_sources(steps, insn, 1, INSN_OPERANDS, step);
	}
	data = first + 1;
	if (insn->family == MEM_BUFFER || insn->family <= MEM_SCALAR_BUFFER) {
		/* The data that are stored stand first; atomics return into them. */
		data = 0;
		first = insn->load ? first : 0;
	}
	for (unsigned i = first; !status && i < insn->operand_count; i++)
		if (insn->load || i != data || steps->private_reads || insn_stores_words(insn) ||
		    insn_stores_half(insn))
			status = add_refs(steps, &insn->operand[i], &step->sources);
	return status;
}

/* Reads an instruction of `plain` that does not write exec. */
static int read_plain(struct slice_steps *steps, const struct insn *insn, struct slice_step *step)
{
	static const struct operand vcc = { .kind = OPERAND_REG, .reg = REG_VCC, .count = 2 };
	unsigned count = destinations(insn), first = plain[insn->class].destinations;
	unsigned sources = plain[insn->class].sources;
	bool part = insn->sdwa_dst || insn->dpp || insn->class == OP_WRITE_LANE ||
		    insn->class == OP_CMOV || insn->class == OP_ADD_CONST ||
		    insn->class == OP_MIX_OWN;
	int status = 0;

	step->kind = SLICE_PLAIN;
	step->removes = !part;
	for (unsigned i = 0; !status && i < count; i++) {
		status = add_refs(steps, &insn->operand[i], &step->destinations);
		/* Results that matter: of most the first one. */
		if (!i || insn->class == OP_SWAP)
			step->results = step->destinations;
	}
	if (plain[insn->class].wants == WANTS_NOTHING && !part)
		return status;
	if (plain[insn->class].wants == WANTS_VALUES && !condition_followed(insn))
		return status;
	step->values_only = plain[insn->class].wants == WANTS_VALUES;
	if (insn->class == OP_SWAP)
		first = 0;
	if (!status)
		status = add_sources(steps, insn, first, sources ? first + sources : INSN_OPERANDS,
				     step);
	if (insn->class != OP_SELECT)
		return status;
	/* The mask of a vector instruction need not be named. */
	step->wants_condition = !(insn->traits & INSN_VECTOR);
	if (!status && insn->traits & INSN_VECTOR)
		status = add_refs(steps, &vcc, &step->sources);
	return status;
}

/* Returns true if it changes nothing live unless its destinations are. */
static bool may_be_idle(const struct insn *insn)
{
	if (!plain[insn->class].destinations)
		return false;
	for (unsigned i = 0; i < destinations(insn); i++)
		if (!is_register(insn, i) || touches_exec(&insn->operand[i]))
			return false;
	return true;
}

static int read_step(struct slice_steps *steps, const struct insn *insn, struct slice_step *step)
{
	int status = 0;

	*step = (struct slice_step){ .first = steps->ref_count,
				     .scalar = insn->traits & INSN_SCALAR,
				     .sets_condition = insn->traits & INSN_SETS_SCC,
				     .idle = insn->class == OP_NOTHING ? !insn->fence
								       : may_be_idle(insn),
				     .nothing = insn->class == OP_NOTHING };
	if (insn->class == OP_MEMORY) {
		status = read_memory(steps, insn, step);
	} else if (writes_exec(insn)) {
		step->kind = only_shrinks(insn) ? SLICE_SHRINK : SLICE_EXEC;
		if (insn->class != OP_COMPARE_EXEC)
			status = add_sources(steps, insn, 0, INSN_OPERANDS, step);
	} else if (insn->class == OP_COMPARE_SCALAR) {
		if (condition_followed(insn)) {
			step->kind = SLICE_COMPARE;
			status = add_sources(steps, insn, 0, INSN_OPERANDS, step);
		}
	} else if (plain[insn->class].destinations && is_register(insn, 0)) {
		status = read_plain(steps, insn, step);
	} else if (insn->class == OP_UNKNOWN || insn->class == OP_ALIGNBIT) {
		step->kind = SLICE_WANT;
		status = add_sources(steps, insn, 0, INSN_OPERANDS, step);
	}
	/* Read in lanes that may be switched off. */
	step->pins = insn->class == OP_READ_LANE || insn->class == OP_WRITE_LANE || insn->dpp;
	for (unsigned i = 0; !status && step->pins && i < insn->operand_count; i++)
		if (is_register(insn, i) && insn->operand[i].reg >= REG_VECTOR)
			status = add_refs(steps, &insn->operand[i], &step->pinned);
	return status;
}

int slice_steps_read(struct slice_steps *steps, const struct function *function)
{
	int status = 0;

	steps->step =
	    reallocarray(NULL, (size_t)function->insn_count + 1, 2 * sizeof(*steps->step));
	steps->begin = reallocarray(NULL, (size_t)function->block_count + 1, sizeof(*steps->begin));
	/* Steps point to theirs, also where there are none. */
	if (!steps->step || !steps->begin || grow_refs(steps))
		return -ENOMEM;
	for (uint32_t b = 0; !status && b < function->block_count; b++) {
		const struct block *block = &function->block[b];

		steps->begin[b] = steps->count;
		for (uint32_t i = block->first; !status && i < block->first + block->count; i++) {
			const struct insn *insn = function->insn[i];
			struct slice_step *step = &steps->step[steps->count++];

			status = read_step(steps, insn, step);
			step->dual = insn->dual;
			if (!status && insn->dual)
				status = read_step(steps, insn->dual, &steps->step[steps->count++]);
		}
	}
	steps->begin[function->block_count] = steps->count;
	return status;
}

void slice_steps_free(struct slice_steps *steps)
{
	free(steps->step);
	free(steps->begin);
	free(steps->ref);
}
