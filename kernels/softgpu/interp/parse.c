/* SPDX-License-Identifier: Apache-2.0 */
/* Text of an instruction -> struct sg_insn. The syntax is LLVM's (AMDGPUOperandSyntax). */
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <ctype.h>
#include <stdlib.h>

#include "parse.h"

/* ---- mnemonics ---- */

#define OP_BUCKETS 4096

static const struct sg_op *op_hash[OP_BUCKETS];
static pthread_once_t op_once = PTHREAD_ONCE_INIT;

static unsigned hash_name(const char *s)
{
	unsigned h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

static void add_table(const struct sg_op *row)
{
	for (; row->name; row++) {
		unsigned h = hash_name(row->name);

		while (op_hash[h % OP_BUCKETS])
			h++;
		op_hash[h % OP_BUCKETS] = row;
	}
}

#if defined(__x86_64__)
/* Returns true if the processor has F16C, for which not every clang has a name in
 * __builtin_cpu_supports(). */
static bool has_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}
#endif

static void make_hash(void)
{
	const struct sg_op *valu = sg_table_valu;

#if defined(__x86_64__)
	/* The same table compiled twice: FMA in hardware is many times faster than fma(). */
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() &&
	    __builtin_cpu_supports("bmi2"))
		valu = sg_table_valu_haswell;
#endif
	add_table(valu);
	add_table(sg_table_salu);
	add_table(sg_table_sopp);
	add_table(sg_table_smem);
	add_table(sg_table_lane);
	add_table(sg_table_vmem);
	add_table(sg_table_formatted);
	add_table(sg_table_image);
	add_table(sg_table_atomic);
	add_table(sg_table_lds);
	add_table(sg_table_transpose);
	add_table(sg_table_gws);
	add_table(sg_table_mfma);
	add_table(sg_table_block_scale);
	add_table(sg_table_fp8);
	add_table(sg_table_scale);
	add_table(sg_table_gfx950);
}

const struct sg_op *sg_find_op(const char *name)
{
	unsigned h = hash_name(name);

	pthread_once(&op_once, make_hash);
	for (; op_hash[h % OP_BUCKETS]; h++)
		if (!strcmp(op_hash[h % OP_BUCKETS]->name, name))
			return op_hash[h % OP_BUCKETS];
	return NULL;
}

/* ---- operands ---- */

static const struct {
	const char *name;
	uint8_t kind;
	uint16_t index;
	uint8_t count;
	uint64_t value;
} named[] = {
	{ "vcc", SG_K_SCALAR, SG_VCC, 2, 0 },
	{ "vcc_lo", SG_K_SCALAR, SG_VCC, 1, 0 },
	{ "vcc_hi", SG_K_SCALAR, SG_VCC + 1, 1, 0 },
	{ "exec", SG_K_SCALAR, SG_EXEC, 2, 0 },
	{ "exec_lo", SG_K_SCALAR, SG_EXEC, 1, 0 },
	{ "exec_hi", SG_K_SCALAR, SG_EXEC + 1, 1, 0 },
	{ "m0", SG_K_SCALAR, SG_M0, 1, 0 },
	{ "flat_scratch", SG_K_SCALAR, SG_FLAT_SCRATCH, 2, 0 },
	{ "flat_scratch_lo", SG_K_SCALAR, SG_FLAT_SCRATCH, 1, 0 },
	{ "flat_scratch_hi", SG_K_SCALAR, SG_FLAT_SCRATCH + 1, 1, 0 },
	{ "xnack_mask", SG_K_SCALAR, SG_XNACK_MASK, 2, 0 },
	{ "xnack_mask_lo", SG_K_SCALAR, SG_XNACK_MASK, 1, 0 },
	{ "xnack_mask_hi", SG_K_SCALAR, SG_XNACK_MASK + 1, 1, 0 },
	{ "scc", SG_K_SCC, 0, 1, 0 },
	{ "src_scc", SG_K_SCC, 0, 1, 0 },
	{ "vccz", SG_K_VCCZ, 0, 1, 0 },
	{ "src_vccz", SG_K_VCCZ, 0, 1, 0 },
	{ "execz", SG_K_EXECZ, 0, 1, 0 },
	{ "src_execz", SG_K_EXECZ, 0, 1, 0 },
	{ "off", SG_K_OFF, 0, 0, 0 },
	{ "src_shared_base", SG_K_CONST, 0, 2, (uint64_t)SG_SHARED_BASE_HI << 32 },
	{ "src_shared_limit", SG_K_CONST, 0, 2, (uint64_t)SG_SHARED_BASE_HI << 32 | 0xffffffffu },
	{ "src_private_base", SG_K_CONST, 0, 2, (uint64_t)SG_PRIVATE_BASE_HI << 32 },
	{ "src_private_limit", SG_K_CONST, 0, 2, (uint64_t)SG_PRIVATE_BASE_HI << 32 | 0xffffffffu },
};

static const struct {
	const char *prefix;
	uint8_t kind;
	uint16_t base, limit;
} files[] = {
	{ "ttmp", SG_K_SCALAR, 108, 124 },
	{ "v", SG_K_VECTOR, 0, 256 },
	{ "a", SG_K_VECTOR, SG_AGPR_BASE, SG_VECTORS },
	{ "s", SG_K_SCALAR, 0, 104 }, /* s[100:103]: with FLAT_SCRATCH */
};

/* Parses "v7" or "s[4:7]". Returns true if `s` is a register. */
static bool parse_register(const char *s, struct sg_operand *o)
{
	unsigned i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t n = strlen(files[i].prefix);
		unsigned first, last;
		char end;

		if (strncmp(s, files[i].prefix, n))
			continue;
		if (s[n] == '[') {
			if (sscanf(s + n, "[%u:%u%c", &first, &last, &end) != 3 || end != ']') {
				if (sscanf(s + n, "[%u%c", &first, &end) != 2 || end != ']')
					continue;
				last = first;
			}
		} else if (isdigit((unsigned char)s[n])) {
			if (sscanf(s + n, "%u%c", &first, &end) != 1)
				continue;
			last = first;
		} else {
			continue;
		}
		if (last < first || files[i].base + last >= files[i].limit)
			continue;
		o->kind = files[i].kind;
		o->index = (uint16_t)(files[i].base + first);
		o->count = (uint8_t)(last - first + 1);
		return true;
	}
	return false;
}

static bool parse_number(const char *s, struct sg_operand *o)
{
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return false;
	o->kind = SG_K_CONST;
	o->count = 2;
	if (!strncmp(s, "0x", 2)) {
		o->is_hex = true;
		o->value = strtoull(s, &end, 16);
	} else if (!strncmp(s, "-0x", 3)) { /* offsets of scalar loads */
		o->value = 0 - strtoull(s + 1, &end, 16);
	} else if (strchr(s, '.')) {
		o->is_float = true;
		o->fvalue = strtod(s, &end);
	} else {
		o->value = (uint64_t)strtoll(s, &end, 10);
	}
	return *end == 0;
}

/*
 * LLVM 22 writes lit(0x1) where a literal follows the instruction although a constant of the
 * encoding would do, and lit64() around one of 64 bits (seen with llvm-mc, for every gfx9). A
 * lit() extends to 64 bits as other literals do; a lit64() is complete.
 */
static bool parse_literal(const char *s, struct sg_operand *o)
{
	bool whole = !strncmp(s, "lit64(", 6);
	char number[32];
	size_t n;

	if (!whole && strncmp(s, "lit(", 4))
		return false;
	s = strchr(s, '(') + 1;
	n = strlen(s);
	if (n < 2 || n > sizeof(number) || s[n - 1] != ')')
		return false;
	memcpy(number, s, n - 1);
	number[n - 1] = 0;
	if (!parse_number(number, o))
		return false;
	o->is_hex = !whole && !o->is_float;
	return true;
}

/* Parses an operand with its modifiers: -v1, |v1|, -|v1|, abs(x), neg(x), sext(v1). */
static bool parse_operand(char *s, struct sg_operand *o)
{
	size_t n = strlen(s);
	unsigned i;

	if (n > 5 && !strncmp(s, "sext(", 5) && s[n - 1] == ')') {
		o->sext = true;
		s[n - 1] = 0;
		return parse_operand(s + 5, o);
	}
	if (n > 5 && !strncmp(s, "neg(", 4) && s[n - 1] == ')') {
		o->neg = true;
		s[n - 1] = 0;
		return parse_operand(s + 4, o);
	}
	if (n > 5 && !strncmp(s, "abs(", 4) && s[n - 1] == ')') {
		o->abs = true;
		s[n - 1] = 0;
		return parse_operand(s + 4, o);
	}
	if (*s == '-' && !isdigit((unsigned char)s[1])) {
		o->neg = true;
		return parse_operand(s + 1, o);
	}
	if (*s == '|' && n > 2 && s[n - 1] == '|') {
		o->abs = true;
		s[n - 1] = 0;
		return parse_operand(s + 1, o);
	}
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(s, named[i].name)) {
			o->kind = named[i].kind;
			o->index = named[i].index;
			o->count = named[i].count;
			o->value = named[i].value;
			return true;
		}
	if (parse_register(s, o) || parse_number(s, o) || parse_literal(s, o))
		return true;
	if (!strncmp(s, "hwreg(", 6) || !strncmp(s, "gpr_idx(", 8)) {
		o->kind = SG_K_TEXT;
		return true;
	}
	return false;
}

/* ---- modifiers ---- */

enum field {
	F_OFFSET,
	F_IGNORE,
	F_GLC,
	F_SLC,
	F_SC1,
	F_OFFEN,
	F_IDXEN,
	F_GDS,
	F_LDS,
	F_CLAMP,
	F_OMOD_MUL,
	F_OMOD_DIV,
	F_OP_SEL,
	F_OP_SEL_HI,
	F_NEG_LO,
	F_NEG_HI,
	F_DST_SEL,
	F_DST_UNUSED,
	F_SRC0_SEL,
	F_SRC1_SEL,
	F_QUAD_PERM,
	F_DPP,
	F_ROW_MASK,
	F_BANK_MASK,
	F_BOUND_CTRL,
};

static const struct modifier {
	const char *name;
	enum field field;
	uint8_t arg;
} modifiers[] = {
	{ "offset0:", F_IGNORE, 0 }, /* read from the encoding */
	{ "offset1:", F_IGNORE, 0 },
	{ "offset:swizzle(", F_IGNORE, 0 },
	{ "cbsz:", F_IGNORE, 0 },
	{ "abid:", F_IGNORE, 0 },
	{ "blgp:", F_IGNORE, 0 },
	{ "bitop3:", F_IGNORE, 0 },
	{ "dmask:", F_IGNORE, 0 }, /* of images, read from the encoding, as the two that follow */
	{ "unorm", F_IGNORE, 0 },
	{ "da", F_IGNORE, 0 },
	{ "offset:", F_OFFSET, 0 },
	{ "glc", F_GLC, 0 },
	{ "slc", F_SLC, 0 },
	{ "scc", F_IGNORE, 0 }, /* cache policy */
	{ "sc0", F_GLC, 0 },
	{ "nt", F_SLC, 0 },
	{ "sc1", F_SC1, 0 },
	{ "neg:", F_IGNORE, 0 }, /* of matrix operations, read from the encoding */
	{ "offen", F_OFFEN, 0 },
	{ "idxen", F_IDXEN, 0 },
	{ "gds", F_GDS, 0 },
	{ "lds", F_LDS, 0 },
	{ "clamp", F_CLAMP, 0 },
	{ "mul:", F_OMOD_MUL, 0 },
	{ "div:", F_OMOD_DIV, 0 },
	{ "op_sel:", F_OP_SEL, 0 },
	{ "op_sel_hi:", F_OP_SEL_HI, 0 },
	{ "neg_lo:", F_NEG_LO, 0 },
	{ "neg_hi:", F_NEG_HI, 0 },
	{ "dst_sel:", F_DST_SEL, 0 },
	{ "dst_unused:", F_DST_UNUSED, 0 },
	{ "src0_sel:", F_SRC0_SEL, 0 },
	{ "src1_sel:", F_SRC1_SEL, 0 },
	{ "quad_perm:", F_QUAD_PERM, 0 },
	{ "row_shl:", F_DPP, SG_DPP_ROW_SHL },
	{ "row_shr:", F_DPP, SG_DPP_ROW_SHR },
	{ "row_ror:", F_DPP, SG_DPP_ROW_ROR },
	{ "wave_shl:", F_DPP, SG_DPP_WAVE_SHL },
	{ "wave_rol:", F_DPP, SG_DPP_WAVE_ROL },
	{ "wave_shr:", F_DPP, SG_DPP_WAVE_SHR },
	{ "wave_ror:", F_DPP, SG_DPP_WAVE_ROR },
	{ "row_mirror", F_DPP, SG_DPP_ROW_MIRROR },
	{ "row_half_mirror", F_DPP, SG_DPP_ROW_HALF_MIRROR },
	{ "row_bcast:", F_DPP, SG_DPP_ROW_BCAST },
	{ "row_newbcast:", F_DPP, SG_DPP_ROW_NEWBCAST },
	{ "row_mask:", F_ROW_MASK, 0 },
	{ "bank_mask:", F_BANK_MASK, 0 },
	{ "bound_ctrl:", F_BOUND_CTRL, 0 },
	{ "fi:", F_IGNORE, 0 }, /* of swaps of rows: about lanes that are switched off */
};

static const char *const sel_names[] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
					 "WORD_0", "WORD_1", "DWORD" };
static const char *const unused_names[] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE" };

static int find_name(const char *const *names, unsigned n, const char *s)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], s))
			return (int)i;
	return -1;
}

/* "[1,0,1]" -> bit i is element i; with shift 2: two bits each (quad_perm). */
static bool parse_bits(const char *s, unsigned shift, uint8_t *bits)
{
	unsigned i = 0, value = 0;

	if (*s++ != '[')
		return false;
	while (isdigit((unsigned char)*s)) {
		value |= (unsigned)(*s++ - '0') << i;
		i += shift;
		if (*s == ',')
			s++;
	}
	*bits = (uint8_t)value;
	return *s == ']' && s[1] == 0;
}

static bool set_sel(const char *s, uint8_t *to)
{
	int i = find_name(sel_names, 7, s);

	*to = (uint8_t)i;
	return i >= 0;
}

static bool apply_modifier(struct sg_insn *in, const struct modifier *m, const char *arg)
{
	long value = strtol(arg, NULL, 0);
	uint8_t listed;
	int i;

	switch (m->field) {
	case F_IGNORE:
		return true;
	case F_OFFSET:
		in->offset = (int32_t)value;
		return true;
	case F_GLC:
		in->glc = true;
		return true;
	case F_SLC:
		in->slc = true;
		return true;
	case F_SC1:
		in->sc1 = true;
		return true;
	case F_OFFEN:
		in->offen = true;
		return true;
	case F_IDXEN:
		in->idxen = true;
		return true;
	case F_GDS:
		in->gds = true;
		return true;
	case F_LDS:
		in->lds = true;
		return true;
	case F_CLAMP:
		in->clamp = true;
		return true;
	case F_OMOD_MUL:
		in->omod = value == 4 ? 2 : 1;
		return true;
	case F_OMOD_DIV:
		in->omod = -1;
		return true;
	case F_OP_SEL:
		/* The text leaves out sources that the instruction lacks, but the destination's bit
		 * is always the fourth. VOP3P has none. */
		in->op_sel = (uint8_t)(in->raw[0] >> 11 & (in->raw[0] >> 23 == 0x1a7 ? 7 : 15));
		return parse_bits(arg, 1, &listed);
	case F_OP_SEL_HI:
		in->has_op_sel_hi = true;
		return parse_bits(arg, 1, &in->op_sel_hi);
	case F_NEG_LO:
		return parse_bits(arg, 1, &in->neg_lo);
	case F_NEG_HI:
		return parse_bits(arg, 1, &in->neg_hi);
	case F_DST_SEL:
		return set_sel(arg, &in->dst_sel);
	case F_SRC0_SEL:
		return set_sel(arg, &in->src_sel[0]);
	case F_SRC1_SEL:
		return set_sel(arg, &in->src_sel[1]);
	case F_DST_UNUSED:
		i = find_name(unused_names, 3, arg);
		in->dst_unused = (uint8_t)i;
		return i >= 0;
	case F_QUAD_PERM:
		in->dpp = SG_DPP_QUAD_PERM;
		return parse_bits(arg, 2, &in->dpp_arg);
	case F_DPP:
		in->dpp = m->arg;
		in->dpp_arg = (uint8_t)value;
		return true;
	case F_ROW_MASK:
		in->row_mask = (uint8_t)value;
		return true;
	case F_BANK_MASK:
		in->bank_mask = (uint8_t)value;
		return true;
	case F_BOUND_CTRL:
		/* Printed only when the bit is set, with 0 in old and 1 in new LLVM. */
		in->bound_ctrl = true;
		return true;
	}
	return false;
}

static bool parse_modifier(struct sg_insn *in, const char *s)
{
	unsigned i;

	for (i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		size_t n = strlen(modifiers[i].name);

		bool takes_value =
		    modifiers[i].name[n - 1] == ':' || modifiers[i].name[n - 1] == '(';

		if (takes_value ? strncmp(s, modifiers[i].name, n) : strcmp(s, modifiers[i].name))
			continue;
		return apply_modifier(in, &modifiers[i], s + n);
	}
	return false;
}

/* ---- the whole line ---- */

/* Cut the next token at a comma or blank outside of brackets; *sep tells which ended it. */
static char *next_token(char **at, char *sep)
{
	char *s = *at, *start;
	int depth = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	start = s;
	for (; *s; s++)
		if (*s == '[' || *s == '(')
			depth++;
		else if (*s == ']' || *s == ')')
			depth--;
		else if (depth == 0 && (*s == ',' || *s == ' ' || *s == '\t'))
			break;
	*sep = *s;
	if (*s)
		*s++ = 0;
	*at = s;
	return start;
}

static bool strip(char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	if (n <= k || strcmp(name + n - k, suffix))
		return false;
	name[n - k] = 0;
	return true;
}

/* These read everything they need from the encoding: their operands have a syntax of their own. */
static bool text_only(const char *name)
{
	return !strncmp(name, "s_waitcnt", 9) || !strncmp(name, "s_sendmsg", 9) ||
	       !strcmp(name, "s_set_gpr_idx_mode") || !strcmp(name, "s_nop");
}

/* Settles constants of scalar rows, whose sources follow the destination (if there is one). */
static void settle_scalar(struct sg_insn *in)
{
	unsigned n = in->op->flags & SG_F_NODST ? 0 : 1;

	unsigned i;

	if (in->op->a && in->o[n].kind == SG_K_CONST)
		sg_settle_constant(&in->o[n], in->op->a);
	if (in->op->b && in->o[n + 1].kind == SG_K_CONST)
		sg_settle_constant(&in->o[n + 1], in->op->b);
	for (i = 0; !in->op->a && i < in->nops; i++)
		if (in->o[i].kind == SG_K_CONST)
			sg_settle_constant(&in->o[i], SG_u32);
}

const char *sg_parse(const char *text, struct sg_insn *in)
{
	char buffer[512], name[80], sep, *at = buffer, *token;
	bool operands = true;

	snprintf(buffer, sizeof(buffer), "%s", text);
	token = next_token(&at, &sep);
	snprintf(name, sizeof(name) - 8, "%s", token);
	if (!strip(name, "_e32") && !strip(name, "_e64") && !strip(name, "_dpp") &&
	    strip(name, "_sdwa")) {
		in->sdwa = true;
		in->dst_sel = in->src_sel[0] = in->src_sel[1] = SG_DWORD;
	}
	in->op = sg_find_op(name);
	if (!in->op)
		return NULL;
	if (strstr(text,
		   "/*")) /* LLVM's comment on an operand that is not one of the instruction's */
		return "operand that this instruction does not have";
	in->row_mask = in->bank_mask = 0xf;
	while (*at && !text_only(name)) {
		token = next_token(&at, &sep);
		if (!*token)
			continue;
		if (token[0] == ';' || !strncmp(token, "//", 2))
			break;
		if (operands && in->nops < SG_MAX_OPERANDS &&
		    parse_operand(token, &in->o[in->nops])) {
			in->nops++;
			operands = sep == ',';
			continue;
		}
		if (in->nops < SG_MAX_OPERANDS)
			memset(&in->o[in->nops], 0, sizeof(in->o[0]));
		if (!strcmp(token, "null")) /* LLVM's name for 125, which is reserved on gfx9 */
			return "operand that this instruction does not have";
		if (!strcmp(token, "src_lds_direct") || !strcmp(token, "src_pops_exiting_wave_id"))
			return "source operand that is not modelled";
		if (!parse_modifier(in, token))
			return !strncmp(name, "image_", 6) ? "form of an image access"
							   : "unsupported operand or modifier";
		operands = false;
	}
	if (in->clamp && in->op->lane) {
		/* Integer clamp means saturation: rows of their own. */
		const struct sg_op *saturating;

		strcat(name, ":clamp");
		saturating = sg_find_op(name);
		if (saturating) {
			in->op = saturating;
			in->clamp = false;
		}
	}
	in->exec = in->op->exec;
	if (in->op->lane)
		return sg_prepare_valu(in);
	settle_scalar(in);
	if (in->sdwa || in->dpp)
		return "SDWA and DPP are not supported for this instruction";
	return NULL;
}
