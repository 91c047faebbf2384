/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the effect of instructions to the witness's registers. */
#include "witness_search.h"

#include "concrete.h"

/* Returns true for a value that was loaded. */
static bool is_loaded(const struct choice *choice, choice_id id)
{
	const struct choice_node *node = choice_node_of(choice, id);

	return node && node->kind == CHOICE_LOADED;
}

void witness_read(const struct choice *choice, const struct insn *insn, uint32_t index,
		  struct witness_insn *read)
{
	const char *how = insn->mnemonic;

	memset(read, 0, sizeof(*read));
	choice_read(choice, insn, index, &read->own);
	read->counts_lanes = !strncmp(how, "v_mbcnt_", 8);
	if (insn->class != OP_COMPARE && insn->class != OP_COMPARE_EXEC)
		return;
	how += !strncmp(how, "v_cmpx_", 7) ? 7 : 6;
	read->wide = strstr(how, "64");
	read->is_signed = strstr(how, "_i");
	if (strstr(how, "_i32") || strstr(how, "_u32") || strstr(how, "_i64") ||
	    strstr(how, "_u64"))
		read->relation = (uint8_t)choice_relation_of(how);
}

/* ---- operands ---- */

/* Holds the instruction at hand; its second half reads what was there before the first one. */
struct step {
	struct choice *choice;
	struct witness_insn *read;
	const struct insn *insn;
	const struct witness_state *from;
	struct witness_state *to;
};

static choice_id source(const struct step *step, unsigned index, unsigned part)
{
	const struct operand *operand = &step->insn->operand[index];

	if (operand->kind == OPERAND_SHARED || operand->kind == OPERAND_PRIVATE)
		return witness_aperture(step->choice);

	if (operand->kind == OPERAND_CONST)
		return choice_constant(step->choice, (uint32_t)(operand->value >> (part ? 32 : 0)));
	if (operand->kind != OPERAND_REG || operand->half || part >= operand->count ||
	    operand->reg + part >= REG_COUNT)
		return CHOICE_UNKNOWN;
	return step->from->reg[operand->reg + part];
}

/* Returns the first source that was loaded: a result that is not known depends on it. */
static choice_id not_known(const struct step *step)
{
	for (unsigned i = step->read->own.destinations; i < step->insn->operand_count; i++) {
		const struct operand *operand = &step->insn->operand[i];

		for (unsigned k = 0; operand->kind == OPERAND_REG && k < operand->count && k < 4;
		     k++)
			if (operand->reg + k < REG_COUNT &&
			    is_loaded(step->choice, step->from->reg[operand->reg + k]))
				return step->from->reg[operand->reg + k];
	}
	return CHOICE_UNKNOWN;
}

static choice_id either(const struct choice *choice, choice_id a, choice_id b)
{
	int bit = witness_bit(choice, a);

	if (a == b)
		return a;
	return bit >= 0 && bit == witness_bit(choice, b) &&
		       (witness_is_lane(a) || witness_is_lane(b))
		   ? (bit ? LANE_IN : LANE_OUT)
		   : CHOICE_UNKNOWN;
}

static void put(const struct step *step, const struct operand *to, unsigned part, choice_id id)
{
	unsigned reg = to->reg + part;
	int active = witness_bit(step->choice, step->from->reg[REG_EXEC]);
	choice_id *place = &step->to->reg[reg];

	if (to->kind != OPERAND_REG || part >= to->count || reg >= REG_COUNT)
		return;
	if (to->half || step->insn->sdwa_dst)
		id = CHOICE_UNKNOWN;
	if (reg < REG_VECTOR || active == 1)
		*place = id;
	else if (active < 0) /* a loaded value is as unknown as anything, and says why */
		*place = is_loaded(step->choice, id) ? id : either(step->choice, *place, id);
}

static void put_all(const struct step *step, const struct operand *to, choice_id id)
{
	for (unsigned i = 0; to->kind == OPERAND_REG && i < to->count; i++)
		put(step, to, i, id);
}

/* Makes the destinations hold an unknown value, or `id`. */
static void lose(const struct step *step, choice_id id)
{
	for (unsigned i = 0; i < step->read->own.destinations && i < step->insn->operand_count; i++)
		put_all(step, &step->insn->operand[i], id);
	if (!step->read->own.keeps_scc) {
		step->to->scc = TRUTH_UNKNOWN;
		step->to->scc_why = id;
	}
}

/* ---- instructions ---- */

/* Returns what a load of whole dwords gives, if an evaluation knows it, else CHOICE_UNKNOWN. */
static choice_id known_word(const struct step *step, const choice_id *address, unsigned part)
{
	const struct launch_values *launch = step->choice->launch;
	const struct insn *insn = step->insn;
	uint32_t low, high, number, offset = 0;

	/* global_load: destination, address or offset, scalar address or off */
	if (!launch || insn->sub_dword || insn->atomic || !insn->load ||
	    (insn->family != MEM_SCALAR && insn->family != MEM_GLOBAL && insn->family != MEM_FLAT))
		return CHOICE_UNKNOWN;
	if (insn->operand[1].count == 1) {
		if (!choice_is_constant(step->choice, address[0], &offset))
			return CHOICE_UNKNOWN;
		if (!choice_is_constant(step->choice, source(step, 2, 0), &low) ||
		    !choice_is_constant(step->choice, source(step, 2, 1), &high))
			return CHOICE_UNKNOWN;
	} else {
		if (!choice_is_constant(step->choice, address[0], &low) ||
		    !choice_is_constant(step->choice, address[1], &high))
			return CHOICE_UNKNOWN;
		if (insn->family == MEM_SCALAR && insn->operand_count > 2 &&
		    !choice_is_constant(step->choice, source(step, 2, 0), &offset))
			return CHOICE_UNKNOWN;
	}
	if (!launch->launch->memory(launch->launch->user,
				    ((uint64_t)high << 32 | low) + offset +
					(uint64_t)(int64_t)insn->offset + 4 * part,
				    4, &number))
		return CHOICE_UNKNOWN;
	return choice_constant(step->choice, number);
}

static void step_load(const struct step *step)
{
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operand[0];
	choice_id address[2] = { source(step, 1, 0), source(step, 1, 1) }, loaded;
	uint32_t at;
	bool known;

	if (insn->lds || (insn->atomic ? !insn->returns : !insn->load && insn->store))
		return;
	loaded = choice_node(step->choice, CHOICE_LOADED, &(struct isa_field){ .add = insn->pc });
	known = choice_reads_arguments(step->choice, insn, address, source(step, 2, 0), &at);
	for (unsigned i = 0; to->kind == OPERAND_REG && i < to->count; i++) {
		choice_id word = known ? choice_argument(step->choice, at + 4 * i)
				       : known_word(step, address, i);

		put(step, to, i, word == CHOICE_UNKNOWN ? loaded : word);
	}
}

static bool is_aperture(const struct choice *choice, choice_id id)
{
	const struct choice_node *node = choice_node_of(choice, id);

	return node && node->kind == CHOICE_APERTURE;
}

/*
 * HIP's headers test if a pointer leads to LDS or private memory, and use an instruction for global
 * memory only if it does not. Callers need to know if an atomic is executed on memory that its
 * pointer leads to: for one that leads elsewhere the answer does not matter.
 */
static bool asks_for_space(const struct step *step, choice_id a, choice_id b)
{
	uint32_t constant;

	return is_aperture(step->choice, a) != is_aperture(step->choice, b) &&
	       !choice_is_constant(step->choice, a, &constant) &&
	       !choice_is_constant(step->choice, b, &constant);
}

static enum choice_truth compare(const struct step *step, unsigned first, bool wide,
				 enum choice_relation relation, bool is_signed)
{
	choice_id a[2], b[2];

	for (unsigned i = 0; i < 2; i++) {
		a[i] = source(step, first, i);
		b[i] = source(step, first + 1, i);
	}
	if (!wide && (relation == RELATION_EQUAL || relation == RELATION_DIFFERENT) &&
	    asks_for_space(step, a[0], b[0]))
		return relation == RELATION_EQUAL ? TRUTH_NO : TRUTH_YES;
	return wide ? choice_compare_wide(step->choice, relation, is_signed, a, b)
		    : choice_compare(step->choice, relation, is_signed, a[0], b[0]);
}

static void compare_vector(const struct step *step)
{
	const struct insn *insn = step->insn;
	bool to_exec = insn->class == OP_COMPARE_EXEC;
	unsigned first = insn->operand_count > 2;
	int active = witness_bit(step->choice, step->from->reg[REG_EXEC]);
	enum choice_truth truth = TRUTH_UNKNOWN;
	choice_id result;

	if (!insn->sdwa && !insn->dpp && insn->operand_count >= 2)
		truth = compare(step, first, step->read->wide,
				(enum choice_relation)step->read->relation, step->read->is_signed);
	if (!active || truth == TRUTH_NO)
		result = LANE_OUT;
	else if (active < 0 || truth == TRUTH_UNKNOWN)
		result = not_known(step);
	else
		result = LANE_IN;
	if (first) {
		put_all(step, &insn->operand[0], CHOICE_UNKNOWN);
		put(step, &insn->operand[0], 0, result);
	}
	if (to_exec) {
		step->to->reg[REG_EXEC] = result;
		step->to->reg[REG_EXEC + 1] = CHOICE_UNKNOWN;
	}
}

static void compare_scalar(const struct step *step)
{
	const struct choice_insn *own = &step->read->own;
	choice_id value = source(step, 0, 0);
	enum choice_truth truth = TRUTH_UNKNOWN;

	switch (own->action) {
	case ACTION_COMPARE_WIDE:
		truth = compare(step, 0, true, (enum choice_relation)own->relation, false);
		break;
	case ACTION_COMPARE_SCALAR:
		if (!own->extends)
			truth = compare(step, 0, false, (enum choice_relation)own->relation,
					own->is_signed);
		break;
	case ACTION_TEST_BIT:
	case ACTION_TEST_NO_BIT:
		if (!witness_is_lane(value))
			truth = choice_test_bit(step->choice, value, source(step, 1, 0));
		if (own->action == ACTION_TEST_NO_BIT)
			truth = choice_negate(truth);
		break;
	default:
		break;
	}
	step->to->scc = (uint8_t)truth;
	step->to->scc_why = truth == TRUTH_UNKNOWN ? not_known(step) : CHOICE_UNKNOWN;
}

/* Executes s_and_saveexec and similar instructions: the destination becomes the old exec. */
static void save_exec(const struct step *step)
{
	choice_id old = step->from->reg[REG_EXEC], mask = source(step, 1, 0), result;
	choice_id high = step->from->reg[REG_EXEC + 1];

	switch (step->insn->class) {
	case OP_AND_SAVEEXEC:
		result = witness_and(step->choice, mask, old);
		break;
	case OP_ANDN2_SAVEEXEC:
		result = witness_and_not(step->choice, mask, old);
		break;
	case OP_OR_SAVEEXEC:
		result = witness_or(step->choice, mask, old);
		break;
	default:
		result = !strncmp(step->insn->mnemonic, "s_xor_saveexec", 14)
			     ? witness_xor(step->choice, mask, old)
			     : CHOICE_UNKNOWN;
		break;
	}
	if (result == CHOICE_UNKNOWN)
		result = not_known(step);
	if (strstr(step->insn->mnemonic, "wrexec"))
		old = high = CHOICE_UNKNOWN; /* it is exec as it becomes */
	put(step, &step->insn->operand[0], 0, old);
	put(step, &step->insn->operand[0], 1, high);
	step->to->reg[REG_EXEC] = result;
	step->to->reg[REG_EXEC + 1] = CHOICE_UNKNOWN;
	step->to->scc = result == LANE_IN ? TRUTH_YES : TRUTH_UNKNOWN;
	step->to->scc_why = result;
}

/* Returns the number of the source that a selection takes, 1 or 2; or 0 if it is not known. */
static unsigned selected(const struct step *step)
{
	const struct insn *insn = step->insn;
	int bit;

	if (insn->traits & INSN_SCALAR)
		return step->from->scc == TRUTH_YES ? 1 : step->from->scc == TRUTH_NO ? 2 : 0;
	bit = witness_bit(step->choice,
			  insn->operand_count > 3 ? source(step, 3, 0) : step->from->reg[REG_VCC]);
	return bit < 0 ? 0 : bit ? 2 : 1;
}

static void step_carry(const struct step *step)
{
	const struct insn *insn = step->insn;
	bool reversed = insn->class == OP_SUBREV_CARRY_OUT;
	choice_id a = source(step, reversed ? 3 : 2, 0), b = source(step, reversed ? 2 : 3, 0);
	choice_id result;
	int carry = insn->operand_count > 4 ? witness_bit(step->choice, source(step, 4, 0)) : 0;

	result =
	    witness_add_carry(step->choice, a, b, carry, insn->class != OP_ADD_CARRY_OUT, &carry);
	put(step, &insn->operand[0], 0, result == CHOICE_UNKNOWN ? not_known(step) : result);
	put_all(step, &insn->operand[1], CHOICE_UNKNOWN);
	put(step, &insn->operand[1], 0,
	    witness_bit(step->choice, step->from->reg[REG_EXEC]) == 1 ? witness_lane(carry)
								      : CHOICE_UNKNOWN);
}

/* Computes s_add_u32, s_addc_u32 and so on, whose condition code is the carry. */
static void add_scalar(const struct step *step)
{
	struct choice *choice = step->choice;
	bool carries = step->read->own.carries;
	choice_id a = source(step, 1, 0), b = source(step, 2, 0), result;
	int carry = !carries                       ? 0
		    : step->from->scc == TRUTH_YES ? 1
		    : step->from->scc == TRUTH_NO  ? 0
						   : -1;
	bool is_signed = strstr(step->insn->mnemonic, "_i32");

	if (carries && a == CHOICE_UPPER)
		result = choice_add_upper(choice, a, b);
	else
		result = witness_add_carry(choice, a, b, carry, false, &carry);
	put(step, &step->insn->operand[0], 0, result == CHOICE_UNKNOWN ? not_known(step) : result);
	step->to->scc = is_signed || carry < 0 || a == CHOICE_UPPER ? TRUTH_UNKNOWN
			: carry                                     ? TRUTH_YES
								    : TRUTH_NO;
	step->to->scc_why = CHOICE_UNKNOWN;
}

static void lose_all(const struct step *step)
{
	for (unsigned i = 0; i < REG_COUNT; i++)
		if (i != REG_EXEC && i != REG_EXEC + 1)
			step->to->reg[i] = CHOICE_UNKNOWN;
	/* A function leaves exec as it was [LUG, "Non-Kernel Functions"]. */
	if (step->insn->class == OP_UNKNOWN || step->insn->class == OP_ODD)
		step->to->reg[REG_EXEC] = step->to->reg[REG_EXEC + 1] = CHOICE_UNKNOWN;
	step->to->scc = TRUTH_UNKNOWN;
	step->to->scc_why = CHOICE_UNKNOWN;
}

static void compute(const struct step *step)
{
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operand[0];
	choice_id value[WITNESS_SOURCES][2], result[2] = { 0 }, all = CHOICE_UNKNOWN;
	bool known = insn->operand_count > 1 && to->kind == OPERAND_REG && to->count <= 2 &&
		     !insn->sdwa && !insn->dpp &&
		     (insn->traits & INSN_VECTOR || step->read->own.action == ACTION_COMPUTE ||
		      step->read->own.action == ACTION_SELECT_SCC || insn->class == OP_MUL ||
		      insn->class == OP_LSHL || insn->class == OP_LSHR || insn->class == OP_ASHR ||
		      insn->class == OP_MIX);

	for (unsigned i = 0; known && i < WITNESS_SOURCES; i++)
		for (unsigned part = 0; part < 2; part++)
			value[i][part] = source(step, i, part);
	if (!known || !witness_result(step->choice, step->read, value,
				      insn->class == OP_SELECT ? selected(step) : 0, result)) {
		lose(step, not_known(step));
		return;
	}
	for (unsigned i = 0; i < to->count; i++) {
		if (result[i] == CHOICE_UNKNOWN)
			result[i] = not_known(step);
		all = result[i] == LANE_IN ? LANE_IN : all;
	}
	for (unsigned i = 0; i < to->count; i++)
		put(step, to, i, result[i]);
	if (step->read->own.keeps_scc || insn->class == OP_SELECT)
		return;
	if (insn->class == OP_SUB || insn->class == OP_MIX) { /* a borrow; which one it was */
		step->to->scc = TRUTH_UNKNOWN;
		step->to->scc_why = CHOICE_UNKNOWN;
		return;
	}
	step->to->scc = all == LANE_IN ? (uint8_t)TRUTH_YES
				       : (uint8_t)choice_is_set(step->choice, result, to->count);
	step->to->scc_why = result[0];
}

static void one(const struct step *step)
{
	const struct insn *insn = step->insn;
	uint32_t number;

	if (step->read->own.destinations == INSN_OPERANDS) {
		lose_all(step);
		return;
	}
	switch (insn->class) {
	case OP_NOTHING:
		if (!step->read->own.keeps_scc)
			break;
		return;
	case OP_BARRIER:
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
	case OP_END:
		return;
	case OP_MEMORY:
		step_load(step);
		return;
	case OP_COMPARE:
	case OP_COMPARE_EXEC:
		compare_vector(step);
		return;
	case OP_COMPARE_SCALAR:
		compare_scalar(step);
		return;
	case OP_AND_SAVEEXEC:
	case OP_ANDN2_SAVEEXEC:
	case OP_OR_SAVEEXEC:
	case OP_OTHER_SAVEEXEC:
		save_exec(step);
		return;
	case OP_ADD_CARRY_OUT:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV_CARRY_OUT:
		if (insn->sdwa || insn->dpp || insn->operand_count < 4)
			break;
		step_carry(step);
		return;
	case OP_READ_FIRST:
		/* The witness is the first lane; where it is active no other is ahead of it. */
		if (witness_bit(step->choice, step->from->reg[REG_EXEC]) != 1)
			break;
		put_all(step, &insn->operand[0], source(step, 1, 0));
		return;
	case OP_WRITE_LANE:
		if (choice_is_constant(step->choice, source(step, 2, 0), &number) && number)
			return;
		if (insn->operand[0].kind == OPERAND_REG && insn->operand[0].reg < REG_COUNT)
			step->to->reg[insn->operand[0].reg] = CHOICE_UNKNOWN;
		return;
	case OP_READ_LANE:
		break;
	case OP_GETREG:
		if (insn->operand[1].kind != OPERAND_HWREG || !insn->operand[1].reg)
			break;
		put_all(step, &insn->operand[0], witness_aperture(step->choice));
		return;
	case OP_ADD:
		if (insn->traits & INSN_SCALAR && insn->operand_count == 3 &&
		    insn->operand[0].count == 1) {
			add_scalar(step);
			return;
		}
		/* fall through */
	default:
		compute(step);
		return;
	}
	lose(step, not_known(step));
}

void witness_step(struct choice *choice, struct witness_insn *read, struct witness_state *state)
{
	const struct insn *insn = read->own.insn;
	struct step step = { choice, read, insn, state, state };
	struct witness_state before;
	struct witness_insn second;

	if (!insn->dual) {
		one(&step);
		return;
	}
	before = *state;
	step.from = &before;
	one(&step);
	witness_read(choice, insn->dual, read->own.index, &second);
	step.read = &second;
	step.insn = insn->dual;
	one(&step);
}

/* Tells if a mask of the wave has any lane. */
static enum choice_truth any_lane(const struct choice *choice, const choice_id *mask)
{
	uint32_t low, high = 0;

	if (mask[0] == LANE_IN)
		return TRUTH_YES;
	if (!choice_is_constant(choice, mask[0], &low))
		return TRUTH_UNKNOWN;
	if (low)
		return TRUTH_YES;
	return choice->mask_dwords == 1 || (choice_is_constant(choice, mask[1], &high) && !high)
		   ? TRUTH_NO
		   : TRUTH_UNKNOWN;
}

enum choice_truth witness_taken(const struct choice *choice, const struct insn *insn,
				const struct witness_state *state, choice_id *why)
{
	enum choice_truth truth;

	*why = CHOICE_UNKNOWN;
	if (insn->class == OP_CBRANCH_EXECZ || insn->class == OP_CBRANCH_EXECNZ) {
		*why = state->reg[REG_EXEC];
		truth = any_lane(choice, &state->reg[REG_EXEC]);
		return insn->class == OP_CBRANCH_EXECZ ? choice_negate(truth) : truth;
	}
	switch (choice_read_branch(insn)) {
	case BRANCH_SCC0:
		*why = state->scc_why;
		return choice_negate((enum choice_truth)state->scc);
	case BRANCH_SCC1:
		*why = state->scc_why;
		return (enum choice_truth)state->scc;
	case BRANCH_VCC_ZERO:
		*why = state->reg[REG_VCC];
		return choice_negate(any_lane(choice, &state->reg[REG_VCC]));
	case BRANCH_VCC_NOT_ZERO:
		*why = state->reg[REG_VCC];
		return any_lane(choice, &state->reg[REG_VCC]);
	default:
		return TRUTH_UNKNOWN;
	}
}
