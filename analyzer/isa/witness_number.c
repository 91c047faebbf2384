/* SPDX-License-Identifier: Apache-2.0 */
/* Computes dwords of the witness: its bit in masks of lanes, and numbers. */
#include "witness_search.h"

int witness_bit(const struct choice *choice, choice_id id)
{
	uint32_t constant;

	if (id == LANE_IN || id == LANE_OUT)
		return id == LANE_IN;
	return choice_is_constant(choice, id, &constant) ? (int)(constant & 1) : -1;
}

bool witness_is_lane(choice_id id)
{
	return id == LANE_IN || id == LANE_OUT;
}

choice_id witness_aperture(struct choice *choice)
{
	return choice_node(choice, CHOICE_APERTURE, &(struct isa_field){ 0 });
}

choice_id witness_lane(int bit)
{
	return bit < 0 ? CHOICE_UNKNOWN : bit ? LANE_IN : LANE_OUT;
}

/*
 * Returns true if it is all zeros or all ones: choice_and() and choice_or() then know the result
 * without lanes.
 */
static bool is_even(const struct choice *choice, choice_id id)
{
	uint32_t constant;

	return choice_is_constant(choice, id, &constant) && (!constant || constant == UINT32_MAX);
}

static bool are_lanes(const struct choice *choice, choice_id a, choice_id b)
{
	return (witness_is_lane(a) || witness_is_lane(b)) && !is_even(choice, a) &&
	       !is_even(choice, b);
}

choice_id witness_and(struct choice *choice, choice_id a, choice_id b)
{
	int x = witness_bit(choice, a), y = witness_bit(choice, b);

	if (!are_lanes(choice, a, b))
		return choice_and(choice, a, b);
	return witness_lane(!x || !y ? 0 : x < 0 || y < 0 ? -1 : 1);
}

choice_id witness_not(struct choice *choice, choice_id a)
{
	return witness_is_lane(a) ? witness_lane(a == LANE_OUT)
				  : choice_xor(choice, a, choice_constant(choice, UINT32_MAX));
}

choice_id witness_or(struct choice *choice, choice_id a, choice_id b)
{
	int x = witness_bit(choice, a), y = witness_bit(choice, b);

	if (!are_lanes(choice, a, b))
		return choice_or(choice, a, b);
	return witness_lane(x == 1 || y == 1 ? 1 : x < 0 || y < 0 ? -1 : 0);
}

choice_id witness_xor(struct choice *choice, choice_id a, choice_id b)
{
	int x = witness_bit(choice, a), y = witness_bit(choice, b);

	if (!witness_is_lane(a) && !witness_is_lane(b))
		return choice_xor(choice, a, b);
	return witness_lane(x < 0 || y < 0 ? -1 : x ^ y);
}

choice_id witness_and_not(struct choice *choice, choice_id a, choice_id b)
{
	if (!are_lanes(choice, a, b))
		return choice_and_not(choice, a, b);
	return witness_and(choice, a,
			   witness_lane(witness_bit(choice, b) < 0 ? -1 : !witness_bit(choice, b)));
}

bool witness_is(const struct choice *choice, choice_id id, uint32_t number)
{
	uint32_t constant;

	return choice_is_constant(choice, id, &constant) && constant == number;
}

choice_id witness_add(struct choice *choice, choice_id a, choice_id b, bool subtract)
{
	if (witness_is(choice, b, 0))
		return a;
	if (witness_is(choice, a, 0) && !subtract)
		return b;
	return witness_is_lane(a) || witness_is_lane(b) ? CHOICE_UNKNOWN
							: choice_add(choice, a, b, subtract);
}

choice_id witness_multiply(struct choice *choice, choice_id a, choice_id b)
{
	uint32_t x, y;

	if (witness_is(choice, a, 0) || witness_is(choice, b, 0))
		return choice_constant(choice, 0);
	if (witness_is(choice, a, 1))
		return b;
	if (witness_is(choice, b, 1))
		return a;
	return choice_is_constant(choice, a, &x) && choice_is_constant(choice, b, &y)
		   ? choice_constant(choice, x * y)
		   : CHOICE_UNKNOWN;
}

choice_id witness_shift(struct choice *choice, choice_id value, choice_id count,
			enum witness_shift_kind direction)
{
	uint32_t number, by;

	if (witness_is(choice, value, 0) || value == witness_aperture(choice))
		return value;
	if (!choice_is_constant(choice, count, &by))
		return CHOICE_UNKNOWN;
	by &= 31;
	if (!by)
		return value;
	if (!choice_is_constant(choice, value, &number))
		return direction == WITNESS_RIGHT && !witness_is_lane(value)
			   ? choice_shift_right(choice, value, by)
			   : CHOICE_UNKNOWN;
	return choice_constant(choice, direction == WITNESS_LEFT ? number << by
				       : direction == WITNESS_RIGHT
					   ? number >> by
					   : (uint32_t)((int32_t)number >> by));
}

/* Shifts two dwords, if both are constants. */
void witness_shift_wide(struct choice *choice, const choice_id *value, choice_id count,
			enum witness_shift_kind direction, choice_id *result)
{
	uint32_t low, high, by;
	uint64_t number;

	result[0] = result[1] = CHOICE_UNKNOWN;
	if (!choice_is_constant(choice, value[0], &low) ||
	    !choice_is_constant(choice, value[1], &high))
		return;
	number = (uint64_t)high << 32 | low;
	if (number && !choice_is_constant(choice, count, &by))
		return;
	by = number ? by & 63 : 0;
	number = direction == WITNESS_LEFT    ? number << by
		 : direction == WITNESS_RIGHT ? number >> by
					      : (uint64_t)((int64_t)number >> by);
	result[0] = choice_constant(choice, (uint32_t)number);
	result[1] = choice_constant(choice, (uint32_t)(number >> 32));
}

/*
 * Adds (or subtracts) a, b and a carry, as far as the result is known; *carried becomes the carry
 * that it makes, as a bit, or -1 if it is not known.
 */
choice_id witness_add_carry(struct choice *choice, choice_id a, choice_id b, int carry,
			    bool subtract, int *carried)
{
	uint32_t x, y;
	uint64_t sum;

	*carried = -1;
	if (carry < 0)
		return CHOICE_UNKNOWN;
	if (choice_is_constant(choice, a, &x) && choice_is_constant(choice, b, &y)) {
		sum = subtract ? (uint64_t)x - y - (unsigned)carry
			       : (uint64_t)x + y + (unsigned)carry;
		*carried = sum >> 32 & 1;
		return choice_constant(choice, (uint32_t)sum);
	}
	if (!carry && (witness_is(choice, b, 0) || (witness_is(choice, a, 0) && !subtract)))
		*carried = 0;
	return carry ? CHOICE_UNKNOWN : witness_add(choice, a, b, subtract);
}
