/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and differences of abstract values. */
#include "value.h"

#include <string.h>

/* Room for a term: what is no pointer for certain is left out. False: all of them are. */
static bool make_room(struct value_store *store, struct alt *alt)
{
	struct term *term = alt->term;
	uint32_t k = alt->term_count;

	if (!store->keep)
		return false;
	while (k && store->keep(store->user, term[k - 1].base))
		k--;
	if (!k--)
		return false;
	alt->flags |=
	    ALT_OPAQUE |
	    (term[k].sign < 0 || BASE_KIND(term[k].base) == BASE_DELTA ? ALT_LESS : ALT_MORE);
	memmove(&term[k], &term[k + 1], (--alt->term_count - k) * sizeof(*term));
	return true;
}

/* The same base is in both: the sum of its signs. False if there is none that says it. */
static bool sign_sum(struct alt *to, uint32_t k, int32_t sign)
{
	struct term *term = &to->term[k];
	int32_t old = term->sign;

	if (old + sign == 0 && (old == SIGN_WHOLE || sign == SIGN_WHOLE)) {
		to->term_count--;
		memmove(term, term + 1, (to->term_count - k) * sizeof(*term));
		return true;
	}
	if (BASE_KIND(term->base) == BASE_KERNARG_PTR || BASE_KIND(term->base) == BASE_IMAGE)
		return false;
	/* Added twice: it was an index, or will be one. */
	to->flags |= ALT_OPAQUE;
	if ((old > 0) == (sign > 0))
		return true;
	/* All of it without some of it. */
	if (old == SIGN_WHOLE || old == -SIGN_WHOLE)
		term->sign = old * SIGN_MAYBE;
	else if (sign == SIGN_WHOLE || sign == -SIGN_WHOLE)
		term->sign = sign * SIGN_MAYBE;
	else
		to->flags |= ALT_TAINT | ALT_LOST;
	return true;
}

/* Sets the stride of the numbers in both that are not followed, and what remains. */
static void sum_strides(struct alt *to, const struct alt *from, int sign, uint32_t stride)
{
	int64_t sum = sign > 0 ? (int64_t)to->constant + from->constant
			       : (int64_t)to->constant - from->constant;

	/* In 32 bits. */
	to->constant = (int32_t)(uint32_t)(uint64_t)sum;
	if (to->constant != sum)
		to->bound = 0;
	if ((to->term_count == 0 && !to->bound) || to->constant != sum)
		stride = value_power(stride);
	to->stride = stride > 1 ? stride : 0;
	if (!(to->flags & ALT_NOCONST))
		return;
	sum = to->stride ? to->constant % (int64_t)to->stride : 0;
	to->constant = (int32_t)(sum < 0 ? sum + to->stride : sum);
}

/* The most that the numbers in both are together that are not followed; 0: not known. */
static uint32_t sum_bounds(const struct alt *to, const struct alt *from, int sign)
{
	uint64_t sum = (uint64_t)to->bound + from->bound;

	if ((to->flags && (to->flags != ALT_OPAQUE || !to->bound)) ||
	    (from->flags && (from->flags != ALT_OPAQUE || !from->bound)) ||
	    (sign < 0 && from->bound))
		return 0;
	return sum > VALUE_BOUND ? 0 : (uint32_t)sum;
}

/* Does to += sign * from. Returns false if the sum is not representable. */
static bool alt_sum(struct value_store *store, struct alt *to, const struct alt *from, int sign)
{
	unsigned opaque = (to->flags | from->flags) & ALT_OPAQUE;
	uint32_t a = to->flags & ALT_OPAQUE && !to->stride ? 1 : to->stride;
	uint32_t b = from->flags & ALT_OPAQUE && !from->stride ? 1 : from->stride;
	uint32_t stride = value_divisor(a, b, 0), i, k;

	to->bound = sum_bounds(to, from, sign);
	to->flags &= (uint8_t)~ALT_OPAQUE; /* to see whether a term becomes one */

	for (i = 0; i < from->term_count; i++) {
		struct term term = { from->term[i].base, from->term[i].sign * sign };

		/* An unknown multiple of either sign; two of them do not cancel out. */
		if (BASE_KIND(term.base) == BASE_DELTA)
			term.sign = 1;
		for (k = 0; k < to->term_count && to->term[k].base < term.base; k++)
			;
		if (k < to->term_count && to->term[k].base == term.base) {
			if (!sign_sum(to, k, term.sign))
				return false;
			continue;
		}
		if (to->term_count == ALT_TERMS) {
			if (store->keep && !store->keep(store->user, term.base)) {
				to->flags |= ALT_OPAQUE |
					     (term.sign < 0 || BASE_KIND(term.base) == BASE_DELTA
						  ? ALT_LESS
						  : ALT_MORE);
				continue;
			}
			if (!make_room(store, to))
				return false;
			for (k = 0; k < to->term_count && to->term[k].base < term.base; k++)
				;
		}
		memmove(&to->term[k + 1], &to->term[k], (to->term_count - k) * sizeof(to->term[0]));
		to->term[k] = term;
		to->term_count++;
	}
	if (to->flags & ALT_OPAQUE) {
		stride = 1;
		to->bound = 0;
	}
	to->flags |= (uint8_t)opaque;
	if (from->flags & ALT_TAINT && !(to->flags & ALT_TAINT))
		to->why = from->why;
	to->flags |= from->flags;
	if (sign < 0 && from->flags & ALT_MORE)
		to->flags |= ALT_LESS;
	sum_strides(to, from, sign, stride);
	return true;
}

static value_id combine(struct value_store *store, value_id a, value_id b, int sign)
{
	struct alt alt[VALUE_ALTS * VALUE_ALTS];
	const struct value *x, *y;
	uint32_t i, k, n = 0;

	if (a == VALUE_BOTTOM || b == VALUE_BOTTOM)
		return VALUE_BOTTOM;
	a = value_plain(store, a);
	b = value_plain(store, b);
	x = value_get(store, a);
	y = value_get(store, b);
	for (i = 0; i < x->alt_count; i++) {
		for (k = 0; k < y->alt_count; k++) {
			alt[n] = x->alt[i];
			if (!alt_sum(store, &alt[n], &y->alt[k], sign))
				return value_give_up(store, "a sum of too many unknowns",
						     sign < 0 ||
							 value_subtracts(x->alt, x->alt_count) ||
							 value_subtracts(y->alt, y->alt_count));
			n++;
		}
	}
	return value_alts(store, alt, n);
}

/* `sign` 1 or -1: the second one is added or subtracted; remembered as negative. */
static value_id sum(struct value_store *store, value_id a, value_id b, int sign)
{
	value_id other = sign > 0 ? b : ~b;
	size_t slot = (a * 31u + other) % SUM_CACHE;

	if (store->sum_cache[slot].result != VALUE_BOTTOM && store->sum_cache[slot].a == a &&
	    store->sum_cache[slot].b == other)
		return store->sum_cache[slot].result;
	store->sum_cache[slot].a = a;
	store->sum_cache[slot].b = other;
	return store->sum_cache[slot].result = combine(store, a, b, sign);
}

value_id value_add(struct value_store *store, value_id a, value_id b)
{
	return sum(store, a, b, 1);
}

value_id value_sub(struct value_store *store, value_id a, value_id b)
{
	return sum(store, a, b, -1);
}
