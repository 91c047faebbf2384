/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise operations, shifts and products of abstract values. */
#include "flow.h"

value_id flow_or(struct flow *flow, value_id a, value_id b)
{
	int32_t x, y;

	if (value_constant(&flow->store, a, &x) && value_constant(&flow->store, b, &y))
		return value_const(&flow->store, x | y);
	/* Compilers use it to add where no bit can collide, or to put halves together. */
	return value_add(&flow->store, a, b);
}

value_id flow_and(struct flow *flow, value_id a, value_id b, bool complement)
{
	int32_t x, y;
	bool xc = value_constant(&flow->store, a, &x), yc = value_constant(&flow->store, b, &y);

	if (yc && complement)
		y = ~y;
	if (xc && yc)
		return value_const(&flow->store, x & y);
	if (yc && y == -1)
		return a;
	if (xc && x == -1 && !complement)
		return b;
	if ((xc && !x) || (yc && !y))
		return value_const(&flow->store, 0);
	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	/* A pointer rounded down still points there; a masked index stays an index. */
	if (xc)
		return value_blur(&flow->store, b);
	if (yc)
		return value_blur(&flow->store, a);
	return value_blur(&flow->store, value_add(&flow->store, a, b));
}

value_id flow_xor(struct flow *flow, value_id a, value_id b)
{
	int32_t x, y;
	bool xc = value_constant(&flow->store, a, &x), yc = value_constant(&flow->store, b, &y);

	if (xc && yc)
		return value_const(&flow->store, x ^ y);
	if (xc && !x)
		return b;
	if (yc && !y)
		return a;
	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	return value_blur(&flow->store, value_add(&flow->store, a, b));
}

value_id flow_mul(struct flow *flow, value_id a, value_id b)
{
	int32_t x, y;

	if (value_constant(&flow->store, a, &x) && value_constant(&flow->store, b, &y))
		return value_const(&flow->store, (int32_t)((uint32_t)x * (uint32_t)y));
	return a == VALUE_BOTTOM || b == VALUE_BOTTOM ? VALUE_BOTTOM : VALUE_NUMBER;
}

value_id flow_shift(struct flow *flow, value_id a, int32_t count, enum flow_shift shift)
{
	int32_t x;

	count &= 31;
	if (!count)
		return a;
	if (value_constant(&flow->store, a, &x))
		return value_const(&flow->store,
				   shift == SHIFT_LEFT    ? (int32_t)((uint32_t)x << count)
				   : shift == SHIFT_RIGHT ? (int32_t)((uint32_t)x >> count)
							  : x >> count);
	if (shift == SHIFT_LEFT && count == 16) {
		uint32_t base = value_sole_base(&flow->store, a);

		/* The field of SH_MEM_BASES is the upper 16 bits of the aperture [LUG]. */
		if (BASE_KIND(base) == BASE_APERTURE_RAW)
			return value_base(&flow->store, BASE(BASE_APERTURE, BASE_PAYLOAD(base)), 0);
	}
	return value_number(a);
}
