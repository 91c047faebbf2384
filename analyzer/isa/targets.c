/* SPDX-License-Identifier: Apache-2.0 */
/* From the two halves of an address to what it may point to. */
#include "flow.h"

#include <string.h>

/* The base of the lower half that belongs to a base of the upper half; 0 if it is no upper half. */
static uint32_t low_of(uint32_t high)
{
	uint32_t payload = BASE_PAYLOAD(high);

	switch (BASE_KIND(high)) {
	case BASE_KERNARG:
		return payload >= 4 ? BASE(BASE_KERNARG, payload - 4) : 0;
	case BASE_LOADED:
		return payload & 15 ? high - 1 : 0;
	case BASE_KERNARG_PTR:
	case BASE_DISPATCH_PTR:
	case BASE_IMAGE:
		return payload == 1 ? BASE(BASE_KIND(high), 0) : 0;
	default:
		return 0;
	}
}

static enum target_kind kind_of(uint32_t base)
{
	switch (BASE_KIND(base)) {
	case BASE_KERNARG_PTR:
		return TARGET_KERNARG_SEGMENT;
	case BASE_DISPATCH_PTR:
		return TARGET_RUNTIME;
	case BASE_IMAGE:
	case BASE_SYMBOL:
		return TARGET_IMAGE;
	default:
		return TARGET_POINTER;
	}
}

/* The term of `alt` that pairs with `low`; any symbol pairs with an image's upper half. */
static uint32_t matching(const struct alt *alt, uint32_t low)
{
	uint32_t i, base;

	for (i = 0; i < alt->term_count; i++) {
		base = alt->term[i].base;
		if (alt->term[i].sign < 0)
			continue;
		if (base == low || (low == BASE(BASE_IMAGE, 0) && BASE_KIND(base) == BASE_SYMBOL))
			return base;
	}
	return 0;
}

static bool is_pointer_argument(const struct flow *flow, uint32_t base)
{
	size_t i;

	if (BASE_KIND(base) != BASE_KERNARG)
		return false;
	for (i = 0; i < flow->arg_count; i++)
		if (flow->args[i].pointer && flow->args[i].offset == BASE_PAYLOAD(base))
			return true;
	return false;
}

static unsigned emit(struct target *target, unsigned count, const struct target *one)
{
	if (count < TARGETS_MAX)
		target[count] = *one;
	return count < TARGETS_MAX ? count + 1 : count;
}

static unsigned emit_unknown(struct target *target, unsigned count, const char *why)
{
	struct target one = { .kind = TARGET_UNKNOWN, .why = why };

	return emit(target, count, &one);
}

/* Terms that may be a pointer or a part of one. */
static bool has_bases(const struct alt *alt)
{
	for (uint32_t i = 0; i < alt->term_count; i++)
		if (BASE_KIND(alt->term[i].base) != BASE_DELTA)
			return true;
	return false;
}

/* Whether part of a difference from the pointer that begins with `base` was added. */
static bool has_delta(const struct alt *alt, uint32_t base)
{
	uint32_t payload = BASE_PAYLOAD(base), upper;

	if (BASE_KIND(base) == BASE_KERNARG) {
		upper = BASE(BASE_DELTA, DELTA_KERNARG | (payload + 4));
		payload |= DELTA_KERNARG;
	} else if (BASE_KIND(base) == BASE_LOADED) {
		upper = BASE(BASE_DELTA, payload + 1);
	} else {
		return false;
	}
	for (uint32_t i = 0; i < alt->term_count; i++)
		if (alt->term[i].base == BASE(BASE_DELTA, payload) || alt->term[i].base == upper)
			return true;
	return false;
}

/* Alternatives of the lower half for which no upper half was found yet, a bit for each. */
static void found_plain(const struct value *low, uint64_t *left)
{
	for (uint32_t i = 0; i < low->alt_count; i++)
		if (!has_bases(&low->alt[i]))
			*left &= ~(UINT64_C(1) << i);
}

/* Upper half = an aperture: private memory or LDS through a flat address. */
static unsigned aperture(const struct value *low, const struct alt *high, bool shared,
			 struct target *target, unsigned count, uint64_t *left)
{
	struct target one = { .kind = shared ? TARGET_LDS : TARGET_PRIVATE };
	unsigned before = count;
	uint32_t i;

	/* What is added to an offset of LDS is an offset, whatever it comes from. */
	if (shared)
		*left = 0;
	found_plain(low, left);
	if (shared)
		return emit(target, count, &one);
	for (i = 0; i < low->alt_count; i++) {
		if (low->alt[i].term_count)
			continue;
		one.exact = !low->alt[i].flags && !high->flags;
		one.constant = low->alt[i].constant;
		count = emit(target, count, &one);
	}
	if (count == before) {
		one.exact = false;
		count = emit(target, count, &one);
	}
	return count;
}

/* Upper half without bases. */
static unsigned number(const struct value *low, const struct alt *high, const char *why,
		       struct target *target, unsigned count, uint64_t *left)
{
	struct target one = { .kind = TARGET_NUMBER };
	uint32_t i;

	found_plain(low, left);
	if (high->flags)
		return emit_unknown(target, count, why);
	for (i = 0; i < low->alt_count; i++) {
		if (low->alt[i].term_count)
			continue;
		one.exact = !low->alt[i].flags;
		one.constant = low->alt[i].constant;
		count = emit(target, count, &one);
	}
	return count;
}

static unsigned for_high(struct flow *flow, const struct value *low, const struct alt *high,
			 struct target *target, unsigned count, uint64_t *left)
{
	uint32_t candidate[ALT_TERMS], i, k;
	unsigned n = 0, pointers = 0;
	struct target one;
	const char *why = high->flags & ALT_TAINT ? flow->store.reason[high->why]
						  : "the address is computed from numbers only";

	for (i = 0; i < high->term_count; i++) {
		uint32_t base = high->term[i].base, match = 0, expected;

		if (high->term[i].sign < 0)
			continue;
		if (BASE_KIND(base) == BASE_APERTURE)
			return aperture(low, high, BASE_PAYLOAD(base), target, count, left);
		expected = low_of(base);
		for (k = 0; expected && k < low->alt_count; k++) {
			uint32_t found = matching(&low->alt[k], expected);

			match = match ? match : found;
			*left &= ~((uint64_t) !!found << k);
		}
		if (match)
			candidate[n++] = match;
	}
	if (!n && !has_bases(high))
		return number(low, high, why, target, count, left);
	if (!n)
		return emit_unknown(target, count,
				    high->flags & ALT_TAINT
					? why
					: "the halves of the address do not belong together");
	/* What is a pointer for certain wins over what may be an index added to it. */
	for (i = 0; i < n; i++) {
		bool certain = kind_of(candidate[i]) != TARGET_POINTER ||
			       is_pointer_argument(flow, candidate[i]);

		if (certain) {
			uint32_t swap = candidate[pointers];

			candidate[pointers++] = candidate[i];
			candidate[i] = swap;
		}
	}
	if (!pointers && high->flags & ALT_TAINT)
		return emit_unknown(target, count, why);
	if (pointers)
		n = pointers;
	if (high->flags & ALT_LOST)
		return emit_unknown(target, count, why);
	for (i = 0; i < n; i++) {
		bool delta = has_delta(high, candidate[i]);

		for (k = 0; k < low->alt_count; k++)
			delta |= has_delta(&low->alt[k], candidate[i]);
		if (delta)
			return emit_unknown(target, count,
					    "a pointer and part of its distance from something");
	}
	memset(&one, 0, sizeof(one));
	one.kind = kind_of(candidate[0]);
	one.base = candidate[0];
	one.other_count = n - 1;
	memcpy(one.other, candidate + 1, (n - 1) * sizeof(one.other[0]));
	for (k = 0; k < low->alt_count; k++) {
		const struct alt *alt = &low->alt[k];
		uint32_t match = matching(
		    alt, BASE_KIND(one.base) == BASE_SYMBOL ? BASE(BASE_IMAGE, 0) : one.base);

		if (!match)
			continue;
		one.base = match;
		one.exact = !alt->flags && alt->term_count == 1;
		one.constant_known = !(alt->flags & (ALT_NOCONST | ALT_TAINT));
		one.constant = alt->constant;
		count = emit(target, count, &one);
		if (one.kind == TARGET_POINTER)
			break;
	}
	return count;
}

unsigned flow_targets(struct flow *flow, value_id low, value_id high, struct target *target)
{
	const struct value *x, *y;
	unsigned count = 0;
	uint64_t left;
	uint32_t i;

	low = value_plain(&flow->store, low);
	high = value_plain(&flow->store, high);
	if (low == VALUE_BOTTOM || high == VALUE_BOTTOM)
		return 0;
	x = value_get(&flow->store, low);
	y = value_get(&flow->store, high);
	left = (UINT64_C(1) << x->alt_count) - 1;
	for (i = 0; i < y->alt_count; i++)
		count = for_high(flow, x, &y->alt[i], target, count, &left);
	if (left)
		count =
		    emit_unknown(target, count, "the halves of the address do not belong together");
	return count ? count : emit_unknown(target, 0, "the address is computed from numbers only");
}
