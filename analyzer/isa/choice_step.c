/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions make of scalar registers that hold constants and fields of the arguments. */
#include "choice.h"

#include <string.h>

static bool same_field(const struct isa_field *a, const struct isa_field *b)
{
	return a->kernarg == b->kernarg && a->wide == b->wide && a->shift == b->shift &&
	       a->mask == b->mask && a->add == b->add;
}

choice_id choice_node(struct choice *choice, enum choice_kind kind, const struct isa_field *field)
{
	uint64_t hash =
	    (field->kernarg + field->add * 31 + field->mask * 7 + field->shift + (unsigned)kind) *
	    UINT64_C(0x9e3779b97f4a7c15);
	unsigned at = (unsigned)(hash >> 40) % CHOICE_SLOTS;

	for (; choice->slot[at]; at = (at + 1) % CHOICE_SLOTS) {
		unsigned i = choice->slot[at] - 1u;

		if (choice->node[i].kind == kind && same_field(&choice->node[i].field, field))
			return CHOICE_NODES + i;
	}
	if (choice->node_count == CHOICE_NODES_MAX)
		return CHOICE_UNKNOWN;
	choice->node[choice->node_count] = (struct choice_node){ kind, *field };
	choice->slot[at] = (uint16_t)(choice->node_count + 1);
	return CHOICE_NODES + choice->node_count++;
}

choice_id choice_constant(struct choice *choice, uint32_t constant)
{
	return choice_node(choice, CHOICE_FIELD, &(struct isa_field){ .add = constant });
}

static const struct choice_node *node_of(const struct choice *choice, choice_id id)
{
	return id >= CHOICE_NODES ? &choice->node[id - CHOICE_NODES] : NULL;
}

static bool is_constant(const struct choice *choice, choice_id id, uint32_t *constant)
{
	const struct choice_node *node = node_of(choice, id);

	if (!node || node->kind != CHOICE_FIELD || node->field.mask)
		return false;
	*constant = (uint32_t)node->field.add;
	return true;
}

/* A field to which nothing was added. */
static const struct isa_field *plain_field(const struct choice *choice, choice_id id)
{
	const struct choice_node *node = node_of(choice, id);

	return node && node->kind == CHOICE_FIELD && node->field.mask && !node->field.add
		   ? &node->field
		   : NULL;
}

/* ---- operands ---- */

/* Where choice_state has a vector register; CHOICE_REGS: it is not followed. */
static unsigned vector_slot(const struct choice *choice, const struct operand *operand)
{
	for (unsigned i = 0; operand->kind == OPERAND_REG && i < choice->vector_count; i++)
		if (operand->reg <= choice->vector[i] &&
		    choice->vector[i] - operand->reg < operand->count)
			return REG_VECTOR + i;
	return CHOICE_REGS;
}

static bool is_scalar(const struct operand *operand)
{
	return operand->kind == OPERAND_REG && operand->reg < REG_VECTOR;
}

static choice_id read_operand(struct choice *choice, const struct choice_state *state,
			      const struct operand *operand, unsigned part)
{
	if (operand->kind == OPERAND_CONST)
		return choice_constant(choice, (uint32_t)(operand->value >> (part ? 32 : 0)));
	if (operand->kind == OPERAND_REG && operand->reg >= REG_VECTOR) {
		unsigned slot = vector_slot(choice, operand);

		return slot < CHOICE_REGS && operand->count == 1 && !operand->half
			   ? state->reg[slot]
			   : CHOICE_UNKNOWN;
	}
	if (!is_scalar(operand) || operand->half || part >= operand->count ||
	    operand->reg + part >= REG_VECTOR)
		return CHOICE_UNKNOWN;
	return state->reg[operand->reg + part];
}

static bool is_exec(unsigned reg)
{
	return reg >= REG_EXEC && reg < REG_EXEC + 2;
}

/* Masks and flags that were made by the old one say nothing of the new one. */
static void write_exec(struct choice_state *state)
{
	if (!state->by_exec)
		return;
	for (unsigned i = REG_VECTOR; i < CHOICE_REGS; i++)
		state->reg[i] = CHOICE_UNKNOWN;
	for (unsigned i = 0; i < REG_VECTOR; i++)
		if (!is_exec(i) && (state->reg[i] == CHOICE_ALL || state->reg[i] == CHOICE_NONE))
			state->reg[i] = CHOICE_UNKNOWN;
	state->by_exec = false;
}

static void write_reg(struct choice_state *state, unsigned reg, choice_id id)
{
	if (is_exec(reg))
		write_exec(state);
	else if (reg < REG_VECTOR)
		state->reg[reg] = id;
	state->by_exec |= id == CHOICE_ALL || id == CHOICE_NONE;
}

static void write_operand(struct choice_state *state, const struct operand *operand, unsigned part,
			  choice_id id)
{
	if (is_scalar(operand) && part < operand->count)
		write_reg(state, operand->reg + part, id);
}

static void lose_operand(struct choice_state *state, const struct operand *operand)
{
	for (unsigned i = 0; is_scalar(operand) && i < operand->count; i++)
		write_reg(state, operand->reg + i, CHOICE_UNKNOWN);
}

static void lose_all(struct choice_state *state)
{
	for (unsigned i = 0; i < CHOICE_REGS; i++)
		if (!is_exec(i))
			state->reg[i] = CHOICE_UNKNOWN;
	state->scc = TRUTH_UNKNOWN;
}

/* ---- tests ---- */

static enum choice_truth truth_of(bool yes)
{
	return yes ? TRUTH_YES : TRUTH_NO;
}

static enum choice_truth negate(enum choice_truth truth)
{
	return truth == TRUTH_YES ? TRUTH_NO : truth == TRUTH_NO ? TRUTH_YES : truth;
}

static bool constant_test(const struct isa_condition *condition)
{
	uint64_t a = condition->left.add, b = condition->right.add;

	if (condition->test == ISA_TEST_EQUAL)
		return a == b;
	return condition->test == ISA_TEST_LESS ? a < b : (int32_t)a < (int32_t)b;
}

static bool same_condition(const struct isa_condition *a, const struct isa_condition *b)
{
	return a->test == b->test && same_field(&a->left, &b->left) &&
	       same_field(&a->right, &b->right);
}

/* The result that is assumed of a comparison of two numbers. */
static enum choice_truth ask(struct choice *choice, struct isa_condition condition)
{
	unsigned i;

	if (!condition.left.mask && !condition.right.mask)
		return truth_of(constant_test(&condition));
	if (condition.test == ISA_TEST_EQUAL &&
	    (!condition.left.mask ||
	     (condition.right.mask && condition.right.kernarg < condition.left.kernarg))) {
		struct isa_field left = condition.left;

		condition.left = condition.right;
		condition.right = left;
	}
	/* Of one bit: there is one condition about it. */
	if (condition.test == ISA_TEST_EQUAL && condition.left.mask == 1 && !condition.left.add &&
	    !condition.right.mask && condition.right.add == 1) {
		condition.right.add = 0;
		return negate(ask(choice, condition));
	}
	for (i = 0; i < choice->condition_count; i++)
		if (same_condition(&choice->condition[i], &condition))
			return (enum choice_truth)choice->truth[i];
	if (choice->learning && i < CHOICE_CONDITIONS_MAX) {
		choice->condition[i] = condition;
		choice->truth[i] = TRUTH_UNKNOWN;
		choice->condition_count++;
	}
	return TRUTH_UNKNOWN;
}

static enum choice_truth test(struct choice *choice, enum isa_test kind, choice_id left,
			      choice_id right);

/* Whether two fields are combined to 0: to be known of the same bit of both, and of no other. */
static enum choice_truth test_combined(struct choice *choice, enum choice_kind kind, choice_id a,
				       choice_id b)
{
	choice_id zero = choice_constant(choice, 0);
	const struct isa_field *x = plain_field(choice, a), *y = plain_field(choice, b);
	enum choice_truth first, second, decides = kind == CHOICE_AND ? TRUTH_YES : TRUTH_NO;

	if (!x || !y || (kind == CHOICE_AND && (x->mask != y->mask || x->mask & (x->mask - 1))))
		return TRUTH_UNKNOWN;
	first = test(choice, ISA_TEST_EQUAL, a, zero);
	second = test(choice, ISA_TEST_EQUAL, b, zero);
	if (first == decides || second == decides)
		return decides;
	return first == second ? first : TRUTH_UNKNOWN;
}

static enum choice_truth test(struct choice *choice, enum isa_test kind, choice_id left,
			      choice_id right)
{
	const struct choice_node *a = node_of(choice, left), *b = node_of(choice, right);
	uint32_t zero;

	if (a && b && kind == ISA_TEST_EQUAL && (a->kind == CHOICE_AND || a->kind == CHOICE_OR) &&
	    is_constant(choice, right, &zero) && !zero)
		return test_combined(choice, a->kind, (choice_id)a->field.kernarg,
				     (choice_id)a->field.add);
	if (!a || !b || a->kind != CHOICE_FIELD || b->kind != CHOICE_FIELD)
		return TRUTH_UNKNOWN;
	return ask(choice, (struct isa_condition){ kind, a->field, b->field });
}

/* Both halves: of a whole word of the arguments, or of a constant. */
static bool wide_field(const struct choice *choice, choice_id low, choice_id high,
		       struct isa_field *field)
{
	const struct isa_field *a = plain_field(choice, low), *b = plain_field(choice, high);
	uint32_t x = 0, y = 0;

	if (is_constant(choice, low, &x) && is_constant(choice, high, &y)) {
		*field = (struct isa_field){ .wide = true, .add = (uint64_t)y << 32 | x };
		return true;
	}
	if (!a || !b || a->mask != UINT32_MAX || b->mask != UINT32_MAX ||
	    b->kernarg != a->kernarg + 4)
		return false;
	*field = (struct isa_field){ .kernarg = a->kernarg, .wide = true, .mask = UINT64_MAX };
	return true;
}

/* "eq", "lg" and so on of a comparison without its prefix. */
static enum choice_truth compare(struct choice *choice, const char *how, choice_id left,
				 choice_id right)
{
	enum isa_test less = strstr(how, "_i32") ? ISA_TEST_LESS_SIGNED : ISA_TEST_LESS;

	if (!strstr(how, "_u32") && !strstr(how, "_i32"))
		return TRUTH_UNKNOWN;
	if (!strncmp(how, "eq_", 3))
		return test(choice, ISA_TEST_EQUAL, left, right);
	if (!strncmp(how, "lg_", 3) || !strncmp(how, "ne_", 3))
		return negate(test(choice, ISA_TEST_EQUAL, left, right));
	if (!strncmp(how, "lt_", 3))
		return test(choice, less, left, right);
	if (!strncmp(how, "ge_", 3))
		return negate(test(choice, less, left, right));
	if (!strncmp(how, "gt_", 3))
		return test(choice, less, right, left);
	if (!strncmp(how, "le_", 3))
		return negate(test(choice, less, right, left));
	return TRUTH_UNKNOWN;
}

/* ---- arithmetic ---- */

static choice_id combine_fields(struct choice *choice, enum choice_kind kind, choice_id a,
				choice_id b)
{
	if (!plain_field(choice, a) || !plain_field(choice, b))
		return CHOICE_UNKNOWN;
	return choice_node(choice, kind,
			   &(struct isa_field){ .kernarg = a < b ? a : b, .add = a < b ? b : a });
}

/* What an operation on each of two combined fields makes of both; false: it is no such. */
static bool of_both(struct choice *choice, choice_id value, uint32_t number,
		    choice_id (*operation)(struct choice *, choice_id, uint32_t), choice_id *result)
{
	const struct choice_node *node = node_of(choice, value);
	enum choice_kind kind;
	choice_id a, b;

	if (!node || (node->kind != CHOICE_AND && node->kind != CHOICE_OR))
		return false;
	kind = node->kind;
	a = (choice_id)node->field.kernarg;
	b = (choice_id)node->field.add;
	*result = combine_fields(choice, kind, operation(choice, a, number),
				 operation(choice, b, number));
	return true;
}

static choice_id and_field(struct choice *choice, choice_id value, uint32_t mask)
{
	const struct isa_field *field = plain_field(choice, value);
	struct isa_field masked;
	choice_id both;

	if (of_both(choice, value, mask, and_field, &both))
		return both;

	if (!field)
		return CHOICE_UNKNOWN;
	masked = *field;
	masked.mask &= mask;
	return masked.mask ? choice_node(choice, CHOICE_FIELD, &masked)
			   : choice_constant(choice, 0);
}

static choice_id shift_right(struct choice *choice, choice_id value, uint32_t count)
{
	const struct isa_field *field = plain_field(choice, value);
	struct isa_field shifted;
	uint32_t constant;
	choice_id both;

	count &= 31;
	if (of_both(choice, value, count, shift_right, &both))
		return both;
	if (is_constant(choice, value, &constant))
		return choice_constant(choice, constant >> count);
	if (!field)
		return CHOICE_UNKNOWN;
	shifted = *field;
	shifted.shift = (uint8_t)(shifted.shift + count);
	shifted.mask >>= count;
	return shifted.mask ? choice_node(choice, CHOICE_FIELD, &shifted)
			    : choice_constant(choice, 0);
}

static choice_id and_not(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = is_constant(choice, a, &x), right = is_constant(choice, b, &y);

	if (left && right)
		return choice_constant(choice, x & ~y);
	if ((left && !x) || (right && y == UINT32_MAX) || (a == CHOICE_ALL && b == CHOICE_ALL))
		return choice_constant(choice, 0);
	if (right && !y)
		return a;
	if (a == CHOICE_ALL && b == CHOICE_NONE)
		return CHOICE_ALL;
	return right ? and_field(choice, a, ~y) : CHOICE_UNKNOWN;
}

static choice_id and_of(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = is_constant(choice, a, &x), right = is_constant(choice, b, &y);

	if (left && right)
		return choice_constant(choice, x & y);
	if ((left && !x) || (right && !y))
		return choice_constant(choice, 0);
	if (left && x == UINT32_MAX)
		return b;
	if (right && y == UINT32_MAX)
		return a;
	if (a == b)
		return a;
	if ((a == CHOICE_ALL && b == CHOICE_NONE) || (a == CHOICE_NONE && b == CHOICE_ALL))
		return choice_constant(choice, 0);
	return left    ? and_field(choice, b, x)
	       : right ? and_field(choice, a, y)
		       : combine_fields(choice, CHOICE_AND, a, b);
}

static choice_id or_of(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = is_constant(choice, a, &x), right = is_constant(choice, b, &y);

	if (left && right)
		return choice_constant(choice, x | y);
	if (left && !x)
		return b;
	if ((right && !y) || a == b)
		return a;
	return combine_fields(choice, CHOICE_OR, a, b);
}

static choice_id xor_of(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = is_constant(choice, a, &x), right = is_constant(choice, b, &y);

	if (left && right)
		return choice_constant(choice, x ^ y);
	if (left && !x)
		return b;
	if (right && !y)
		return a;
	if (left && x == UINT32_MAX)
		a = b;
	else if (!right || y != UINT32_MAX)
		return CHOICE_UNKNOWN;
	return a == CHOICE_ALL ? CHOICE_NONE : a == CHOICE_NONE ? CHOICE_ALL : CHOICE_UNKNOWN;
}

static choice_id add_of(struct choice *choice, choice_id a, choice_id b, bool subtract)
{
	const struct choice_node *node;
	enum choice_kind kind;
	struct isa_field sum;
	uint32_t x = 0, y = 0;
	bool left = is_constant(choice, a, &x), right = is_constant(choice, b, &y);

	if (!left && !right)
		return CHOICE_UNKNOWN;
	if (left && right)
		return choice_constant(choice, subtract ? x - y : x + y);
	if (left && subtract)
		return CHOICE_UNKNOWN;
	node = node_of(choice, left ? b : a);
	if (!node || (node->kind != CHOICE_FIELD && node->kind != CHOICE_POINTER))
		return CHOICE_UNKNOWN;
	kind = node->kind;
	sum = node->field;
	sum.add = (uint32_t)(subtract ? sum.add - y : sum.add + (left ? x : y));
	return choice_node(choice, kind, &sum);
}

/* The upper half of a sum: addresses in the kernarg segment differ in the lower one. */
static choice_id add_upper(const struct choice *choice, choice_id a, choice_id b)
{
	uint32_t zero;

	return a == CHOICE_UPPER && is_constant(choice, b, &zero) && !zero ? a : CHOICE_UNKNOWN;
}

/* Whether a result differs from 0. */
static enum choice_truth is_set(struct choice *choice, const choice_id *result, unsigned dwords)
{
	bool zero = true, all = true;
	uint32_t constant;

	for (unsigned i = 0; i < dwords; i++) {
		if (is_constant(choice, result[i], &constant)) {
			if (constant)
				return TRUTH_YES;
		} else {
			zero = false;
		}
		all &= result[i] == CHOICE_ALL;
	}
	if (zero || all)
		return truth_of(all);
	return dwords == 1
		   ? negate(test(choice, ISA_TEST_EQUAL, result[0], choice_constant(choice, 0)))
		   : TRUTH_UNKNOWN;
}

/* ---- instructions ---- */

static bool is_masks(const struct insn *insn)
{
	return insn->class == OP_AND_SAVEEXEC || insn->class == OP_ANDN2_SAVEEXEC ||
	       insn->class == OP_OR_SAVEEXEC || insn->class == OP_OTHER_SAVEEXEC ||
	       insn->class == OP_COMPARE_EXEC;
}

/* How many of the first operands it writes; INSN_OPERANDS: any scalar register. */
static unsigned destinations(const struct insn *insn)
{
	switch (insn->class) {
	case OP_NOTHING:
	case OP_BARRIER:
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
	case OP_END:
	case OP_COMPARE_SCALAR:
		return 0;
	case OP_ADD_CARRY_OUT:
	case OP_SUB_CARRY_OUT:
	case OP_SUBREV_CARRY_OUT:
	case OP_LAST_PLUS64:
	case OP_SWAP:
	case OP_COMPARE_EXEC:
		return 2;
	case OP_UNKNOWN:
	case OP_CALL:
	case OP_SETPC:
	case OP_ODD:
	case OP_INDEX_ON:
	case OP_INDEX_OFF:
	case OP_INDEX_SOURCE:
	case OP_INDEX_DEST:
		return INSN_OPERANDS;
	case OP_MEMORY:
		return insn->store && !insn->atomic ? 0 : 1;
	default:
		return insn->mnemonic[0] == 'v' && !strncmp(insn->mnemonic, "v_div_scale", 11) ? 2
											       : 1;
	}
}

/* v_cndmask of 0 and 1. */
static bool makes_flag(const struct insn *insn)
{
	return insn->class == OP_SELECT && insn->mnemonic[0] == 'v' && insn->operand_count >= 3 &&
	       insn->operand[0].count == 1 && !insn->sdwa && !insn->dpp &&
	       insn->operand[1].kind == OPERAND_CONST && insn->operand[2].kind == OPERAND_CONST;
}

void choice_follow(struct choice *choice, const struct insn *insn)
{
	if (makes_flag(insn) && choice->vector_count < CHOICE_VECTORS &&
	    vector_slot(choice, &insn->operand[0]) == CHOICE_REGS)
		choice->vector[choice->vector_count++] = insn->operand[0].reg;
}

bool choice_is_idle(const struct choice *choice, const struct insn *insn)
{
	unsigned count = destinations(insn);

	if (insn->class == OP_BRANCH || insn->class == OP_CBRANCH ||
	    insn->class == OP_CBRANCH_EXECZ || insn->class == OP_CBRANCH_EXECNZ ||
	    insn->class == OP_END)
		return true;
	if (insn->mnemonic[0] == 's' && insn->class != OP_NOTHING && insn->class != OP_MEMORY)
		return false;
	if (count == INSN_OPERANDS || insn->class == OP_COMPARE || insn->class == OP_SELECT ||
	    is_masks(insn))
		return false;
	for (unsigned i = 0; i < count && i < insn->operand_count; i++)
		if (is_scalar(&insn->operand[i]) ||
		    vector_slot(choice, &insn->operand[i]) < CHOICE_REGS)
			return false;
	return !insn->dual || choice_is_idle(choice, insn->dual);
}

static void load(struct choice *choice, const struct insn *insn, struct choice_state *state)
{
	const struct operand *to = &insn->operand[0], *base = &insn->operand[1];
	const struct choice_node *node = NULL;
	uint32_t offset = 0;
	bool known = insn->family == MEM_SCALAR && insn->load && !insn->sub_dword &&
		     insn->operand_count >= 2 && is_scalar(base);

	if (known) {
		node = node_of(choice, read_operand(choice, state, base, 0));
		known = node && node->kind == CHOICE_POINTER &&
			read_operand(choice, state, base, 1) == CHOICE_UPPER;
	}
	if (known && insn->operand_count >= 3)
		known =
		    is_constant(choice, read_operand(choice, state, &insn->operand[2], 0), &offset);
	if (known)
		offset += (uint32_t)node->field.add + (uint32_t)insn->offset;
	for (unsigned i = 0; is_scalar(to) && i < to->count; i++) {
		struct isa_field field = { .kernarg = offset + 4 * i, .mask = UINT32_MAX };

		write_reg(state, to->reg + i,
			  known && offset % 4 == 0 && offset < 1u << 20
			      ? choice_node(choice, CHOICE_FIELD, &field)
			      : CHOICE_UNKNOWN);
	}
}

static void compare_scalar(struct choice *choice, const struct insn *insn,
			   struct choice_state *state)
{
	const char *name = insn->mnemonic, *how = strchr(name, '_') + 1;
	choice_id a = read_operand(choice, state, &insn->operand[0], 0);
	choice_id b = read_operand(choice, state, &insn->operand[1], 0);
	uint32_t constant;

	state->scc = TRUTH_UNKNOWN;
	if (insn->operand_count < 2)
		return;
	if (!strcmp(name, "s_bitcmp0_b32") || !strcmp(name, "s_bitcmp1_b32")) {
		if (!is_constant(choice, b, &constant))
			return;
		a = and_of(choice, shift_right(choice, a, constant), choice_constant(choice, 1));
		state->scc = test(choice, ISA_TEST_EQUAL, a, choice_constant(choice, 0));
		if (name[8] == '1')
			state->scc = negate(state->scc);
		return;
	}
	how = strchr(how, '_') ? strchr(how, '_') + 1 : how;
	if (!strcmp(how, "eq_u64") || !strcmp(how, "lg_u64")) {
		struct isa_condition both = { .test = ISA_TEST_EQUAL };

		if (!wide_field(choice, a, read_operand(choice, state, &insn->operand[0], 1),
				&both.left) ||
		    !wide_field(choice, b, read_operand(choice, state, &insn->operand[1], 1),
				&both.right))
			return;
		state->scc = ask(choice, both);
		if (how[0] == 'l')
			state->scc = negate(state->scc);
		return;
	}
	/* Constants of 16 bits, which are printed as they are encoded. */
	if (!strncmp(name, "s_cmpk_", 7) && is_constant(choice, b, &constant) &&
	    strstr(how, "_i32"))
		b = choice_constant(choice, (uint32_t)(int32_t)(int16_t)constant);
	state->scc = compare(choice, how, a, b);
}

static void compare_vector(struct choice *choice, const struct insn *insn,
			   struct choice_state *state)
{
	enum choice_truth truth = TRUTH_UNKNOWN;
	choice_id result = CHOICE_UNKNOWN;

	if (insn->operand_count == 3 && !insn->sdwa && !insn->dpp &&
	    !strncmp(insn->mnemonic, "v_cmp_", 6)) {
		truth = compare(choice, insn->mnemonic + 6,
				read_operand(choice, state, &insn->operand[1], 0),
				read_operand(choice, state, &insn->operand[2], 0));
	}
	if (truth == TRUTH_YES)
		result = CHOICE_ALL;
	else if (truth == TRUTH_NO)
		result = choice_constant(choice, 0);
	for (unsigned i = 0; i < insn->operand[0].count; i++)
		write_operand(state, &insn->operand[0], i, result);
}

/* Of one dword; false: it is not followed. */
static bool combine(struct choice *choice, const struct insn *insn, const choice_id *a,
		    const choice_id *b, unsigned part, choice_id *result)
{
	uint32_t constant;

	switch (insn->class) {
	case OP_MOVE:
		*result = a[part];
		return true;
	case OP_AND:
		*result = and_of(choice, a[part], b[part]);
		return true;
	case OP_ANDN2:
		*result = and_not(choice, a[part], b[part]);
		return true;
	case OP_OR:
		*result = or_of(choice, a[part], b[part]);
		return true;
	case OP_XOR:
		*result = xor_of(choice, a[part], b[part]);
		return true;
	case OP_NOT:
		*result = xor_of(choice, a[part], choice_constant(choice, UINT32_MAX));
		return true;
	case OP_ADD:
		if (strstr(insn->mnemonic, "addc") || strstr(insn->mnemonic, "add_co_ci"))
			*result = add_upper(choice, a[0], b[0]);
		else
			*result = add_of(choice, a[0], b[0], false);
		return true;
	case OP_ADD64:
		*result = part ? add_upper(choice, a[1], b[1]) : add_of(choice, a[0], b[0], false);
		return true;
	case OP_SUB:
		if (strstr(insn->mnemonic, "subb") || strstr(insn->mnemonic, "sub_co_ci"))
			return false;
		*result = add_of(choice, a[0], b[0], true);
		return true;
	case OP_LSHR:
		if (insn->operand[0].count != 1 || !is_constant(choice, b[0], &constant))
			return false;
		*result = shift_right(choice, a[0], constant);
		return true;
	case OP_FIELD_PACKED:
		if (strcmp(insn->mnemonic, "s_bfe_u32") || !is_constant(choice, b[0], &constant))
			return false;
		*result = shift_right(choice, a[0], constant & 31);
		constant = constant >> 16 & 0x7f;
		if (constant < 32)
			*result =
			    and_of(choice, *result, choice_constant(choice, (1u << constant) - 1));
		return true;
	default:
		return false;
	}
}

/* Instructions that select by the condition code. */
static void select_by_scc(struct choice *choice, const struct insn *insn,
			  struct choice_state *state)
{
	const struct operand *to = &insn->operand[0];
	choice_id chosen[2], a, b;

	for (unsigned i = 0; i < to->count && i < 2; i++) {
		a = read_operand(choice, state, &insn->operand[1], i);
		b = read_operand(choice, state, &insn->operand[insn->class == OP_CMOV ? 0 : 2], i);
		chosen[i] = state->scc == TRUTH_YES  ? a
			    : state->scc == TRUTH_NO ? b
			    : a == b                 ? a
						     : CHOICE_UNKNOWN;
	}
	for (unsigned i = 0; i < to->count; i++)
		write_operand(state, to, i, i < 2 ? chosen[i] : CHOICE_UNKNOWN);
}

/* An instruction of the scalar unit with one destination of at most two dwords. */
static bool step_scalar(struct choice *choice, const struct insn *insn, struct choice_state *state)
{
	const struct operand *to = &insn->operand[0];
	choice_id a[2] = { 0 }, b[2] = { 0 }, result[2];
	uint32_t constant;
	bool known = true;

	if (insn->operand_count < 2 || !is_scalar(to) || to->count > 2)
		return false;
	if (!strcmp(insn->mnemonic, "s_cmovk_i32"))
		return false;
	if (insn->class == OP_SELECT || insn->class == OP_CMOV) {
		select_by_scc(choice, insn, state);
		return true;
	}
	if (insn->class != OP_MOVE && insn->class != OP_NOT && insn->operand_count < 3)
		return false;
	for (unsigned i = 0; i < to->count; i++) {
		a[i] = read_operand(choice, state, &insn->operand[1], i);
		if (insn->operand_count > 2)
			b[i] = read_operand(choice, state, &insn->operand[2], i);
	}
	/* Printed as it is encoded. */
	if (!strcmp(insn->mnemonic, "s_movk_i32") && is_constant(choice, a[0], &constant))
		a[0] = choice_constant(choice, (uint32_t)(int32_t)(int16_t)constant);
	for (unsigned i = 0; known && i < to->count; i++)
		known = combine(choice, insn, a, b, i, &result[i]);
	if (!known)
		return false;
	if (insn->class == OP_ADD || insn->class == OP_ADD64 || insn->class == OP_SUB)
		state->scc = TRUTH_UNKNOWN;
	else if (insn->class != OP_MOVE)
		state->scc = (uint8_t)is_set(choice, result, to->count);
	for (unsigned i = 0; i < to->count; i++)
		write_operand(state, to, i, result[i]);
	return true;
}

/* Instructions of the scalar unit that leave the condition code alone [LUG]. */
static bool keeps_scc(const struct insn *insn)
{
	static const char *const names[] = { "s_mul_", "s_pack_", "s_sext_" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (insn->mnemonic[2] == names[i][2] &&
		    !strncmp(insn->mnemonic, names[i], strlen(names[i])))
			return true;
	switch (insn->class) {
	case OP_MOVE:
	case OP_GETPC:
	case OP_GETREG:
		return true;
	case OP_NOTHING: /* gfx12's s_barrier_leave sets it */
		return strncmp(insn->mnemonic, "s_barrier", 9);
	default:
		return false;
	}
}

/* Vector registers that it writes; a flag is kept. */
static void lose_vectors(struct choice *choice, const struct insn *insn, unsigned count,
			 struct choice_state *state)
{
	choice_id flag = CHOICE_UNKNOWN;

	if (!choice->vector_count)
		return;
	if (makes_flag(insn)) {
		int taken = choice_selects(choice, insn, state);

		if (taken)
			flag = read_operand(choice, state, &insn->operand[taken], 0);
	}
	for (unsigned i = 0; i < count && i < insn->operand_count; i++)
		for (unsigned k = 0; k < choice->vector_count; k++)
			if (insn->operand[i].kind == OPERAND_REG &&
			    insn->operand[i].reg <= choice->vector[k] &&
			    choice->vector[k] - insn->operand[i].reg < insn->operand[i].count)
				state->reg[REG_VECTOR + k] = flag;
	state->by_exec |= flag != CHOICE_UNKNOWN;
}

void choice_step(struct choice *choice, const struct insn *insn, struct choice_state *state)
{
	unsigned count = destinations(insn), i;

	if (insn->dual)
		choice_step(choice, insn->dual, state);
	lose_vectors(choice, insn, count, state);
	if (insn->class == OP_SETPC || insn->class == OP_ODD)
		choice->lost = true;
	if (count == INSN_OPERANDS) {
		lose_all(state);
		write_exec(state);
		return;
	}
	if (insn->class == OP_MEMORY) {
		load(choice, insn, state);
		return;
	}
	if (insn->class == OP_COMPARE_SCALAR) {
		compare_scalar(choice, insn, state);
		return;
	}
	if (insn->class == OP_COMPARE) {
		compare_vector(choice, insn, state);
		return;
	}
	if (insn->mnemonic[0] == 's' && count && step_scalar(choice, insn, state))
		return;
	for (i = 0; i < count && i < insn->operand_count; i++)
		lose_operand(state, &insn->operand[i]);
	if (is_masks(insn)) {
		write_exec(state);
		state->reg[REG_VCC] = state->reg[REG_VCC + 1] = CHOICE_UNKNOWN;
	}
	if (insn->mnemonic[0] == 's' && !keeps_scc(insn))
		state->scc = TRUTH_UNKNOWN;
}

int choice_selects(struct choice *choice, const struct insn *insn, const struct choice_state *state)
{
	bool all = true, none = true;
	unsigned reg = REG_VCC;
	uint32_t constant;

	if (insn->mnemonic[0] == 's')
		return state->scc == TRUTH_YES ? 1 : state->scc == TRUTH_NO ? 2 : 0;
	if (insn->operand_count > 3) {
		if (!is_scalar(&insn->operand[3]))
			return 0;
		reg = insn->operand[3].reg;
	}
	for (unsigned i = 0; i < choice->mask_dwords && reg + i < REG_VECTOR; i++) {
		choice_id id = state->reg[reg + i];
		bool known = is_constant(choice, id, &constant);

		all &= id == CHOICE_ALL || (known && constant == UINT32_MAX);
		none &= known && !constant;
	}
	return all ? 2 : none ? 1 : 0;
}

enum choice_truth choice_branch(struct choice *choice, const struct insn *insn,
				const struct choice_state *state)
{
	const char *name = insn->mnemonic;

	if (insn->class != OP_CBRANCH)
		return TRUTH_UNKNOWN;
	if (!strcmp(name, "s_cbranch_scc1"))
		return (enum choice_truth)state->scc;
	if (!strcmp(name, "s_cbranch_scc0"))
		return negate((enum choice_truth)state->scc);
	if (!strcmp(name, "s_cbranch_vccnz"))
		return is_set(choice, &state->reg[REG_VCC], choice->mask_dwords);
	if (!strcmp(name, "s_cbranch_vccz"))
		return negate(is_set(choice, &state->reg[REG_VCC], choice->mask_dwords));
	return TRUTH_UNKNOWN;
}
