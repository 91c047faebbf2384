/* SPDX-License-Identifier: Apache-2.0 */
/* Applies instructions to scalar registers that hold constants and fields of the arguments. */
#include "choice_search.h"

#include <string.h>

/* ---- operands ---- */

/* Returns dword `part` of operand `index`. */
static choice_id source(struct choice *choice, const struct choice_state *state,
			struct choice_insn *step, unsigned index, unsigned part)
{
	const struct operand *operand = &step->insn->operand[index];

	if (operand->kind == OPERAND_CONST) {
		choice_id *known = &step->constant[index][part];

		if (*known == CHOICE_UNKNOWN)
			*known =
			    choice_constant(choice, (uint32_t)(operand->value >> (part ? 32 : 0)));
		return *known;
	}
	if (operand->kind == OPERAND_REG && operand->reg >= REG_VECTOR) {
		unsigned slot = choice_vector_slot(choice, operand);

		return slot < CHOICE_REGS && operand->count == 1 && !operand->half
			   ? state->reg[choice->place[slot]]
			   : CHOICE_UNKNOWN;
	}
	if (!choice_is_scalar(operand) || operand->half || part >= operand->count ||
	    operand->reg + part >= REG_VECTOR)
		return CHOICE_UNKNOWN;
	return state->reg[choice->place[operand->reg + part]];
}

static bool is_exec(unsigned reg)
{
	return reg >= REG_EXEC && reg < REG_EXEC + 2;
}

/* Writes exec. Masks and flags that were made by the old one say nothing of the new one. */
static void write_exec(const struct choice *choice, struct choice_state *state)
{
	state->exec = CHOICE_EXEC_SOME;
	if (!state->by_exec)
		return;
	for (unsigned i = 0; i < choice->slots; i++)
		if (i != choice->place[REG_EXEC] && i != choice->place[REG_EXEC + 1] &&
		    (i >= choice->first_vector || state->reg[i] == CHOICE_ALL ||
		     state->reg[i] == CHOICE_NONE))
			state->reg[i] = CHOICE_UNKNOWN;
	state->by_exec = false;
}

static void write_reg(const struct choice *choice, struct choice_state *state, unsigned reg,
		      choice_id id)
{
	if (is_exec(reg))
		write_exec(choice, state);
	else if (reg < REG_VECTOR)
		state->reg[choice->place[reg]] = id;
	state->by_exec |= id == CHOICE_ALL || id == CHOICE_NONE;
}

static void write_operand(const struct choice *choice, struct choice_state *state,
			  const struct operand *operand, unsigned part, choice_id id)
{
	if (choice_is_scalar(operand) && part < operand->count)
		write_reg(choice, state, operand->reg + part, id);
}

static void lose_operand(const struct choice *choice, struct choice_state *state,
			 const struct operand *operand)
{
	for (unsigned i = 0; choice_is_scalar(operand) && i < operand->count; i++)
		write_reg(choice, state, operand->reg + i, CHOICE_UNKNOWN);
}

static void lose_all(const struct choice *choice, struct choice_state *state)
{
	for (unsigned i = 0; i < choice->slots; i++)
		if (i != choice->place[REG_EXEC] && i != choice->place[REG_EXEC + 1])
			state->reg[i] = CHOICE_UNKNOWN;
	state->scc = TRUTH_UNKNOWN;
}

/* ---- instructions ---- */

static void load(struct choice *choice, struct choice_insn *step, struct choice_state *state)
{
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operand[0];
	choice_id address[2];
	uint32_t at;
	bool known;

	for (unsigned i = 0; i < 2; i++)
		address[i] = source(choice, state, step, 1, i);
	known =
	    choice_reads_arguments(choice, insn, address, source(choice, state, step, 2, 0), &at);
	for (unsigned i = 0; choice_is_scalar(to) && i < to->count; i++)
		write_reg(choice, state, to->reg + i,
			  known ? choice_argument(choice, at + 4 * i) : CHOICE_UNKNOWN);
}

static enum choice_truth test_bit(struct choice *choice, struct choice_insn *step,
				  const struct choice_state *state)
{
	return choice_test_bit(choice, source(choice, state, step, 0, 0),
			       source(choice, state, step, 1, 0));
}

static enum choice_truth compare(struct choice *choice, struct choice_insn *step,
				 const struct choice_state *state, unsigned first)
{
	choice_id a, b;
	uint32_t constant;

	if (step->relation == RELATION_NONE)
		return TRUTH_UNKNOWN;
	a = source(choice, state, step, first, 0);
	b = source(choice, state, step, first + 1, 0);
	if (step->extends && choice_is_constant(choice, b, &constant))
		b = choice_constant(choice, (uint32_t)(int32_t)(int16_t)constant);
	return choice_compare(choice, step->relation, step->is_signed, a, b);
}

static enum choice_truth compare_wide(struct choice *choice, struct choice_insn *step,
				      const struct choice_state *state)
{
	choice_id a[2], b[2];

	for (unsigned i = 0; i < 2; i++) {
		a[i] = source(choice, state, step, 0, i);
		b[i] = source(choice, state, step, 1, i);
	}
	return choice_compare_wide(choice, step->relation, false, a, b);
}

static void compare_vector(struct choice *choice, struct choice_insn *step,
			   struct choice_state *state)
{
	enum choice_truth truth = compare(choice, step, state, 1);
	choice_id result = truth == TRUTH_YES  ? CHOICE_ALL
			   : truth == TRUTH_NO ? choice_constant(choice, 0)
					       : CHOICE_UNKNOWN;

	for (unsigned i = 0; i < step->insn->operand[0].count; i++)
		write_operand(choice, state, &step->insn->operand[0], i, result);
}

/* Computes one dword. Returns false if it is not followed. */
static bool combine(struct choice *choice, const struct choice_insn *step, const choice_id *a,
		    const choice_id *b, unsigned part, choice_id *result)
{
	uint32_t constant;

	switch (step->insn->class) {
	case OP_MOVE:
		*result = a[part];
		return true;
	case OP_AND:
		*result = choice_and(choice, a[part], b[part]);
		return true;
	case OP_ANDN2:
		*result = choice_and_not(choice, a[part], b[part]);
		return true;
	case OP_OR:
		*result = choice_or(choice, a[part], b[part]);
		return true;
	case OP_XOR:
		*result = choice_xor(choice, a[part], b[part]);
		return true;
	case OP_NOT:
		*result = choice_xor(choice, a[part], choice_constant(choice, UINT32_MAX));
		return true;
	case OP_ADD:
		*result = step->carries ? choice_add_upper(choice, a[0], b[0])
					: choice_add(choice, a[0], b[0], false);
		return true;
	case OP_ADD64:
		*result = part ? choice_add_upper(choice, a[1], b[1])
			       : choice_add(choice, a[0], b[0], false);
		return true;
	case OP_SUB:
		*result = choice_add(choice, a[0], b[0], true);
		return true;
	case OP_LSHR:
		if (!choice_is_constant(choice, b[0], &constant))
			return false;
		*result = choice_shift_right(choice, a[0], constant);
		return true;
	case OP_FIELD_PACKED:
		if (!choice_is_constant(choice, b[0], &constant))
			return false;
		*result = choice_extract(choice, a[0], constant);
		return true;
	default:
		return false;
	}
}

/* Makes the destinations hold unknown values. */
static void lose(const struct choice *choice, const struct choice_insn *step,
		 struct choice_state *state)
{
	for (unsigned i = 0; i < step->destinations && i < step->insn->operand_count; i++)
		lose_operand(choice, state, &step->insn->operand[i]);
	if (!step->keeps_scc)
		state->scc = TRUTH_UNKNOWN;
}

/* Returns true if no lane is in a mask. */
static bool is_empty(const struct choice *choice, const choice_id *mask)
{
	uint32_t constant;

	for (unsigned i = 0; i < choice->mask_dwords; i++)
		if (!choice_is_constant(choice, mask[i], &constant) || constant)
			return false;
	return true;
}

/* Executes s_and_saveexec and similar instructions. */
static void save_exec(struct choice *choice, struct choice_insn *step, struct choice_state *state)
{
	choice_id mask[2] = { 0 };
	bool empty = state->exec == CHOICE_EXEC_EMPTY;

	for (unsigned i = 0; i < choice->mask_dwords; i++)
		mask[i] = source(choice, state, step, 1, i);
	lose(choice, step, state);
	write_exec(choice, state);
	state->reg[choice->place[REG_VCC]] = CHOICE_UNKNOWN;
	state->reg[choice->place[REG_VCC + 1]] = CHOICE_UNKNOWN;
	if (step->insn->class == OP_AND_SAVEEXEC && (empty || is_empty(choice, mask)))
		state->exec = CHOICE_EXEC_EMPTY;
}

/* Executes instructions that select by the condition code. */
static void select_by_scc(struct choice *choice, struct choice_insn *step,
			  struct choice_state *state)
{
	const struct operand *to = &step->insn->operand[0];
	choice_id chosen[2], a, b;

	for (unsigned i = 0; i < to->count; i++) {
		a = source(choice, state, step, 1, i);
		b = source(choice, state, step, step->insn->class == OP_CMOV ? 0 : 2, i);
		chosen[i] = state->scc == TRUTH_YES  ? a
			    : state->scc == TRUTH_NO ? b
			    : a == b                 ? a
						     : CHOICE_UNKNOWN;
	}
	for (unsigned i = 0; i < to->count; i++)
		write_operand(choice, state, to, i, chosen[i]);
}

/* Computes the result. Returns false if it is not followed. */
static bool compute(struct choice *choice, struct choice_insn *step, struct choice_state *state)
{
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operand[0];
	choice_id a[2] = { 0 }, b[2] = { 0 }, result[2];
	uint32_t constant;

	for (unsigned i = 0; i < to->count; i++) {
		a[i] = source(choice, state, step, 1, i);
		if (insn->operand_count > 2)
			b[i] = source(choice, state, step, 2, i);
	}
	if (step->extends && choice_is_constant(choice, a[0], &constant))
		a[0] = choice_constant(choice, (uint32_t)(int32_t)(int16_t)constant);
	for (unsigned i = 0; i < to->count; i++)
		if (!combine(choice, step, a, b, i, &result[i]))
			return false;
	if (insn->class == OP_ADD || insn->class == OP_ADD64 || insn->class == OP_SUB)
		state->scc = TRUTH_UNKNOWN;
	else if (insn->class != OP_MOVE)
		state->scc = (uint8_t)choice_is_set(choice, result, to->count);
	for (unsigned i = 0; i < to->count; i++)
		write_operand(choice, state, to, i, result[i]);
	if (to->reg == REG_EXEC && is_empty(choice, result))
		state->exec = CHOICE_EXEC_EMPTY;
	return true;
}

/* Loses the vector registers that it writes; a flag is kept. */
static void lose_vectors(struct choice *choice, struct choice_insn *step,
			 struct choice_state *state)
{
	const struct insn *insn = step->insn;
	choice_id flag = CHOICE_UNKNOWN;

	if (step->makes_flag) {
		int taken = choice_selects(choice, insn, state);

		if (taken)
			flag = source(choice, state, step, (unsigned)taken, 0);
	}
	for (unsigned k = 0; step->vectors >> k; k++)
		if (step->vectors >> k & 1)
			state->reg[choice->place[REG_VECTOR + k]] = flag;
	state->by_exec |= flag != CHOICE_UNKNOWN;
}

void choice_step(struct choice *choice, struct choice_insn *step, struct choice_state *state)
{
	if (step->vectors || step->makes_flag)
		lose_vectors(choice, step, state);
	switch (step->action) {
	case ACTION_LOSE_ALL:
		choice->lost |= step->insn->class == OP_SETPC || step->insn->class == OP_ODD;
		lose_all(choice, state);
		write_exec(choice, state);
		break;
	case ACTION_LOAD:
		load(choice, step, state);
		break;
	case ACTION_COMPARE_SCALAR:
		state->scc = (uint8_t)compare(choice, step, state, 0);
		break;
	case ACTION_COMPARE_WIDE:
		state->scc = (uint8_t)compare_wide(choice, step, state);
		break;
	case ACTION_TEST_BIT:
		state->scc = (uint8_t)test_bit(choice, step, state);
		break;
	case ACTION_TEST_NO_BIT:
		state->scc = (uint8_t)choice_negate(test_bit(choice, step, state));
		break;
	case ACTION_COMPARE_VECTOR:
		compare_vector(choice, step, state);
		break;
	case ACTION_SELECT_SCC:
		select_by_scc(choice, step, state);
		break;
	case ACTION_COMPUTE:
		if (!compute(choice, step, state))
			lose(choice, step, state);
		break;
	case ACTION_MASKS:
		save_exec(choice, step, state);
		break;
	default:
		lose(choice, step, state);
		break;
	}
}

int choice_selects(const struct choice *choice, const struct insn *insn,
		   const struct choice_state *state)
{
	bool all = true, none = true;
	unsigned reg = REG_VCC;
	uint32_t constant;

	if (insn->traits & INSN_SCALAR)
		return state->scc == TRUTH_YES ? 1 : state->scc == TRUTH_NO ? 2 : 0;
	if (insn->operand_count > 3) {
		if (!choice_is_scalar(&insn->operand[3]))
			return 0;
		reg = insn->operand[3].reg;
	}
	for (unsigned i = 0; i < choice->mask_dwords && reg + i < REG_VECTOR; i++) {
		choice_id id = state->reg[choice->place[reg + i]];
		bool known = choice_is_constant(choice, id, &constant);

		all &= id == CHOICE_ALL || (known && constant == UINT32_MAX);
		none &= known && !constant;
	}
	return all ? 2 : none ? 1 : 0;
}

static enum choice_truth exec_empty(const struct choice_state *state)
{
	return state->exec == CHOICE_EXEC_BEGUN   ? TRUTH_NO
	       : state->exec == CHOICE_EXEC_EMPTY ? TRUTH_YES
						  : TRUTH_UNKNOWN;
}

enum choice_truth choice_taken(struct choice *choice, enum choice_branch branch,
			       const struct choice_state *state)
{
	switch (branch) {
	case BRANCH_SCC0:
		return choice_negate((enum choice_truth)state->scc);
	case BRANCH_SCC1:
		return (enum choice_truth)state->scc;
	case BRANCH_VCC_ZERO:
		return choice_negate(choice_is_set(choice, &state->reg[choice->place[REG_VCC]],
						   choice->mask_dwords));
	case BRANCH_VCC_NOT_ZERO:
		return choice_is_set(choice, &state->reg[choice->place[REG_VCC]],
				     choice->mask_dwords);
	/* clang ends an if by a jump that is always taken, over the else that follows. */
	case BRANCH_EXEC_ZERO:
		return exec_empty(state);
	case BRANCH_EXEC_NOT_ZERO:
		return choice_negate(exec_empty(state));
	default:
		return TRUTH_UNKNOWN;
	}
}
