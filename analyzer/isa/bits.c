/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise operations, shifts and products of abstract values. */
#include <string.h>

#include "flow.h"

/* The argument that has this byte; NULL for other parts of the kernarg segment. */
static const struct flow_arg *arg_at(const struct flow *flow, uint32_t offset)
{
	for (size_t i = 0; i < flow->arg_count; i++)
		if (offset >= flow->args[i].offset &&
		    offset - flow->args[i].offset < flow->args[i].size)
			return &flow->args[i];
	return NULL;
}

/* The BASE_DELTA of a dword that may be half of a pointer, or 0. */
static uint32_t delta_of(const struct flow *flow, uint32_t base)
{
	const struct flow_arg *arg;

	switch (BASE_KIND(base)) {
	case BASE_DELTA:
		return base;
	case BASE_KERNARG:
		arg = arg_at(flow, BASE_PAYLOAD(base));
		if (arg && arg->size < 8)
			return 0;
		return BASE(BASE_DELTA, DELTA_KERNARG | BASE_PAYLOAD(base));
	case BASE_LOADED:
		if (flow->access[BASE_PAYLOAD(base) >> 4].insn->dwords < 2 ||
		    BASE_PAYLOAD(base) >= DELTA_KERNARG)
			return 0;
		return BASE(BASE_DELTA, BASE_PAYLOAD(base));
	default:
		return 0;
	}
}

static bool is_pointer(const struct flow *flow, uint32_t base)
{
	const struct flow_arg *arg;

	if (BASE_KIND(base) != BASE_KERNARG)
		return false;
	arg = arg_at(flow, BASE_PAYLOAD(base));
	return arg && arg->pointer;
}

static void add_delta(struct alt *to, uint32_t base)
{
	uint32_t k = 0;

	while (k < to->term_count && to->term[k].base < base)
		k++;
	if (k < to->term_count && to->term[k].base == base)
		return;
	memmove(&to->term[k + 1], &to->term[k], (to->term_count - k) * sizeof(to->term[0]));
	to->term[k] = (struct term){ base, 1 };
	to->term_count++;
}

value_id flow_mixed(struct flow *flow, value_id a)
{
	struct value_store *store = &flow->store;
	struct alt alt[VALUE_ALTS];
	const struct value *value = value_get(store, value_plain(store, a));
	uint32_t i, k, n = value->alt_count;
	bool plain = true;

	if (a == VALUE_BOTTOM || a == VALUE_NUMBER)
		return a;
	for (i = 0; i < n; i++) {
		const struct alt *from = &value->alt[i];

		alt[i] = (struct alt){ .flags = ALT_OPAQUE };
		if (from->flags & ALT_LOST)
			alt[i].flags |= ALT_TAINT | ALT_LOST;
		for (k = 0; k < from->term_count; k++) {
			uint32_t base = from->term[k].base;

			if (from->term[k].sign < 0 || BASE_KIND(base) == BASE_DELTA)
				base = delta_of(flow, base);
			else if (is_pointer(flow, base))
				alt[i].flags |= ALT_TAINT;
			if (BASE_KIND(base) == BASE_DELTA)
				add_delta(&alt[i], base);
		}
		plain &= !alt[i].term_count && alt[i].flags == ALT_OPAQUE;
	}
	if (plain)
		return VALUE_NUMBER;
	for (i = 0; i < n; i++)
		if (alt[i].flags & ALT_TAINT)
			alt[i].why = value_reason(store, "arithmetic on a pointer");
	return value_alts(store, alt, n);
}

/* Some bits of it: as it is, or nothing; with a difference, anything between. */
static value_id either(struct flow *flow, value_id a)
{
	struct value_store *store = &flow->store;
	const struct value *value = value_get(store, value_plain(store, a));
	bool subtracted = false;

	for (uint32_t i = 0; i < value->alt_count; i++)
		for (uint32_t k = 0; k < value->alt[i].term_count; k++)
			subtracted |= value->alt[i].term[k].sign < 0;
	if (subtracted)
		a = value_add(store, a, flow_mixed(flow, a));
	return value_blur(store, a);
}

/* Bits of a dword by a constant mask. */
static value_id masked(struct flow *flow, value_id a, int32_t mask)
{
	/* Without its upper bits a difference leads nowhere. */
	return mask < 0 ? value_blur(&flow->store, a) : either(flow, a);
}

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
		return masked(flow, b, x);
	if (yc)
		return masked(flow, a, y);
	return value_add(&flow->store, either(flow, a), either(flow, b));
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
	if (yc && y == -1)
		return flow_not(flow, a);
	if (xc && x == -1)
		return flow_not(flow, b);
	return value_add(&flow->store, either(flow, a), either(flow, b));
}

value_id flow_not(struct flow *flow, value_id a)
{
	const struct value *value = value_get(&flow->store, a);

	/* Of lane masks only those are followed that are as they were. */
	for (uint32_t i = 0; i < value->alt_count; i++)
		for (uint32_t k = 0; k < value->alt[i].term_count; k++)
			if (BASE_KIND(value->alt[i].term[k].base) >= BASE_TRUE)
				return VALUE_NUMBER;
	return value_sub(&flow->store, value_const(&flow->store, -1), a);
}

value_id flow_mul(struct flow *flow, value_id a, value_id b)
{
	int32_t x, y;

	if (value_constant(&flow->store, a, &x) && value_constant(&flow->store, b, &y))
		return value_const(&flow->store, (int32_t)((uint32_t)x * (uint32_t)y));
	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	a = flow_mixed(flow, a);
	b = flow_mixed(flow, b);
	return b == VALUE_NUMBER ? a : value_add(&flow->store, a, b);
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
	return flow_mixed(flow, a);
}
