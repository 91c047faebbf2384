/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimum and maximum as loops that store, or do not store, a number as it is:
 *
 *	while (old < number && !compare_and_swap(address, &old, number));
 *	do; while (!compare_and_swap(address, &old, old < number ? number : old));
 *
 * A comparison of the old value and the number decides. Which way it must come out for the number
 * to be stored is found by following a wave with one lane from the comparison to the instruction:
 * lane masks are then true, false or not known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "casloop_search.h"

/* Instructions followed in search of the way to the compare-and-swap. */
#define STEPS_MAX 20000u
#define PATHS_MAX 64u

static const char not_seen[] = "it repeats until memory holds the value that was read before, and "
			       "how the stored value depends on that is unknown";

/* ---- comparisons ---- */

bool casloop_ordering(const struct insn *insn, struct ordering *ordering)
{
	static const struct {
		const char *name;
		bool first_larger;
	} relations[] = {
		{ "lt_", false }, { "le_", false }, { "gt_", true },   { "ge_", true },
		{ "nlt_", true }, { "nle_", true }, { "ngt_", false }, { "nge_", false },
	};
	static const struct {
		const char *name;
		bool fp;
		uint8_t type, dwords;
	} types[] = {
		{ "f32", true, ISA_TYPE_F32, 1 },  { "f64", true, ISA_TYPE_F64, 2 },
		{ "i32", false, ISA_TYPE_I32, 1 }, { "u32", false, ISA_TYPE_I32, 1 },
		{ "i64", false, ISA_TYPE_I64, 2 }, { "u64", false, ISA_TYPE_I64, 2 },
	};
	const char *rest = insn->mnemonic;

	if (insn->class != OP_COMPARE && insn->class != OP_COMPARE_EXEC &&
	    insn->class != OP_COMPARE_SCALAR)
		return false;
	if (insn->sdwa || insn->dpp || insn->operand_count < 2)
		return false;
	if (!strncmp(rest, "v_cmp_", 6) || !strncmp(rest, "s_cmp_", 6))
		rest += 6;
	else if (!strncmp(rest, "v_cmpx_", 7))
		rest += 7;
	else
		return false;
	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		size_t length = strlen(relations[i].name);

		if (strncmp(rest, relations[i].name, length))
			continue;
		for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
			if (strcmp(rest + length, types[k].name))
				continue;
			ordering->first = insn->operand_count - 2;
			ordering->first_larger = relations[i].first_larger;
			ordering->fp = types[k].fp;
			ordering->type = (enum isa_type)types[k].type;
			ordering->dwords = types[k].dwords;
			return true;
		}
	}
	return false;
}

/* ---- what values are ---- */

struct roots {
	struct root root[ROOTS_MAX];
	unsigned count;
};

/* Finds the roots of dword `part`; none if they are too many. */
static int find_roots(struct search *search, uint32_t block, uint32_t index,
		      const struct operand *operand, unsigned part, struct roots *roots)
{
	int status = 0;

	roots->count = 0;
	if (operand->kind == OPERAND_REG) {
		if (part >= operand->count || operand->half)
			return 0;
		status = search_operand(search, block, index, operand, part, 1);
		if (!status && !search->too_many) {
			roots->count = search->root_count;
			memcpy(roots->root, search->root, sizeof(roots->root));
		}
	} else if (operand->kind == OPERAND_CONST || operand->kind == OPERAND_FLOAT) {
		memset(roots->root, 0, sizeof(roots->root[0]));
		roots->root[0].constant = true;
		roots->root[0].value = operand->value;
		roots->count = 1;
	}
	return status;
}

static bool has_root(const struct roots *roots, const struct root *root)
{
	for (unsigned i = 0; i < roots->count; i++)
		if (!memcmp(&roots->root[i], root, sizeof(*root)))
			return true;
	return false;
}

static bool same_roots(const struct roots *a, const struct roots *b)
{
	for (unsigned i = 0; i < a->count; i++)
		if (!has_root(b, &a->root[i]))
			return false;
	return a->count && a->count == b->count;
}

static bool is_memory(const struct root *root)
{
	return root->insn && root->insn->class == OP_MEMORY;
}

/* Returns true if both may be the same thing out of memory. */
static bool same_memory(const struct roots *a, const struct roots *b)
{
	for (unsigned i = 0; i < a->count; i++)
		if (is_memory(&a->root[i]) && has_root(b, &a->root[i]))
			return true;
	return false;
}

/* The compare-and-swap stores and expects these, by dword. */
struct swap {
	struct roots stored[2], expected[2];
	unsigned dwords;
};

enum role { ROLE_NONE, ROLE_STORED, ROLE_EXPECTED };

/* Finds what an operand of a comparison is. A half of the word will do: it is then no number. */
static int find_role(struct search *search, const struct swap *swap, uint32_t block, uint32_t index,
		     const struct operand *operand, unsigned dwords, enum role *role)
{
	struct roots roots[2];
	int status = 0;

	*role = ROLE_NONE;
	for (unsigned i = 0; !status && i < dwords && i < 2; i++)
		status = find_roots(search, block, index, operand, i, &roots[i]);
	if (status || dwords > swap->dwords)
		return status;
	for (unsigned from = 0; from + dwords <= swap->dwords && *role == ROLE_NONE; from++) {
		bool stored = true, expected = true;

		for (unsigned i = 0; i < dwords; i++) {
			stored &= same_roots(&roots[i], &swap->stored[from + i]);
			expected &= same_memory(&roots[i], &swap->expected[from + i]);
		}
		*role = expected ? ROLE_EXPECTED : stored ? ROLE_STORED : ROLE_NONE;
	}
	return 0;
}

/* ---- a wave with one lane ---- */

enum truth { FALSE_, TRUE_, OPEN };

struct lane_state {
	uint32_t block, index;
	uint8_t mask[REG_VECTOR]; /* enum truth, by the first register */
	uint8_t scc;
};

struct lane_walk {
	const struct search *search;
	const struct insn *from; /* the comparison */
	unsigned wide;           /* registers of a lane mask */
	struct lane_state *path;
	unsigned path_count;
	struct lane_state *seen; /* states in which paths parted */
	unsigned seen_count, steps;
	bool reached, missed, failed;
};

static uint8_t truth_of(const struct lane_state *state, const struct operand *operand)
{
	if (operand->kind == OPERAND_CONST)
		return operand->value == 0 ? FALSE_ : operand->value == -1 ? TRUE_ : OPEN;
	return operand->kind == OPERAND_REG && operand->reg < REG_VECTOR ? state->mask[operand->reg]
									 : OPEN;
}

static uint8_t not(uint8_t a)
{
	return a == OPEN ? OPEN : !a;
}

static uint8_t and (uint8_t a, uint8_t b)
{
	return a == FALSE_ || b == FALSE_ ? FALSE_ : a == TRUE_ && b == TRUE_ ? TRUE_ : OPEN;
}

static uint8_t or (uint8_t a, uint8_t b)
{
	return not(and(not(a), not(b)));
}

static uint8_t xor (uint8_t a, uint8_t b) { return a == OPEN || b == OPEN ? OPEN : a != b; }

    static void set_truth(const struct lane_walk *walk, struct lane_state *state,
			  const struct operand *to, uint8_t truth)
{
	if (to->kind != OPERAND_REG || to->reg >= REG_VECTOR)
		return;
	for (unsigned i = to->reg; i < to->reg + to->count && i < REG_VECTOR; i++)
		state->mask[i] = OPEN;
	/* Half of a mask was written. */
	if (to->count < walk->wide && to->reg)
		state->mask[to->reg - 1] = OPEN;
	if (to->count == walk->wide)
		state->mask[to->reg] = truth;
}

/* Applies the effect of an instruction that is no branch. */
static void lane_step(const struct lane_walk *walk, const struct insn *insn,
		      struct lane_state *state)
{
	const struct operand *to = &insn->operand[0];
	bool scalar = insn->mnemonic[0] == 's';
	uint8_t *exec = &state->mask[REG_EXEC], before = *exec, result = OPEN;
	uint8_t a = insn->operand_count > 1 ? truth_of(state, &insn->operand[1]) : OPEN;
	uint8_t b = insn->operand_count > 2 ? truth_of(state, &insn->operand[2]) : OPEN;

	switch (insn->class) {
	case OP_NOTHING:
	case OP_BARRIER:
		return;
	case OP_MEMORY:
		if (insn->family <= MEM_SCALAR_BUFFER)
			set_truth(walk, state, to, OPEN);
		return;
	case OP_COMPARE_SCALAR:
		state->scc = OPEN;
		return;
	case OP_COMPARE_EXEC:
		*exec = and(before, OPEN);
		if (insn->operand_count > 2)
			set_truth(walk, state, to, *exec);
		return;
	case OP_COMPARE:
		set_truth(walk, state, to, and(before, OPEN));
		return;
	case OP_AND_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_ANDN2_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
		set_truth(walk, state, to, before);
		*exec = insn->class == OP_AND_SAVEEXEC     ? and(a, before)
			: insn->class == OP_OR_SAVEEXEC    ? or (a, before)
			: insn->class == OP_ANDN2_SAVEEXEC ? and(a, not(before))
			: strstr(insn->mnemonic, "s_xor_") ? xor(a, before)
							   : OPEN;
		state->scc = *exec;
		return;
	case OP_AND:
		result = and(a, b);
		break;
	case OP_OR:
		result = or (a, b);
		break;
	case OP_ANDN2:
		result = and(a, not(b));
		break;
	case OP_XOR:
		result = xor(a, b);
		break;
	case OP_NOT:
		result = not(a);
		break;
	case OP_MOVE:
		if (scalar)
			set_truth(walk, state, to, a);
		return;
	case OP_SELECT:
		if (scalar)
			set_truth(walk, state, to,
				  state->scc == TRUE_    ? a
				  : state->scc == FALSE_ ? b
				  : a == b               ? a
							 : OPEN);
		return;
	default:
		break;
	}
	for (unsigned i = 0; i < insn->operand_count && i < 2; i++)
		if (insn->operand[i].kind == OPERAND_REG && (!i || !scalar))
			set_truth(walk, state, &insn->operand[i], i ? OPEN : result);
	if (scalar)
		state->scc = to->kind == OPERAND_REG && to->count == walk->wide ? result : OPEN;
}

static void lane_go(struct lane_walk *walk, const struct lane_state *state, uint32_t block)
{
	struct lane_state *to;

	if (block == NO_BLOCK || !walk->search->in_loop[block]) {
		walk->missed = true;
		return;
	}
	if (walk->path_count == PATHS_MAX || walk->seen_count == PATHS_MAX) {
		walk->failed = true;
		return;
	}
	to = &walk->path[walk->path_count];
	*to = *state;
	to->block = block;
	to->index = 0;
	for (unsigned i = 0; i < walk->seen_count; i++)
		if (!memcmp(&walk->seen[i], to, sizeof(*to)))
			return;
	walk->seen[walk->seen_count++] = *to;
	walk->path_count++;
}

/* Tells if a branch is taken. */
static uint8_t is_taken(const struct lane_state *state, const struct insn *insn)
{
	uint8_t exec = state->mask[REG_EXEC];

	switch (insn->class) {
	case OP_BRANCH:
		return TRUE_;
	case OP_CBRANCH_EXECZ:
		return not(exec);
	case OP_CBRANCH_EXECNZ:
		return exec;
	case OP_CBRANCH:
		if (strstr(insn->mnemonic, "scc1"))
			return state->scc;
		if (strstr(insn->mnemonic, "scc0"))
			return not(state->scc);
		if (strstr(insn->mnemonic, "vccnz"))
			return state->mask[REG_VCC];
		if (strstr(insn->mnemonic, "vccz"))
			return not(state->mask[REG_VCC]);
		return OPEN;
	default:
		return FALSE_;
	}
}

static void lane_path(struct lane_walk *walk, struct lane_state state)
{
	const struct function *function = walk->search->function;
	const struct block *block = &function->block[state.block];
	uint8_t taken = FALSE_;

	for (uint32_t i = state.index; i < block->count; i++) {
		const struct insn *insn = function->insn[block->first + i];

		if (insn == walk->search->cas && state.mask[REG_EXEC] != FALSE_) {
			walk->reached = true;
			return;
		}
		if (insn == walk->from || ++walk->steps > STEPS_MAX) {
			walk->missed |= insn == walk->from;
			walk->failed |= insn != walk->from;
			return;
		}
		if (i + 1 == block->count)
			taken = is_taken(&state, insn);
		lane_step(walk, insn, &state);
	}
	if (taken != TRUE_)
		lane_go(walk, &state, block->successor[0]);
	if (taken != FALSE_)
		lane_go(walk, &state, block->successor[1]);
}

/* Tells if the lane may, and must, come from the comparison with that result to the instruction. */
static int follow(const struct search *search, uint32_t block, uint32_t index, bool holds,
		  bool *may, bool *must)
{
	const struct function *function = search->function;
	const struct insn *insn = function->insn[function->block[block].first + index];
	struct lane_walk walk = { .search = search, .from = insn };
	struct lane_state state;
	int status = -ENOMEM;

	walk.path = calloc(PATHS_MAX + 1, sizeof(*walk.path));
	walk.seen = calloc(PATHS_MAX, sizeof(*walk.seen));
	if (!walk.path || !walk.seen)
		goto out;
	memset(&state, 0, sizeof(state));
	memset(state.mask, OPEN, sizeof(state.mask));
	state.block = block;
	state.index = index + 1;
	state.scc = OPEN;
	state.mask[REG_EXEC] = TRUE_;
	walk.wide = insn->class == OP_COMPARE ? insn->operand[0].count : 2;
	if (insn->class == OP_COMPARE_SCALAR)
		state.scc = holds;
	else if (insn->class == OP_COMPARE_EXEC)
		state.mask[REG_EXEC] = holds;
	else
		set_truth(&walk, &state, &insn->operand[0], holds);
	lane_path(&walk, state);
	while (walk.path_count && !walk.failed) {
		state = walk.path[--walk.path_count];
		lane_path(&walk, state);
	}
	*may = walk.reached || walk.failed;
	*must = walk.reached && !walk.missed && !walk.failed;
	status = 0;
out:
	free(walk.path);
	free(walk.seen);
	return status;
}

/* ---- what is computed ---- */

/* All comparisons agree about this. */
struct verdict {
	bool found, differs;
	struct arithmetic kind;
};

static void add_verdict(struct verdict *verdict, const struct ordering *ordering, enum isa_op op)
{
	if (verdict->found && verdict->kind.fp != ordering->fp)
		verdict->differs = true;
	else if (!verdict->found || verdict->kind.op == ISA_OP_MINMAX)
		verdict->kind.op = op;
	else if (op != ISA_OP_MINMAX && op != verdict->kind.op)
		verdict->differs = true;
	verdict->found = true;
	verdict->kind.fp = ordering->fp;
	verdict->kind.type = ordering->type;
}

/* Tells which of the stored and the expected value comes to be stored, by their comparison. */
static int judge_exit(struct search *search, const struct swap *swap, uint32_t block,
		      uint32_t index, struct verdict *verdict)
{
	const struct function *function = search->function;
	const struct insn *insn = function->insn[function->block[block].first + index];
	struct ordering ordering;
	enum role first, second;
	bool may[2], must[2], stored_larger;
	enum isa_op op = ISA_OP_MINMAX;
	int status;

	if (!casloop_ordering(insn, &ordering))
		return 0;
	status = find_role(search, swap, block, index, &insn->operand[ordering.first],
			   ordering.dwords, &first);
	if (!status && first != ROLE_NONE)
		status = find_role(search, swap, block, index, &insn->operand[ordering.first + 1],
				   ordering.dwords, &second);
	if (status || first == ROLE_NONE || second == ROLE_NONE || first == second)
		return status;
	for (int holds = 0; !status && holds < 2; holds++)
		status = follow(search, block, index, holds, &may[holds], &must[holds]);
	if (status)
		return status;
	/* It tells if the number that is stored is the larger one where the comparison holds. */
	stored_larger = ordering.first_larger == (first == ROLE_STORED);
	if (may[1] != may[0])
		op = stored_larger == may[1] ? ISA_OP_MAX : ISA_OP_MIN;
	else if (must[1] != must[0])
		op = stored_larger == must[1] ? ISA_OP_MAX : ISA_OP_MIN;
	add_verdict(verdict, &ordering, op);
	return 0;
}

/* Returns the last definition of a lane mask ahead of *index in its block, and goes there. */
static const struct insn *mask_before(const struct function *function, uint32_t block,
				      uint32_t *index, unsigned reg)
{
	const struct block *in = &function->block[block];

	while (*index) {
		const struct insn *insn = function->insn[in->first + --*index];
		const struct operand *to = &insn->operand[0];

		if (insn->operand_count && to->kind == OPERAND_REG && to->reg <= reg &&
		    reg < to->reg + to->count && insn->class != OP_NOTHING && !insn->store)
			return insn;
	}
	return NULL;
}

/* Adds the verdict on a selection of either the old value or a number, by their comparison. */
static int judge_select(struct search *search, const struct swap *swap, uint32_t block,
			uint32_t index, struct verdict *verdict)
{
	const struct function *function = search->function;
	const struct insn *insn = function->insn[function->block[block].first + index], *compare;
	const struct operand *mask = &insn->operand[3];
	struct roots taken, other, one, two;
	struct ordering ordering;
	uint32_t at = index;
	bool first_taken;
	int status;

	if (insn->class != OP_SELECT || insn->mnemonic[0] != 'v')
		return 0;
	if (insn->operand_count > 3 && (mask->kind != OPERAND_REG || mask->reg >= REG_VECTOR))
		return 0;
	compare = mask_before(function, block, &at, insn->operand_count > 3 ? mask->reg : REG_VCC);
	if (!compare || !casloop_ordering(compare, &ordering))
		return 0;
	/* d = mask ? c : b. Both are what is compared, and one of them is the old value. */
	status = find_roots(search, block, index, &insn->operand[2], 0, &taken);
	if (!status)
		status = find_roots(search, block, index, &insn->operand[1], 0, &other);
	for (unsigned part = 0; !status && part < ordering.dwords; part++) {
		status =
		    find_roots(search, block, at, &compare->operand[ordering.first], part, &one);
		if (!status)
			status = find_roots(search, block, at,
					    &compare->operand[ordering.first + 1], part, &two);
		if (status || (!same_memory(&taken, &swap->expected[part]) &&
			       !same_memory(&other, &swap->expected[part])))
			continue;
		first_taken = same_roots(&one, &taken) && same_roots(&two, &other);
		if (!first_taken && !(same_roots(&two, &taken) && same_roots(&one, &other)))
			continue;
		add_verdict(verdict, &ordering,
			    ordering.first_larger == first_taken ? ISA_OP_MAX : ISA_OP_MIN);
		break;
	}
	return status;
}

int casloop_exit(struct search *search, uint32_t block, uint32_t index, const struct operand *data,
		 struct casloop *result)
{
	const struct function *function = search->function;
	struct swap *swap = calloc(1, sizeof(*swap));
	struct verdict verdict = { 0 };
	int status = 0;

	if (!swap)
		return -ENOMEM;
	search->for_roots = true;
	swap->dwords = data->count / 2u;
	for (unsigned i = 0; !status && i < swap->dwords && i < 2; i++) {
		status = find_roots(search, block, index, data, i, &swap->stored[i]);
		if (!status)
			status = find_roots(search, block, index, data, swap->dwords + i,
					    &swap->expected[i]);
	}
	for (uint32_t b = 0; !status && b < function->block_count; b++) {
		for (uint32_t i = 0; search->in_loop[b] && !status && i < function->block[b].count;
		     i++) {
			status = judge_exit(search, swap, b, i, &verdict);
			if (!status && same_memory(&swap->stored[0], &swap->expected[0]))
				status = judge_select(search, swap, b, i, &verdict);
		}
	}
	if (!status && verdict.found && !verdict.differs)
		casloop_conclude(&verdict.kind, swap->dwords, result);
	else
		result->why = not_seen;
	free(swap);
	search->for_roots = false;
	return status;
}
