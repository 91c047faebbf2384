/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise operations, shifts and products of abstract values. */
#include <stdlib.h>
#include <string.h>

#include "flow.h"

/* Returns the argument that has this byte; NULL for other parts of the kernarg segment. */
static const struct flow_arg *arg_at(const struct flow *flow, uint32_t offset)
{
	for (size_t i = 0; i < flow->arg_count; i++)
		if (offset >= flow->args[i].offset &&
		    offset - flow->args[i].offset < flow->args[i].size)
			return &flow->args[i];
	return NULL;
}

/* Returns the BASE_DELTA of a dword that may be half of a pointer, or 0. */
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
	case BASE_IMAGE:
	case BASE_SYMBOL:
		return BASE(BASE_DELTA, DELTA_IMAGE);
	default:
		return 0;
	}
}

/* Returns true if it is half of a pointer for certain. */
static bool is_pointer(const struct flow *flow, uint32_t base)
{
	const struct flow_arg *arg;

	if (BASE_KIND(base) == BASE_IMAGE || BASE_KIND(base) == BASE_SYMBOL)
		return true;
	if (BASE_KIND(base) != BASE_KERNARG)
		return false;
	arg = arg_at(flow, BASE_PAYLOAD(base));
	return arg && arg->pointer;
}

bool flow_keeps(const void *user, uint32_t base)
{
	const struct flow *flow = user;

	switch (BASE_KIND(base)) {
	case BASE_KERNARG:
		return is_pointer(flow, base);
	case BASE_LOADED:
		return false;
	case BASE_DELTA:
		if (!(BASE_PAYLOAD(base) & DELTA_KERNARG))
			return false;
		return BASE_PAYLOAD(base) == DELTA_IMAGE ||
		       is_pointer(flow, BASE(BASE_KERNARG, BASE_PAYLOAD(base) & ~DELTA_KERNARG));
	default:
		return true;
	}
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

/* A mixture keeps these of the terms. */
enum keeps {
	KEEPS_POINTERS, /* and differences; a sum of what is no pointer for certain is an index */
	KEEPS_ALL,
};

static bool has_negative(const struct alt *alt)
{
	for (uint32_t k = 0; k < alt->term_count; k++)
		if (alt->term[k].sign < 0)
			return true;
	return alt->flags & ALT_LESS;
}

/* Makes a number that depends on these terms in some way. Returns true if it is a mere number. */
static bool mix(const struct flow *flow, const struct alt *from, enum keeps keeps, struct alt *to)
{
	bool all = keeps == KEEPS_ALL || has_negative(from);

	*to = (struct alt){ .flags = ALT_OPAQUE };
	if (from->flags & ALT_LOST)
		to->flags |= ALT_TAINT | ALT_LOST;
	if (from->flags & ALT_LESS || (all && from->flags & ALT_MORE))
		to->flags |= ALT_LESS;
	for (uint32_t k = 0; k < from->term_count; k++) {
		uint32_t base = from->term[k].base, delta;
		bool pointer = is_pointer(flow, base);

		if (pointer && from->term[k].sign > 0)
			to->flags |= ALT_TAINT;
		if (!all && !pointer && BASE_KIND(base) != BASE_DELTA)
			continue;
		delta = delta_of(flow, base);
		if (delta)
			add_delta(to, delta);
	}
	return !to->term_count && to->flags == ALT_OPAQUE;
}

static value_id mixture(struct flow *flow, value_id a, enum keeps keeps)
{
	struct value_store *store = &flow->store;
	struct alt alt[VALUE_ALTS];
	const struct value *value = value_get(store, value_plain(store, a));
	uint32_t i, n = value->alt_count;
	bool plain = true;

	for (i = 0; i < n; i++)
		plain &= mix(flow, &value->alt[i], keeps, &alt[i]);
	if (plain)
		return VALUE_NUMBER;
	for (i = 0; i < n; i++)
		if (alt[i].flags & ALT_TAINT)
			alt[i].why = value_reason(store, "arithmetic on a pointer");
	return value_alts(store, alt, n);
}

value_id flow_mixed(struct flow *flow, value_id a)
{
	struct value_store *store = &flow->store;
	value_id result;

	if (a == VALUE_BOTTOM || a == VALUE_NUMBER)
		return a;
	if (a < store->mixed_count && store->mixed[a])
		return store->mixed[a];
	result = mixture(flow, a, KEEPS_POINTERS);
	if (a >= store->mixed_count) {
		size_t count = store->room > a ? store->room : a + 1;
		value_id *grown = reallocarray(store->mixed, count, sizeof(*grown));

		if (!grown) {
			store->failed = true;
			return VALUE_BOTTOM;
		}
		memset(grown + store->mixed_count, 0,
		       (count - store->mixed_count) * sizeof(*grown));
		store->mixed = grown;
		store->mixed_count = count;
	}
	store->mixed[a] = result;
	return result;
}

/* Returns what some bits of it are: itself or nothing; with a difference, anything between. */
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

/*
 * Returns `a` with its terms marked as cut (`cut`), or as terms that may be missing, and opaque. A
 * term of BASE_DELTA stays as it is.
 */
static value_id signs(struct flow *flow, value_id a, bool cut)
{
	struct value_store *store = &flow->store;
	const struct value *value = value_get(store, value_plain(store, a));
	struct alt alt[VALUE_ALTS];
	uint32_t n = value->alt_count;

	for (uint32_t i = 0; i < n; i++) {
		alt[i] = value->alt[i];
		alt[i].bound = 0;
		alt[i].flags |= ALT_OPAQUE;
		for (uint32_t k = 0; k < alt[i].term_count; k++) {
			struct term *term = &alt[i].term[k];
			int32_t sign = term->sign < 0 ? -1 : 1;

			if (BASE_KIND(term->base) == BASE_DELTA)
				continue;
			if (cut)
				term->sign = sign * SIGN_CUT;
			else if (term->sign == sign)
				term->sign = sign * SIGN_MAYBE;
		}
	}
	return value_alts(store, alt, n);
}

/* A number below this is a distance within one piece of memory: 64 KiB. */
#define SMALL (1u << FLOW_INDEX_BITS)

/* Returns the bits of a dword that a constant mask selects. */
static value_id masked(struct flow *flow, value_id a, int32_t mask)
{
	uint32_t rest = ~(uint32_t)mask;

	/* The upper 16 bits of an address are those of its sign. */
	if ((uint32_t)mask < SMALL - 1)
		return a == VALUE_BOTTOM
			   ? a
			   : flow_bounded(flow, value_power((uint32_t)mask), (uint32_t)mask);
	if (mask > 0)
		return signs(flow, either(flow, a), true);
	/* Rounded down a pointer leads to the same memory. */
	if (rest < SMALL && !(rest & (rest + 1)))
		return value_blur(&flow->store, a);
	return signs(flow, either(flow, a), false);
}

/* Returns true if it is no pointer, and nothing that was computed from one. */
static bool is_index(const struct flow *flow, value_id a)
{
	const struct value *value = value_get(&flow->store, a);

	for (uint32_t i = 0; i < value->alt_count; i++)
		if (value->alt[i].term_count ||
		    value->alt[i].flags & (ALT_TAINT | ALT_MORE | ALT_LESS))
			return false;
	return !value->lane_count;
}

/* Returns true if all that it can be is a pointer for certain, plus something. */
static bool is_all_pointers(const struct flow *flow, value_id a)
{
	const struct value *value = value_get(&flow->store, a);

	for (uint32_t i = 0; i < value->alt_count; i++) {
		bool pointer = false;

		for (uint32_t k = 0; k < value->alt[i].term_count; k++)
			pointer |= value->alt[i].term[k].sign > 0 &&
				   is_pointer(flow, value->alt[i].term[k].base);
		if (!pointer)
			return false;
	}
	return value->alt_count;
}

value_id flow_or(struct flow *flow, value_id a, value_id b)
{
	int32_t x, y;

	if (value_constant(&flow->store, a, &x) && value_constant(&flow->store, b, &y))
		return value_const(&flow->store, x | y);
	/* Compilers use it to add where no bit can collide, or to put halves together. */
	return value_add(&flow->store, a, b);
}

value_id flow_and(struct flow *flow, value_id a, value_id b)
{
	struct value_store *store = &flow->store;
	int32_t x, y;
	bool xc = value_constant(store, a, &x), yc = value_constant(store, b, &y);

	if (xc && yc)
		return value_const(store, x & y);
	if (yc && y == -1)
		return a;
	if (xc && x == -1)
		return b;
	if ((xc && !x) || (yc && !y))
		return value_const(store, 0);
	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	if (is_index(flow, a) && is_index(flow, b)) {
		uint32_t one = value_stride(store, a), other = value_stride(store, b), top;
		uint64_t bound = UINT64_MAX;

		if (value_top(store, a, &top))
			bound = top;
		if (value_top(store, b, &top) && top < bound)
			bound = top;
		return flow_bounded(flow, one > other ? one : other, bound);
	}
	if (xc)
		return masked(flow, b, x);
	if (yc)
		return masked(flow, a, y);
	/* If one of them is a pointer, the other is a mask. */
	if (is_all_pointers(flow, a) && !is_all_pointers(flow, b))
		return signs(flow, either(flow, a), false);
	if (is_all_pointers(flow, b) && !is_all_pointers(flow, a))
		return signs(flow, either(flow, b), false);
	return value_add(store, signs(flow, either(flow, a), false),
			 signs(flow, either(flow, b), false));
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
	if (is_index(flow, a) && is_index(flow, b))
		return VALUE_NUMBER;
	/* Bits that are switched to and fro; what is known of them leads to the same place. */
	if (xc || yc)
		return either(flow, xc ? b : a);
	/* Whatever one of them is, the other may be chosen so that they lead anywhere. */
	return value_add(&flow->store, mixture(flow, a, KEEPS_ALL), mixture(flow, b, KEEPS_ALL));
}

value_id flow_insert(struct flow *flow, value_id mask, value_id a, value_id b)
{
	return flow_or(flow, flow_and(flow, mask, a), flow_and(flow, flow_not(flow, mask), b));
}

value_id flow_not(struct flow *flow, value_id a)
{
	const struct value *value = value_get(&flow->store, a);

	/* Only those lane masks are followed that are as they were. */
	for (uint32_t i = 0; i < value->alt_count; i++)
		for (uint32_t k = 0; k < value->alt[i].term_count; k++)
			if (BASE_KIND(value->alt[i].term[k].base) >= BASE_TRUE)
				return VALUE_NUMBER;
	return value_sub(&flow->store, value_const(&flow->store, -1), a);
}

value_id flow_multiple(struct flow *flow, uint32_t stride)
{
	/* The pass of swaps.h compares values. */
	return flow->swaps ? VALUE_NUMBER : value_multiple(&flow->store, stride);
}

value_id flow_bounded(struct flow *flow, uint32_t stride, uint64_t bound)
{
	return flow->swaps ? VALUE_NUMBER : value_bounded(&flow->store, stride, bound);
}

/* Returns the product of powers of 2; 2^31 at most, as more is 0 in 32 bits. */
static uint32_t product(uint32_t a, uint32_t b)
{
	uint64_t both = (uint64_t)a * b;

	return both > UINT32_C(1) << 31 ? UINT32_C(1) << 31 : (uint32_t)both;
}

/* Both from 0 to a number that fits into the 23 bits that all multiplications have. */
#define FACTOR_MOST 0x7fffffu

/* Returns the product of two numbers, or bottom if a bit may be lost. The product with a constant
 * may have a stride that is no power of 2. */
static value_id small_product(struct flow *flow, value_id a, value_id b)
{
	uint32_t x, y, stride;
	int32_t factor;

	if (!value_top(&flow->store, a, &x) || !value_top(&flow->store, b, &y) || x > FACTOR_MOST ||
	    y > FACTOR_MOST || (uint64_t)x * y > VALUE_BOUND)
		return VALUE_BOTTOM;
	stride = product(value_stride(&flow->store, a), value_stride(&flow->store, b));
	if (value_constant(&flow->store, a, &factor))
		stride = (uint32_t)factor * value_stride(&flow->store, b);
	else if (value_constant(&flow->store, b, &factor))
		stride = (uint32_t)factor * value_stride(&flow->store, a);
	return flow_bounded(flow, stride, (uint64_t)x * y);
}

bool flow_is_scale(const struct flow *flow, int32_t factor)
{
	uint32_t size = factor < 0 ? 0 - (uint32_t)factor : (uint32_t)factor;

	/* The pass of swaps.h asks what a value was computed from. */
	return !flow->swaps && value_power(size) != size;
}

value_id flow_mul(struct flow *flow, value_id a, value_id b)
{
	bool xc, yc;
	value_id small;
	uint32_t stride;
	int32_t x, y;

	xc = value_constant(&flow->store, a, &x);
	yc = value_constant(&flow->store, b, &y);
	if (xc && yc)
		return value_const(&flow->store, (int32_t)((uint32_t)x * (uint32_t)y));
	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	small = small_product(flow, a, b);
	if (small != VALUE_BOTTOM)
		return small;
	stride = product(value_stride(&flow->store, a), value_stride(&flow->store, b));
	if ((xc && flow_is_scale(flow, x)) || (yc && flow_is_scale(flow, y)))
		return flow_multiple(flow, stride);
	a = flow_mixed(flow, a);
	b = flow_mixed(flow, b);
	if (a == VALUE_NUMBER && b == VALUE_NUMBER)
		return flow_multiple(flow, stride);
	return b == VALUE_NUMBER ? a : value_add(&flow->store, a, b);
}

value_id flow_shift(struct flow *flow, value_id a, int32_t count, enum flow_shift shift)
{
	value_id mixed;
	uint32_t top;
	bool bounded;
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
	mixed = flow_mixed(flow, a);
	if (mixed != VALUE_NUMBER)
		return mixed;
	top = UINT32_MAX;
	bounded = value_top(&flow->store, a, &top);
	if (shift == SHIFT_LEFT)
		return flow_bounded(flow,
				    product(value_stride(&flow->store, a), UINT32_C(1) << count),
				    bounded ? (uint64_t)top << count : UINT64_MAX);
	/* The sign counts if it is not bounded; a logical shift fills up with zeros. */
	if (shift == SHIFT_RIGHT || bounded)
		return flow_bounded(flow, 1, (bounded ? top : UINT32_MAX) >> count);
	return mixed;
}
