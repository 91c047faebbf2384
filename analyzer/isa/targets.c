/* SPDX-License-Identifier: Apache-2.0 */
/* From the two halves of an address to what it may point to. */
#include "flow.h"

#include <string.h>

/* Returns the lower half's base that belongs to a base of the upper half; 0 if it is none. */
static uint32_t low_of(uint32_t high)
{
	uint32_t payload = BASE_PAYLOAD(high);

	switch (BASE_KIND(high)) {
	case BASE_KERNARG:
		return payload >= 4 ? BASE(BASE_KERNARG, payload - 4) : 0;
	case BASE_LOADED:
		return payload & 15 ? high - 1 : 0;
	case BASE_DISPATCH_PTR:
		return payload & 1 ? high - 1 : 0;
	case BASE_KERNARG_PTR:
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

/* Returns the term of `alt` that pairs with `low`; any symbol pairs with an image's upper half. */
static const struct term *matching(const struct alt *alt, uint32_t low)
{
	for (uint32_t i = 0; i < alt->term_count; i++) {
		const struct term *term = &alt->term[i];

		if (term->sign != SIGN_WHOLE && term->sign != SIGN_MAYBE)
			continue;
		if (term->base == low ||
		    (low == BASE(BASE_IMAGE, 0) && BASE_KIND(term->base) == BASE_SYMBOL))
			return term;
	}
	return NULL;
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

/* Returns true if a dword is no half of a pointer: these are loaded and passed as a whole. */
static bool is_alone(const struct flow *flow, uint32_t base)
{
	const struct insn *insn;

	if (BASE_KIND(base) == BASE_KERNARG) {
		for (size_t i = 0; i < flow->arg_count; i++)
			if (flow->args[i].offset == BASE_PAYLOAD(base))
				return flow->args[i].size == 4;
		return false;
	}
	if (BASE_KIND(base) != BASE_LOADED)
		return false;
	insn = flow->access[BASE_PAYLOAD(base) >> 4].insn;
	return insn->dwords == 1 && !insn->dual;
}

/* Terms that may be a pointer or a part of one. */
static bool has_bases(const struct flow *flow, const struct alt *alt)
{
	for (uint32_t i = 0; i < alt->term_count; i++)
		if (BASE_KIND(alt->term[i].base) != BASE_DELTA &&
		    !is_alone(flow, alt->term[i].base))
			return true;
	return false;
}

/* Returns true if part of a difference from the pointer that begins with `base` was added. */
static bool has_delta(const struct alt *alt, uint32_t base)
{
	uint32_t payload = BASE_PAYLOAD(base), upper;

	if (BASE_KIND(base) == BASE_IMAGE || BASE_KIND(base) == BASE_SYMBOL) {
		upper = BASE(BASE_DELTA, DELTA_IMAGE);
		payload = DELTA_IMAGE;
	} else if (BASE_KIND(base) == BASE_KERNARG) {
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

/* `left` has a bit for each alternative of the lower half for which no upper half was found yet. */
static void found_plain(const struct flow *flow, const struct value *low, uint64_t *left)
{
	for (uint32_t i = 0; i < low->alt_count; i++)
		if (!has_bases(flow, &low->alt[i]))
			*left &= ~(UINT64_C(1) << i);
}

/* Compilers are taken to begin an address that an index is added to so far below a variable. */
#define BELOW_VARIABLE 256

/*
 * An index is added to an address within a variable: clang puts what is subtracted from an index
 * into the address (`v[i - 3]` begins 12 bytes below v), so that it may also be the next variable.
 * Seen from clang 22 on, not with 15 to 21, where such an address is a part of the variable.
 */
static unsigned next_variable(const struct flow *flow, const struct target *of,
			      struct target *target, unsigned count)
{
	const struct isa_image *image = flow->program->image;
	const struct isa_symbol *symbol;
	struct target one = *of;
	uint64_t address;

	if ((image->clang && image->clang < 22) || of->exact || !of->constant_known ||
	    of->constant <= 0 || BASE_KIND(of->base) != BASE_SYMBOL)
		return count;
	address = image->symbols[BASE_PAYLOAD(of->base)].address + (uint32_t)of->constant;
	symbol = isa_image_variable_after(image, address, BELOW_VARIABLE);
	if (!symbol)
		return count;
	one.base = BASE(BASE_SYMBOL, symbol - image->symbols);
	one.constant = (int32_t)(address - symbol->address);
	return emit(target, count, &one);
}

/* Adds what the upper half of an aperture leads to: private memory or LDS by a flat address. */
static unsigned aperture(const struct flow *flow, const struct value *low, const struct alt *high,
			 bool shared, struct target *target, unsigned count, uint64_t *left)
{
	struct target one = { .kind = shared ? TARGET_LDS : TARGET_PRIVATE };
	unsigned before = count;
	uint32_t i;

	/* Anything that is added to an offset of LDS is an offset, whatever it comes from. */
	if (shared)
		*left = 0;
	found_plain(flow, low, left);
	if (shared)
		return emit(target, count, &one);
	for (i = 0; i < low->alt_count; i++) {
		if (low->alt[i].term_count)
			continue;
		one.exact = !low->alt[i].flags && !high->flags;
		one.constant = low->alt[i].constant;
		one.bounded = low->alt[i].flags == ALT_OPAQUE && low->alt[i].bound && !high->flags;
		one.first = one.constant;
		one.last = (int64_t)one.constant + low->alt[i].bound;
		count = emit(target, count, &one);
	}
	if (count == before) {
		one.exact = one.bounded = false;
		count = emit(target, count, &one);
	}
	return count;
}

#define FIRST_PAGE 4096u

/* Returns true if the lower half may be another dword that was loaded alone, as of a packed struct.
 */
static bool has_other_dword(const struct flow *flow, const struct value *low, uint32_t base)
{
	for (uint32_t i = 0; i < low->alt_count; i++)
		for (uint32_t t = 0; t < low->alt[i].term_count; t++) {
			uint32_t other = low->alt[i].term[t].base;

			if (other != base && BASE_KIND(other) == BASE_LOADED &&
			    is_alone(flow, other))
				return true;
		}
	return false;
}

/*
 * Returns true if a number takes the place of one pointer or another one: a null pointer was
 * selected, and an index added, or a store at a place that is not known may have put a number where
 * a pointer lies in private memory. Nothing is accessed through it.
 */
static bool is_instead(const struct flow *flow, const struct value *low, const struct value *upper,
		       const struct alt *high)
{
	if (high->flags & ~(ALT_OPAQUE | ALT_NOCONST))
		return false;
	for (uint32_t i = 0; i < high->term_count; i++)
		if (!is_alone(flow, high->term[i].base) ||
		    has_other_dword(flow, low, high->term[i].base))
			return false;
	for (uint32_t i = 0; i < upper->alt_count; i++)
		if (has_bases(flow, &upper->alt[i]))
			return true;
	return false;
}

/* Adds targets of an upper half without bases. */
static unsigned number(const struct flow *flow, const struct value *low, const struct value *upper,
		       const struct alt *high, const char *why, struct target *target,
		       unsigned count, uint64_t *left)
{
	struct target one = { .kind = TARGET_NUMBER };
	uint32_t i;

	found_plain(flow, low, left);
	if ((high->flags || high->term_count) && is_instead(flow, low, upper, high)) {
		one.null = true;
		return emit(target, count, &one);
	}
	if (high->flags || high->term_count)
		return emit_unknown(target, count, why);
	for (i = 0; i < low->alt_count; i++) {
		if (low->alt[i].term_count)
			continue;
		one.exact = !low->alt[i].flags;
		one.constant = low->alt[i].constant;
		one.null = one.exact && !high->constant && (uint32_t)one.constant < FIRST_PAGE;
		count = emit(target, count, &one);
	}
	return count;
}

/* Pointers that an upper half may be of, each by the base of its lower half. */
struct candidates {
	uint32_t base[ALT_TERMS];
	unsigned count;
	int balance;     /* pointers for certain that are added, less those that are subtracted */
	bool subtracted; /* there is one of the latter */
};

static bool is_certain(const struct flow *flow, uint32_t low)
{
	return kind_of(low) != TARGET_POINTER || is_pointer_argument(flow, low);
}

static void find_candidates(const struct flow *flow, const struct value *low,
			    const struct alt *high, struct candidates *found, uint64_t *left)
{
	bool maybe = false;
	unsigned certain = 0;

	memset(found, 0, sizeof(*found));
	for (uint32_t i = 0; i < high->term_count; i++) {
		const struct term *term = &high->term[i], *match = NULL;
		uint32_t expected = low_of(term->base);

		if (term->sign < 0 && expected && is_certain(flow, expected)) {
			found->balance--;
			found->subtracted = true;
		}
		for (uint32_t k = 0; term->sign > 0 && expected && k < low->alt_count; k++) {
			const struct term *one = matching(&low->alt[k], expected);

			if (!one)
				continue;
			match = match ? match : one;
			*left &= ~(UINT64_C(1) << k);
		}
		if (!match)
			continue;
		found->base[found->count++] = match->base;
		if (!is_certain(flow, match->base))
			continue;
		found->balance++;
		maybe |= term->sign == SIGN_MAYBE;
		/* The certain ones stand first. */
		found->base[found->count - 1] = found->base[certain];
		found->base[certain++] = match->base;
	}
	/*
	 * A base that is a pointer for certain wins over what may be an index added to it; not if
	 * it need not be there, or if another one is subtracted: their difference may be the index.
	 */
	if (certain && !maybe && found->balance > 0)
		found->count = certain;
	else if (certain == found->count && found->subtracted && found->balance <= 0)
		found->count = 0;
}

/* Tells if a pointer is subtracted for certain in this lower half, but not in the upper one. */
static bool half_difference(const struct flow *flow, const struct alt *low, const struct alt *high)
{
	for (uint32_t i = 0; i < low->term_count; i++) {
		bool both = false;

		if (low->term[i].sign > 0 || !is_certain(flow, low->term[i].base))
			continue;
		for (uint32_t k = 0; k < high->term_count; k++)
			both |= high->term[k].sign < 0 &&
				low_of(high->term[k].base) == low->term[i].base;
		if (!both)
			return true;
	}
	return false;
}

/* Tells if it has bits of a lower half and of something else: another address in the 4 GiB. */
static bool half_choice(const struct alt *low, const struct term *match, const struct alt *high)
{
	bool upper = false, other = false;

	if (match->sign != SIGN_MAYBE)
		return false;
	for (uint32_t i = 0; i < low->term_count; i++)
		other |= &low->term[i] != match && low->term[i].sign > 0 &&
			 BASE_KIND(low->term[i].base) != BASE_DELTA;
	for (uint32_t i = 0; i < high->term_count; i++)
		upper |=
		    low_of(high->term[i].base) == match->base && high->term[i].sign == SIGN_MAYBE;
	return other && !upper;
}

/* Why none of the candidates can be taken for the pointer; NULL if nothing speaks against it. */
static const char *doubt(const struct flow *flow, const struct value *low, const struct alt *high,
			 const struct candidates *found)
{
	bool certain = is_certain(flow, found->base[0]) && found->balance > 0;
	unsigned flags = high->flags;
	const char *why = high->flags & ALT_TAINT ? flow->store.reason[high->why] : NULL;

	if (found->balance < 0)
		return "a pointer was subtracted";
	for (unsigned i = 0; i < found->count; i++) {
		bool delta = has_delta(high, found->base[i]);

		certain &= is_certain(flow, found->base[i]);
		for (uint32_t k = 0; k < low->alt_count; k++) {
			const struct alt *alt = &low->alt[k];
			const struct term *match = matching(alt, found->base[i]);

			delta |= has_delta(alt, found->base[i]);
			if (!match)
				continue;
			flags |= alt->flags & (ALT_LESS | ALT_LOST);
			if (!why && alt->flags & ALT_LOST)
				why = flow->store.reason[alt->why];
			if (half_difference(flow, alt, high))
				return "part of the difference of two pointers was added";
			if (half_choice(alt, match, high))
				return "bits of a pointer and of something else";
		}
		if (delta)
			return "a pointer and part of its distance from something";
	}
	if (flags & ALT_LOST || (!certain && flags & ALT_TAINT))
		return why;
	return !certain && flags & (ALT_MORE | ALT_LESS) ? "a sum of too many unknowns" : NULL;
}

/* Why the halves have no base in common: one of them may be something that was not followed. */
static const char *why_apart(const struct flow *flow, const struct value *low,
			     const struct value *high)
{
	for (uint32_t i = 0; i < high->alt_count; i++)
		if (high->alt[i].flags & ALT_TAINT)
			return flow->store.reason[high->alt[i].why];
	for (uint32_t i = 0; i < low->alt_count; i++)
		if (low->alt[i].flags & ALT_TAINT)
			return flow->store.reason[low->alt[i].why];
	return "the halves of the address do not belong together";
}

/*
 * Returns a number of which the distance from a base is a multiple, beside the constant in the
 * lower half. A number that is no power of 2 is one only where the upper half has the number's
 * other half, or nothing but a carry.
 */
static uint32_t stride_from(const struct alt *low, const struct term *match, const struct alt *high)
{
	const unsigned known = ALT_OPAQUE | ALT_NOCONST;
	uint32_t stride = low->flags & ALT_OPAQUE && !low->stride ? 1 : low->stride;
	uint32_t upper = high->stride ? high->stride : 1, both;

	if (low->term_count != 1 || match->sign != SIGN_WHOLE || low->flags & ~known ||
	    high->term_count != 1 || high->flags & ~known)
		return 1;
	if (!(high->flags & ALT_OPAQUE))
		return stride;
	if (!stride)
		return 1; /* of 4 GiB */
	both = value_divisor(stride, upper, 0);
	stride = value_power(stride);
	return both > stride ? both : stride;
}

/* Returns what remains of a distance. */
static int32_t remainder_of(int64_t distance, uint32_t stride)
{
	int64_t rest = stride ? distance % (int64_t)stride : distance;

	return (int32_t)(rest < 0 ? rest + stride : rest);
}

/* Finds the least and the greatest distance of a target. Returns false if they are not known. */
static bool range_of(const struct target *target, int64_t *first, int64_t *last)
{
	*first = target->bounded ? target->first : target->constant;
	*last = target->bounded ? target->last : target->constant;
	for (unsigned i = 0; i < target->more_count; i++) {
		*first = target->more[i] < *first ? target->more[i] : *first;
		*last = target->more[i] > *last ? target->more[i] : *last;
	}
	return target->bounded || target->exact;
}

/* The upper half has nothing but the pointer's own, and the distance is no negative one. */
static void set_range(struct target *target, const struct alt *low, const struct term *match,
		      const struct alt *high)
{
	target->bounded = low->flags == ALT_OPAQUE && low->bound && low->term_count == 1 &&
			  match->sign == SIGN_WHOLE && low->constant >= 0 && !high->flags &&
			  high->term_count == 1 && !high->constant && !target->other_count;
	target->first = low->constant;
	target->last = (int64_t)low->constant + low->bound;
}

/* Another distance from the same pointer, which is not one of few that are known. */
static void merge_targets(struct target *to, const struct target *from)
{
	int64_t distance = (int64_t)to->constant - from->constant;
	uint32_t stride = value_divisor(to->exact ? 0 : to->stride, from->exact ? 0 : from->stride,
					(uint32_t)(distance < 0 ? -distance : distance));

	int64_t first, last, begin, end;
	bool bounded = range_of(to, &first, &last);

	to->bounded = range_of(from, &begin, &end) && bounded && !to->other_count;
	to->first = begin < first ? begin : first;
	to->last = end > last ? end : last;
	for (unsigned i = 0; i < to->more_count; i++) {
		distance = (int64_t)to->constant - to->more[i];
		stride = value_divisor(stride, (uint32_t)(distance < 0 ? -distance : distance), 0);
	}
	to->exact = to->constant_known = false;
	to->stride = stride;
	to->constant = remainder_of(to->constant, stride);
	to->more_count = 0;
}

static unsigned for_high(struct flow *flow, const struct value *low, const struct value *upper,
			 const struct alt *high, struct target *target, unsigned count,
			 uint64_t *left)
{
	struct candidates found;
	struct target one, *emitted = NULL;
	const char *why = high->flags & ALT_TAINT ? flow->store.reason[high->why]
						  : "the address is computed from numbers only";

	for (uint32_t i = 0; i < high->term_count; i++)
		if (high->term[i].sign > 0 && BASE_KIND(high->term[i].base) == BASE_APERTURE)
			return aperture(flow, low, high, BASE_PAYLOAD(high->term[i].base), target,
					count, left);
	find_candidates(flow, low, high, &found, left);
	if (!found.count && !has_bases(flow, high))
		return number(flow, low, upper, high, why, target, count, left);
	if (!found.count)
		return emit_unknown(target, count,
				    found.subtracted ? "a pointer was subtracted"
						     : why_apart(flow, low, upper));
	why = doubt(flow, low, high, &found);
	if (why)
		return emit_unknown(target, count, why);
	memset(&one, 0, sizeof(one));
	one.kind = kind_of(found.base[0]);
	one.base = found.base[0];
	one.other_count = found.count - 1;
	memcpy(one.other, found.base + 1, (found.count - 1) * sizeof(one.other[0]));
	for (uint32_t k = 0; k < low->alt_count; k++) {
		const struct alt *alt = &low->alt[k];
		const struct term *match = matching(
		    alt, BASE_KIND(one.base) == BASE_SYMBOL ? BASE(BASE_IMAGE, 0) : one.base);

		if (!match)
			continue;
		one.base = match->base;
		one.exact = !alt->flags && alt->term_count == 1 && match->sign == SIGN_WHOLE;
		one.constant_known =
		    !(alt->flags & (ALT_NOCONST | ALT_TAINT | ALT_MORE | ALT_LESS));
		one.constant = alt->constant;
		one.stride = stride_from(alt, match, high);
		set_range(&one, alt, match, high);
		if (one.kind != TARGET_POINTER) {
			count = emit(target, count, &one);
			count = next_variable(flow, &one, target, count);
			continue;
		}
		one.exact &= !high->flags && high->term_count == 1;
		/* A pointer is a single target, with every distance from it that is known. */
		if (emitted && emitted->exact && one.exact &&
		    emitted->more_count < TARGET_DISTANCES)
			emitted->more[emitted->more_count++] = one.constant;
		else if (emitted)
			merge_targets(emitted, &one);
		if (emitted)
			continue;
		emitted = count < TARGETS_MAX ? &target[count] : &one;
		count = emit(target, count, &one);
	}
	return count;
}

static unsigned find_targets(struct flow *flow, value_id low, value_id high, struct target *target)
{
	const struct value *x = value_get(&flow->store, low), *y = value_get(&flow->store, high);
	uint64_t left = (UINT64_C(1) << x->alt_count) - 1;
	unsigned count = 0;

	for (uint32_t i = 0; i < y->alt_count; i++)
		count = for_high(flow, x, y, &y->alt[i], target, count, &left);
	if (left)
		count = emit_unknown(target, count, why_apart(flow, x, y));
	return count ? count : emit_unknown(target, 0, "the address is computed from numbers only");
}

unsigned flow_targets(struct flow *flow, value_id low, value_id high, struct target *target)
{
	struct known_targets *known;
	unsigned count;

	low = value_plain(&flow->store, low);
	high = value_plain(&flow->store, high);
	if (low == VALUE_BOTTOM || high == VALUE_BOTTOM)
		return 0;
	known = &flow->known_targets[(low * 31u + high) % KNOWN_TARGETS];
	if (known->count && known->low == low && known->high == high) {
		memcpy(target, known->target, known->count * sizeof(*target));
		return known->count;
	}
	count = find_targets(flow, low, high, target);
	if (count && count <= KNOWN_FEW) {
		known->low = low;
		known->high = high;
		known->count = count;
		memcpy(known->target, target, count * sizeof(*target));
	}
	return count;
}
