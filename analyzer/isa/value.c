/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are followed: constants, arguments, sums, unknown ones. */
#include "value_internal.h"

#include <string.h>

/* Exact constants kept per set of bases before they are given up. */
#define EXACT_CONSTANTS 3u

static int alt_order(const struct alt *a, const struct alt *b)
{
	uint32_t i;

	if (a->term_count != b->term_count)
		return a->term_count < b->term_count ? -1 : 1;
	for (i = 0; i < a->term_count; i++) {
		if (a->term[i].base != b->term[i].base)
			return a->term[i].base < b->term[i].base ? -1 : 1;
		if (a->term[i].sign != b->term[i].sign)
			return a->term[i].sign < b->term[i].sign ? -1 : 1;
	}
	if (a->flags != b->flags)
		return a->flags < b->flags ? -1 : 1;
	if (a->constant != b->constant)
		return a->constant < b->constant ? -1 : 1;
	if (a->stride != b->stride)
		return a->stride < b->stride ? -1 : 1;
	return a->bound < b->bound ? -1 : a->bound > b->bound;
}

uint32_t value_power(uint32_t stride)
{
	return stride & -stride;
}

uint32_t value_divisor(uint32_t a, uint32_t b, uint32_t c)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return c ? value_divisor(c, a, 0) : a;
}

/* Returns the stride of the number in it that is not followed; 0 if there is none. */
static uint32_t stride_of(const struct alt *alt)
{
	if (!(alt->flags & ALT_OPAQUE))
		return 0;
	return alt->stride ? alt->stride : 1;
}

value_id value_multiple(struct value_store *store, uint32_t stride)
{
	struct alt alt = { .flags = ALT_OPAQUE, .stride = stride > 1 ? stride : 0 };

	return stride ? value_alts(store, &alt, 1) : value_const(store, 0);
}

uint32_t value_stride(const struct value_store *store, value_id a)
{
	const struct value *value = value_get(store, a);
	uint32_t stride = 0;

	if (value->lane_count || !value->alt_count)
		return 1;
	for (uint32_t i = 0; i < value->alt_count; i++) {
		const struct alt *alt = &value->alt[i];

		if (alt->term_count || alt->flags & ~(unsigned)(ALT_OPAQUE | ALT_NOCONST))
			return 1;
		stride = value_divisor(stride, stride_of(alt), (uint32_t)alt->constant);
	}
	/* The constant may have been a negative one. */
	return value_power(stride);
}

/* Notes that a number was found to be a multiple of `stride`, and what remains of its constant. */
static void set_stride(struct alt *alt, uint32_t stride)
{
	int64_t rest;

	if (alt->term_count == 0 && !alt->bound)
		stride = value_power(stride);
	alt->stride = alt->flags & ALT_OPAQUE && stride > 1 ? stride : 0;
	if (!(alt->flags & ALT_NOCONST))
		return;
	rest = alt->stride ? alt->constant % (int64_t)alt->stride : 0;
	alt->constant = (int32_t)(rest < 0 ? rest + alt->stride : rest);
}

value_id value_bounded(struct value_store *store, uint32_t stride, uint64_t bound)
{
	struct alt alt = { .flags = ALT_OPAQUE, .stride = stride > 1 ? stride : 0 };

	if (bound > VALUE_BOUND)
		return value_multiple(store, value_power(stride));
	if (!bound || !stride)
		return value_const(store, 0);
	alt.bound = (uint32_t)bound;
	return value_alts(store, &alt, 1);
}

/* The most that an alternative's own number can be. False: not known. */
static bool alt_top(const struct alt *alt, uint32_t *top)
{
	*top = alt->bound;
	return alt->flags == 0 || (alt->flags == ALT_OPAQUE && alt->bound);
}

bool value_top(const struct value_store *store, value_id a, uint32_t *top)
{
	const struct value *value = value_get(store, a);
	uint32_t one;

	*top = 0;
	for (uint32_t i = 0; i < value->alt_count; i++) {
		const struct alt *alt = &value->alt[i];

		if (alt->term_count || alt->constant < 0 || !alt_top(alt, &one) ||
		    one > VALUE_BOUND - (uint32_t)alt->constant)
			return false;
		one += (uint32_t)alt->constant;
		*top = one > *top ? one : *top;
	}
	return value->alt_count && !value->lane_count;
}

static void drop_bound(struct alt *alt)
{
	if (alt->bound && alt->term_count == 0)
		alt->stride = value_power(alt->stride);
	alt->bound = 0;
}

value_id value_unbounded(struct value_store *store, value_id a)
{
	const struct value *value = value_get(store, a);
	struct alt alt[VALUE_ALTS];
	uint32_t n = value->alt_count;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		alt[i] = value->alt[i];
		any |= alt[i].bound;
		drop_bound(&alt[i]);
	}
	return any ? value_alts(store, alt, n) : a;
}

/*
 * Returns the bound that two alternatives with the same terms have in common. Different ones become
 * one less than a power of 2: a value that grows in a loop soon ends at none.
 */
static uint32_t common_bound(const struct alt *a, const struct alt *b)
{
	uint32_t x, y;

	if (a->constant != b->constant || !alt_top(a, &x) || !alt_top(b, &y))
		return 0;
	if (x == y || !x || !y)
		return x | y;
	x = x > y ? x : y;
	return x == VALUE_BOUND ? x : UINT32_MAX >> __builtin_clz(x);
}

/* Merges `from` into `to`, which has the same terms. */
static void alt_merge(struct alt *to, const struct alt *from)
{
	int64_t distance = (int64_t)to->constant - from->constant;
	uint32_t stride = value_divisor(stride_of(to), stride_of(from),
					(uint32_t)(distance < 0 ? -distance : distance));

	to->bound = common_bound(to, from);
	if (from->flags & ALT_TAINT && (!(to->flags & ALT_TAINT) || from->why < to->why))
		to->why = from->why;
	if (to->constant != from->constant || (to->flags | from->flags) & ALT_NOCONST)
		to->flags |= ALT_OPAQUE | ALT_NOCONST;
	to->flags |= from->flags;
	set_stride(to, stride);
}

bool value_subtracts(const struct alt *alt, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (alt[i].flags & (ALT_LOST | ALT_LESS))
			return true;
		for (uint32_t k = 0; k < alt[i].term_count; k++)
			if (alt[i].term[k].sign < 0 || BASE_KIND(alt[i].term[k].base) == BASE_DELTA)
				return true;
	}
	return false;
}

value_id value_give_up(struct value_store *store, const char *why, bool subtracted)
{
	struct alt alt = { .flags = ALT_OPAQUE | ALT_TAINT | ALT_NOCONST };

	alt.why = value_reason(store, why);
	alt.flags |= subtracted ? ALT_LOST : 0;
	return value_alts(store, &alt, 1);
}

/* Leaves one alternative for each set of terms; returns how many there are then. */
static size_t merge_same(struct alt *alt, size_t count)
{
	size_t i, k, n = 0;

	for (i = 0; i < count; i++) {
		for (k = 0; k < n && !value_same_terms(&alt[k], &alt[i]); k++)
			;
		if (k < n)
			alt_merge(&alt[k], &alt[i]);
		else
			alt[n++] = alt[i];
	}
	return n;
}

value_id value_alts(struct value_store *store, const struct alt *alt, size_t count)
{
	struct alt kept[VALUE_ALTS + 1];
	struct value value = { .alt = kept };
	size_t i, k, n = 0;

	if (count == 1) {
		kept[0] = alt[0];
		value.alt_count = 1;
		return value_intern(store, &value);
	}
	for (i = 0; i < count; i++) {
		size_t same = 0, first = n;
		bool exact = !(alt[i].flags & (ALT_OPAQUE | ALT_TAINT)), done = false;

		for (k = 0; k < n && !done; k++) {
			if (!value_same_terms(&kept[k], &alt[i]))
				continue;
			if (first == n)
				first = k;
			same++;
			if (kept[k].constant == alt[i].constant && kept[k].flags == alt[i].flags) {
				alt_merge(&kept[k], &alt[i]);
				done = true;
			}
		}
		if (done)
			continue;
		/* Exact constants stay apart, few of them; everything else with these terms is one.
		 */
		if (same && (!exact || same >= EXACT_CONSTANTS ||
			     kept[first].flags & (ALT_OPAQUE | ALT_TAINT))) {
			struct alt merged = alt[i];
			size_t out = 0;

			for (k = 0; k < n; k++)
				if (value_same_terms(&kept[k], &merged))
					alt_merge(&merged, &kept[k]);
				else
					kept[out++] = kept[k];
			kept[out++] = merged;
			n = out;
			continue;
		}
		kept[n++] = alt[i];
		/* Rather several pointers than several distances from one. */
		if (n > VALUE_ALTS)
			n = merge_same(kept, n);
		if (n > VALUE_ALTS)
			return value_give_up(store, "too many possible values at once",
					     value_subtracts(alt, count));
	}
	/* Insertion sort: at most VALUE_ALTS. */
	for (i = 1; i < n; i++) {
		struct alt moving = kept[i];

		for (k = i; k && alt_order(&kept[k - 1], &moving) > 0; k--)
			kept[k] = kept[k - 1];
		kept[k] = moving;
	}
	value.alt_count = (uint32_t)n;
	return n ? value_intern(store, &value) : VALUE_BOTTOM;
}

value_id value_const(struct value_store *store, int32_t constant)
{
	return value_base(store, 0, constant);
}

value_id value_base(struct value_store *store, uint32_t base, int32_t constant)
{
	struct alt alt = { .constant = constant,
			   .term_count = base != 0,
			   .term = { { base, base != 0 } } };
	struct simple_value *known =
	    &store->simple[value_mix(base, (uint32_t)constant) & (SIMPLE_CACHE - 1)];

	if (known->value == VALUE_BOTTOM || known->base != base || known->constant != constant)
		*known = (struct simple_value){ base, constant, value_alts(store, &alt, 1) };
	return known->value;
}

value_id value_unknown(struct value_store *store, const char *why)
{
	struct known_reason *known =
	    &store->known[value_mix(7, (uintptr_t)why) & (REASON_CACHE - 1)];
	struct alt alt = { .flags = ALT_OPAQUE | ALT_TAINT | ALT_NOCONST };

	if (known->text && !strcmp(known->text, why))
		return known->value;
	alt.why = value_reason(store, why);
	*known = (struct known_reason){ store->reason[alt.why], value_alts(store, &alt, 1) };
	return known->value;
}

static value_id lane_of(const struct value *value, uint32_t lane)
{
	uint32_t i;

	for (i = 0; i < value->lane_count; i++)
		if (value->lane[i].lane == lane)
			return value->lane[i].value;
	return value->rest;
}

static value_id join_lanes(struct value_store *store, value_id a, value_id b,
			   value_id (*join)(struct value_store *, value_id, value_id))
{
	struct lane lane[VALUE_LANES];
	struct value value = { .lane = lane };
	struct value x = *value_get(store, a), y = *value_get(store, b);
	uint32_t i;

	/* A register without lane list stands for every lane. */
	if (!x.lane_count)
		x.rest = a;
	if (!y.lane_count)
		y.rest = b;
	for (i = 0; i < VALUE_LANES; i++) {
		bool in = false;
		uint32_t k;

		for (k = 0; k < x.lane_count; k++)
			in |= x.lane[k].lane == i;
		for (k = 0; k < y.lane_count; k++)
			in |= y.lane[k].lane == i;
		if (!in)
			continue;
		lane[value.lane_count].lane = i;
		lane[value.lane_count++].value = join(store, lane_of(&x, i), lane_of(&y, i));
	}
	value.rest = join(store, x.rest, y.rest);
	return value_intern(store, &value);
}

value_id value_join_both(struct value_store *store, value_id a, value_id b)
{
	struct alt alt[2 * VALUE_ALTS];
	const struct value *x, *y;
	value_id result;
	size_t slot;

	if (a > b) {
		value_id swap = a;

		a = b;
		b = swap;
	}
	slot = (size_t)value_mix(a, b) & (JOIN_CACHE - 1);
	if (store->join_cache[slot].a == a && store->join_cache[slot].b == b)
		return store->join_cache[slot].result;
	x = value_get(store, a);
	y = value_get(store, b);
	if (x->lane_count || y->lane_count) {
		result = join_lanes(store, a, b, value_join);
	} else {
		memcpy(alt, x->alt, x->alt_count * sizeof(*alt));
		memcpy(alt + x->alt_count, y->alt, y->alt_count * sizeof(*alt));
		result = value_alts(store, alt, x->alt_count + y->alt_count);
	}
	store->join_cache[slot].a = a;
	store->join_cache[slot].b = b;
	store->join_cache[slot].result = result;
	return result;
}

static bool has_sums(const struct alt *alt, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (alt[i].term_count > 1)
			return true;
	return false;
}

/* Returns true if an alternative has another bound than that of the same terms in a value. */
static bool has_grown(const struct value *value, const struct alt *alt)
{
	for (uint32_t i = 0; i < value->alt_count; i++)
		if (value_same_terms(&value->alt[i], alt) && value->alt[i].bound != alt->bound)
			return alt->bound;
	return false;
}

static value_id widen(struct value_store *store, value_id a, value_id b, value_id joined)
{
	struct alt alt[VALUE_ALTS];
	const struct value *value;
	size_t n;

	value = value_get(store, joined);
	if (value->lane_count)
		return value_get(store, a)->lane_count && value_get(store, b)->lane_count
			   ? join_lanes(store, a, b, value_widen)
			   : joined;
	memcpy(alt, value->alt, value->alt_count * sizeof(*alt));
	n = merge_same(alt, value->alt_count);
	/* A bound that has grown once may grow on. */
	for (size_t i = 0; i < n; i++)
		if (has_grown(value_get(store, a), &alt[i]))
			drop_bound(&alt[i]);
	/* A loop with one sum too many each time round would not end soon either. */
	if (n > value_get(store, a)->alt_count + 1 && has_sums(alt, n))
		return value_give_up(store, "a loop in which too many values meet",
				     value_subtracts(alt, n));
	return value_alts(store, alt, n);
}

value_id value_widen(struct value_store *store, value_id a, value_id b)
{
	value_id joined = value_join(store, a, b), result;
	size_t slot;

	if (joined == a || a == VALUE_BOTTOM)
		return joined;
	slot = (size_t)value_mix(a, b) & (JOIN_CACHE - 1);
	if (store->widen_cache[slot].a == a && store->widen_cache[slot].b == b)
		return store->widen_cache[slot].result;
	result = widen(store, a, b, joined);
	store->widen_cache[slot].a = a;
	store->widen_cache[slot].b = b;
	store->widen_cache[slot].result = result;
	return result;
}

static void alt_blur(struct alt *alt)
{
	alt->flags |= ALT_OPAQUE;
	alt->stride = alt->bound = 0;
	alt->constant = alt->flags & ALT_NOCONST ? 0 : alt->constant;
}

value_id value_blur(struct value_store *store, value_id a)
{
	struct alt alt[VALUE_ALTS];
	const struct value *value;
	uint32_t i;

	a = value_plain(store, a);
	value = value_get(store, a);
	for (i = 0; i < value->alt_count; i++) {
		alt[i] = value->alt[i];
		alt_blur(&alt[i]);
	}
	return value_alts(store, alt, value->alt_count);
}

value_id value_number(value_id a)
{
	return a == VALUE_BOTTOM ? VALUE_BOTTOM : VALUE_NUMBER;
}

bool value_constant(const struct value_store *store, value_id a, int32_t *constant)
{
	const struct value *value = value_get(store, a);

	if (value->alt_count != 1 || value->alt[0].term_count || value->alt[0].flags)
		return false;
	*constant = value->alt[0].constant;
	return true;
}

bool value_has(const struct value_store *store, value_id a, enum base_kind kind)
{
	const struct value *value = value_get(store, a);
	uint32_t i, k;

	for (i = 0; i < value->alt_count; i++)
		for (k = 0; k < value->alt[i].term_count; k++)
			if (BASE_KIND(value->alt[i].term[k].base) == kind)
				return true;
	return false;
}

value_id value_lane_write(struct value_store *store, value_id vector, uint32_t lane,
			  value_id scalar)
{
	const struct value *old = value_get(store, vector);
	struct lane list[VALUE_LANES + 1];
	struct value value = { .lane = list };
	uint32_t i, k = 0;

	value.rest = old->lane_count ? old->rest : vector;
	for (i = 0; i < old->lane_count && old->lane[i].lane < lane; i++)
		list[k++] = old->lane[i];
	/* A lane like all others need not be distinguished. */
	if (scalar != value.rest) {
		list[k].lane = lane;
		list[k++].value = scalar;
	}
	for (; i < old->lane_count; i++)
		if (old->lane[i].lane != lane)
			list[k++] = old->lane[i];
	value.lane_count = k;
	return k ? value_intern(store, &value) : value.rest;
}

bool value_holds_lanes(const struct value_store *store, value_id value)
{
	return value_get(store, value)->lane_count;
}

value_id value_lane_read(struct value_store *store, value_id vector, uint32_t lane)
{
	const struct value *value = value_get(store, vector);

	return value->lane_count ? lane_of(value, lane) : vector;
}

value_id value_plain(struct value_store *store, value_id a)
{
	if (!value_get(store, a)->lane_count)
		return a;
	return value_unknown(store, "arithmetic on a register that holds spilled scalars");
}
