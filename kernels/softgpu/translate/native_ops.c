/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the functions that translate rows, and the translation of compares. */
#include "native_ops.h"

#if defined(__x86_64__)

typedef void (*translate_fn)(struct native *n, const struct sg_insn *in, uint32_t arg);

struct native_rule {
	const char *name;
	translate_fn translate;
	uint32_t arg;
};

/* ---- compares ---- */

enum condition { LT, EQ, LE, GT, NE, GE, LG, O, U, NGE, NLG, NGT, NLE, NEQ, NLT };

static const struct {
	const char *name;
	uint8_t predicate; /* of VCMPPS */
} conditions[] = {
	[LT] = { "lt", 0x11 },   [EQ] = { "eq", 0x00 },   [LE] = { "le", 0x12 },
	[GT] = { "gt", 0x1e },   [NE] = { "ne", 0x04 },   [GE] = { "ge", 0x1d },
	[LG] = { "lg", 0x0c },   [O] = { "o", 0x07 },     [U] = { "u", 0x03 },
	[NGE] = { "nge", 0x19 }, [NLG] = { "nlg", 0x08 }, [NGT] = { "ngt", 0x1a },
	[NLE] = { "nle", 0x16 }, [NEQ] = { "neq", 0x04 }, [NLT] = { "nlt", 0x15 },
};

/* Computes d = a < b, or a == b; unsigned if a sign to flip is given. */
static void compare_int(struct native *n, enum condition c, bool wide, int sign, unsigned d,
			unsigned a, unsigned b)
{
	bool equal = c == EQ || c == NE, swap = c == LT || c == GE;
	unsigned first = swap ? b : a, second = swap ? a : b;

	if (sign >= 0 && !equal) {
		op3(n, VPXOR, NATIVE_TEMP, first, (unsigned)sign);
		op3(n, VPXOR, d, second, (unsigned)sign);
		first = NATIVE_TEMP;
		second = d;
	}
	op3(n, equal ? wide ? VPCMPEQQ : VPCMPEQD : wide ? VPCMPGTQ : VPCMPGTD, d, first, second);
}

static void compare_values(struct native *n, const struct sg_insn *in, uint32_t arg)
{
	enum condition c = arg;
	uint8_t type = in->op->a, out, sign = 0, ones = 0;
	bool is_float = type == SG_f32 || type == SG_f64, wide = sg_is64(type);
	bool is_unsigned = type == SG_u32 || type == SG_u64;
	bool opposite = !is_float && (c == NE || c == LE || c == GE);
	struct native_value a, b;
	uint8_t t[2];
	unsigned i;

	if (wide) {
		a = source64(n, in, in->a);
		b = source64(n, in, in->b);
	} else {
		a = one(source32(n, in, in->a));
		b = one(source32(n, in, in->b));
	}
	if (is_unsigned)
		sign = wide ? native_quad(n, SIGN64) : native_word(n, SIGN32);
	if (opposite)
		ones = native_word(n, ~0u);
	t[0] = native_temp(n);
	t[1] = wide ? native_temp(n) : t[0];
	for (i = 0; i < (wide ? 2 : 1); i++)
		if (is_float)
			op3i(n, wide ? VCMPPD : VCMPPS, t[i], a.r[i], b.r[i],
			     conditions[c].predicate);
		else
			compare_int(n, c, wide, is_unsigned ? sign : -1, t[i], a.r[i], b.r[i]);
	out = native_set_mask_of(n, &in->o[0]);
	if (wide)
		pack_masks(n, out, t[0], t[1]);
	else
		copy(n, out, t[0]);
	if (opposite)
		op3(n, VPXOR, out, out, ones);
}

/* ---- which row goes where ---- */

#define NATIVE(name, function, argument) { #name, native_##function, argument },
static const struct native_rule rules[] = {
#include "native.def"
};
#undef NATIVE

static bool find_compare(const struct sg_op *op, struct native_rule *rule)
{
	const char *s = op->name + 6, *end;
	bool is_float = op->a == SG_f32 || op->a == SG_f64;
	unsigned i;

	if (strncmp(op->name, "v_cmp_", 6) || op->a != op->b ||
	    !(is_float || op->a == SG_i32 || op->a == SG_u32 || op->a == SG_i64 || op->a == SG_u64))
		return false;
	end = strchr(s, '_');
	if (!end || !strncmp(s, "class", 5))
		return false;
	for (i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		size_t k = strlen(conditions[i].name);

		if (k != (size_t)(end - s) || strncmp(s, conditions[i].name, k))
			continue;
		*rule = (struct native_rule){ op->name, compare_values, i };
		return is_float || i <= GE;
	}
	return false;
}

static bool find_rule(const struct sg_op *op, struct native_rule *rule)
{
	unsigned i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(op->name, rules[i].name)) {
			*rule = rules[i];
			return true;
		}
	return find_compare(op, rule);
}

bool native_knows(const struct sg_op *op)
{
	struct native_rule rule;

	return find_rule(op, &rule);
}

bool native_translate(struct native *n, const struct sg_insn *in)
{
	struct native_rule rule;

	if (!in->simple || in->op->flags & (SG_F_CMPX | SG_F_HI | SG_F_KEEP_HI) ||
	    !find_rule(in->op, &rule))
		return false;
	if (in->op_sel && in->op->a != SG_pf)
		return false;
	rule.translate(n, in, rule.arg);
	native_unlock(n);
	return !n->failed;
}

#else

bool native_knows(const struct sg_op *op)
{
	(void)op;
	return false;
}

#endif
