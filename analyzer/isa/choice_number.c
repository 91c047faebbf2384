/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and fields of the arguments: what arithmetic makes of them, and conditions on them. */
#include "choice_search.h"

#include "concrete.h"

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
			return (choice_id)(CHOICE_NODES + i);
	}
	if (choice->node_count == CHOICE_NODES_MAX)
		return CHOICE_UNKNOWN;
	choice->node[choice->node_count] = (struct choice_node){ kind, *field };
	choice->slot[at] = (uint16_t)(choice->node_count + 1);
	return (choice_id)(CHOICE_NODES + choice->node_count++);
}

choice_id choice_constant(struct choice *choice, uint32_t constant)
{
	return choice_node(choice, CHOICE_FIELD, &(struct isa_field){ .add = constant });
}

const struct choice_node *choice_node_of(const struct choice *choice, choice_id id)
{
	return id >= CHOICE_NODES ? &choice->node[id - CHOICE_NODES] : NULL;
}

bool choice_is_constant(const struct choice *choice, choice_id id, uint32_t *constant)
{
	const struct choice_node *node = choice_node_of(choice, id);

	if (!node || node->kind != CHOICE_FIELD || node->field.mask)
		return false;
	*constant = (uint32_t)node->field.add;
	return true;
}

/* Returns the field, if nothing was added to it, or NULL. */
static const struct isa_field *plain_field(const struct choice *choice, choice_id id)
{
	const struct choice_node *node = choice_node_of(choice, id);

	return node && node->kind == CHOICE_FIELD && node->field.mask && !node->field.add
		   ? &node->field
		   : NULL;
}
/* ---- tests ---- */

static enum choice_truth truth_of(bool yes)
{
	return yes ? TRUTH_YES : TRUTH_NO;
}

enum choice_truth choice_negate(enum choice_truth truth)
{
	return truth == TRUTH_YES ? TRUTH_NO : truth == TRUTH_NO ? TRUTH_YES : truth;
}

static bool constant_test(const struct isa_condition *condition)
{
	uint64_t a = condition->left.add, b = condition->right.add;

	if (condition->test == ISA_TEST_EQUAL)
		return a == b;
	if (condition->test == ISA_TEST_LESS)
		return a < b;
	return condition->left.wide ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
}

isa_when choice_like(unsigned results, unsigned consulted)
{
	isa_when bits = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (!((bit ^ results) & consulted))
			bits |= UINT64_C(1) << bit;
	return bits;
}

static bool same_condition(const struct isa_condition *a, const struct isa_condition *b)
{
	return a->test == b->test && same_field(&a->left, &b->left) &&
	       same_field(&a->right, &b->right);
}

/* Returns the result that is assumed of a comparison of two numbers. */
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
	/* There is one condition about a single bit: it is 0. */
	if (condition.test == ISA_TEST_EQUAL && condition.left.mask == 1 && !condition.left.add &&
	    !condition.right.mask && condition.right.add == 1) {
		condition.right.add = 0;
		return choice_negate(ask(choice, condition));
	}
	for (i = 0; i < choice->condition_count; i++)
		if (same_condition(&choice->condition[i], &condition)) {
			choice->consulted |= 1u << i;
			return (enum choice_truth)choice->truth[i];
		}
	if (choice->learning && i < CHOICE_CONDITIONS_MAX) {
		choice->condition[i] = condition;
		choice->truth[i] = TRUTH_UNKNOWN;
		choice->condition_count++;
	}
	return TRUTH_UNKNOWN;
}

static enum choice_truth test(struct choice *choice, enum isa_test kind, choice_id left,
			      choice_id right);

/* Tells if two fields are combined to 0: an AND is known of the same bit of both, of no other. */
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
	const struct choice_node *a = choice_node_of(choice, left),
				 *b = choice_node_of(choice, right);
	uint32_t zero;

	if (a && b && kind == ISA_TEST_EQUAL && (a->kind == CHOICE_AND || a->kind == CHOICE_OR) &&
	    choice_is_constant(choice, right, &zero) && !zero)
		return test_combined(choice, a->kind, (choice_id)a->field.kernarg,
				     (choice_id)a->field.add);
	if (!a || !b || a->kind != CHOICE_FIELD || b->kind != CHOICE_FIELD)
		return TRUTH_UNKNOWN;
	return ask(choice, (struct isa_condition){ kind, a->field, b->field });
}

/* Makes a field of both halves: of a whole word of the arguments, or of a constant. */
static bool wide_field(const struct choice *choice, choice_id low, choice_id high,
		       struct isa_field *field)
{
	const struct isa_field *a = plain_field(choice, low), *b = plain_field(choice, high);
	uint32_t x = 0, y = 0;

	if (choice_is_constant(choice, low, &x) && choice_is_constant(choice, high, &y)) {
		*field = (struct isa_field){ .wide = true, .add = (uint64_t)y << 32 | x };
		return true;
	}
	if (a && choice_is_constant(choice, high, &y) && !y) { /* without sign */
		*field = *a;
		return true;
	}
	if (!a || !b || a->mask != UINT32_MAX || b->mask != UINT32_MAX ||
	    b->kernarg != a->kernarg + 4)
		return false;
	*field = (struct isa_field){ .kernarg = a->kernarg, .wide = true, .mask = UINT64_MAX };
	return true;
}

/*
 * Returns the test that a relation makes, with its sides exchanged (*swap) or its result negated
 * (*negate).
 */
static enum isa_test test_of(enum choice_relation relation, bool is_signed, bool *swap,
			     bool *negate)
{
	bool equal = relation == RELATION_EQUAL || relation == RELATION_DIFFERENT;

	*swap = relation == RELATION_GREATER || relation == RELATION_LESS_EQUAL;
	*negate = relation == RELATION_DIFFERENT || relation == RELATION_GREATER_EQUAL ||
		  relation == RELATION_LESS_EQUAL;
	return equal ? ISA_TEST_EQUAL : is_signed ? ISA_TEST_LESS_SIGNED : ISA_TEST_LESS;
}

enum choice_truth choice_compare(struct choice *choice, enum choice_relation relation,
				 bool is_signed, choice_id left, choice_id right)
{
	enum choice_truth truth;
	enum isa_test kind;
	bool swap, negate;

	if (relation == RELATION_NONE)
		return TRUTH_UNKNOWN;
	kind = test_of(relation, is_signed, &swap, &negate);
	truth = swap ? test(choice, kind, right, left) : test(choice, kind, left, right);
	return negate ? choice_negate(truth) : truth;
}

enum choice_truth choice_compare_wide(struct choice *choice, enum choice_relation relation,
				      bool is_signed, const choice_id *left, const choice_id *right)
{
	struct isa_condition both = { 0 };
	enum choice_truth truth;
	bool swap, negate;

	if (relation == RELATION_NONE)
		return TRUTH_UNKNOWN;
	both.test = test_of(relation, is_signed, &swap, &negate);
	if (!wide_field(choice, left[0], left[1], swap ? &both.right : &both.left) ||
	    !wide_field(choice, right[0], right[1], swap ? &both.left : &both.right))
		return TRUTH_UNKNOWN;
	if (both.left.wide != both.right.wide) {
		/*
		 * A side has 32 bits without sign: a constant is converted to that, a word must
		 * not differ.
		 */
		struct isa_field *wide = both.left.wide ? &both.left : &both.right;

		if (wide->mask || wide->add > UINT32_MAX)
			return TRUTH_UNKNOWN;
		wide->wide = false;
	}
	if (both.test == ISA_TEST_LESS_SIGNED && !both.left.wide)
		both.test = ISA_TEST_LESS;
	truth = ask(choice, both);
	return negate ? choice_negate(truth) : truth;
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

/* Applies an operation to each of two combined fields. Returns false if the value is no such. */
static bool of_both(struct choice *choice, choice_id value, uint32_t number,
		    choice_id (*operation)(struct choice *, choice_id, uint32_t), choice_id *result)
{
	const struct choice_node *node = choice_node_of(choice, value);
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

choice_id choice_shift_right(struct choice *choice, choice_id value, uint32_t count)
{
	const struct isa_field *field = plain_field(choice, value);
	struct isa_field shifted;
	uint32_t constant;
	choice_id both;

	count &= 31;
	if (of_both(choice, value, count, choice_shift_right, &both))
		return both;
	if (choice_is_constant(choice, value, &constant))
		return choice_constant(choice, constant >> count);
	if (!field)
		return CHOICE_UNKNOWN;
	shifted = *field;
	shifted.shift = (uint8_t)(shifted.shift + count);
	shifted.mask >>= count;
	return shifted.mask ? choice_node(choice, CHOICE_FIELD, &shifted)
			    : choice_constant(choice, 0);
}

choice_id choice_and_not(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = choice_is_constant(choice, a, &x), right = choice_is_constant(choice, b, &y);

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

choice_id choice_and(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = choice_is_constant(choice, a, &x), right = choice_is_constant(choice, b, &y);

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

choice_id choice_or(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = choice_is_constant(choice, a, &x), right = choice_is_constant(choice, b, &y);

	if (left && right)
		return choice_constant(choice, x | y);
	if (left && !x)
		return b;
	if ((right && !y) || a == b)
		return a;
	return combine_fields(choice, CHOICE_OR, a, b);
}

choice_id choice_xor(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x = 0, y = 0;
	bool left = choice_is_constant(choice, a, &x), right = choice_is_constant(choice, b, &y);

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

choice_id choice_add(struct choice *choice, choice_id a, choice_id b, bool subtract)
{
	const struct choice_node *node;
	enum choice_kind kind;
	struct isa_field sum;
	uint32_t x = 0, y = 0;
	bool left = choice_is_constant(choice, a, &x), right = choice_is_constant(choice, b, &y);

	if (!left && !right)
		return CHOICE_UNKNOWN;
	if (left && right)
		return choice_constant(choice, subtract ? x - y : x + y);
	if (left && subtract)
		return CHOICE_UNKNOWN;
	node = choice_node_of(choice, left ? b : a);
	if (!node || (node->kind != CHOICE_FIELD && node->kind != CHOICE_POINTER))
		return CHOICE_UNKNOWN;
	kind = node->kind;
	sum = node->field;
	sum.add = (uint32_t)(subtract ? sum.add - y : sum.add + (left ? x : y));
	return choice_node(choice, kind, &sum);
}

choice_id choice_add_upper(const struct choice *choice, choice_id a, choice_id b)
{
	uint32_t zero;

	return a == CHOICE_UPPER && choice_is_constant(choice, b, &zero) && !zero ? a
										  : CHOICE_UNKNOWN;
}

choice_id choice_extract(struct choice *choice, choice_id value, uint32_t packed)
{
	unsigned width = packed >> 16 & 0x7f;

	value = choice_shift_right(choice, value, packed & 31);
	return width < 32 ? choice_and(choice, value, choice_constant(choice, (1u << width) - 1))
			  : value;
}

enum choice_truth choice_test_bit(struct choice *choice, choice_id value, choice_id number)
{
	uint32_t bit;

	if (!choice_is_constant(choice, number, &bit))
		return TRUTH_UNKNOWN;
	value =
	    choice_and(choice, choice_shift_right(choice, value, bit), choice_constant(choice, 1));
	return choice_compare(choice, RELATION_DIFFERENT, false, value, choice_constant(choice, 0));
}

enum choice_truth choice_is_set(struct choice *choice, const choice_id *result, unsigned dwords)
{
	bool zero = true, all = true;
	uint32_t constant;

	for (unsigned i = 0; i < dwords; i++) {
		if (choice_is_constant(choice, result[i], &constant)) {
			if (constant)
				return TRUTH_YES;
		} else {
			zero = false;
		}
		all &= result[i] == CHOICE_ALL;
	}
	if (zero || all)
		return truth_of(all);
	return dwords == 1 ? choice_negate(test(choice, ISA_TEST_EQUAL, result[0],
						choice_constant(choice, 0)))
			   : TRUTH_UNKNOWN;
}

/* ---- arguments ---- */

bool choice_reads_arguments(const struct choice *choice, const struct insn *insn,
			    const choice_id *address, choice_id offset, uint32_t *at)
{
	const struct choice_node *node = choice_node_of(choice, address[0]);
	uint32_t more = 0;

	if (insn->family != MEM_SCALAR || !insn->load || insn->sub_dword ||
	    insn->operand_count < 2 || !node || node->kind != CHOICE_POINTER ||
	    address[1] != CHOICE_UPPER)
		return false;
	if (insn->operand_count >= 3 && !choice_is_constant(choice, offset, &more))
		return false;
	*at = more + (uint32_t)node->field.add + (uint32_t)insn->offset;
	return *at % 4 == 0 && *at < 1u << 20;
}

choice_id choice_argument(struct choice *choice, uint32_t at)
{
	uint32_t dword;

	if (choice->launch && launch_dword(choice->launch, at, &dword))
		return choice_constant(choice, dword);
	return choice_node(choice, CHOICE_FIELD,
			   &(struct isa_field){ .kernarg = at, .mask = UINT32_MAX });
}
