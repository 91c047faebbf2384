/* SPDX-License-Identifier: Apache-2.0 */
/* From a line of disassembly to a struct insn. */
#include "insn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *mnemonic;
	uint8_t class;
} opcodes[] = {
#define HG_CLASS(name)
#define HG_OPCODE(mnemonic, class) { mnemonic, OP_##class },
#include "optable.def"
#undef HG_CLASS
#undef HG_OPCODE
};

/* Names of scalar registers that are not s<N> (gfx9 encoding [LUG]). */
static const struct {
	const char *name;
	uint8_t reg, count;
} special[] = {
	{ "vcc", REG_VCC, 2 },         { "vcc_lo", REG_VCC, 1 },   { "vcc_hi", REG_VCC + 1, 1 },
	{ "exec", REG_EXEC, 2 },       { "exec_lo", REG_EXEC, 1 }, { "exec_hi", REG_EXEC + 1, 1 },
	{ "m0", REG_M0, 1 },           { "flat_scratch", 102, 2 }, { "flat_scratch_lo", 102, 1 },
	{ "flat_scratch_hi", 103, 1 }, { "xnack_mask", 104, 2 },   { "xnack_mask_lo", 104, 1 },
	{ "xnack_mask_hi", 105, 1 },
};

/*
 * The part of an atomic's mnemonic after "atomic_" (or after "ds_"): gfx9 and gfx10 names, then
 * those of gfx11 and gfx12 (docs/memory-model.md#mnemonics). A suffix _x2 makes an integer one
 * 64-bit.
 */
static const struct {
	const char *name;
	uint8_t op, type;
	bool fp;
} atomics[] = {
	{ "add", ISA_OP_ADD, ISA_TYPE_I32, false },
	{ "sub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "rsub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "smin", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "umin", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "min", ISA_OP_MIN, ISA_TYPE_I32, false },
	{ "smax", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "umax", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "max", ISA_OP_MAX, ISA_TYPE_I32, false },
	{ "and", ISA_OP_AND, ISA_TYPE_I32, false },
	{ "or", ISA_OP_OR, ISA_TYPE_I32, false },
	{ "mskor", ISA_OP_OR, ISA_TYPE_I32, false },
	{ "xor", ISA_OP_XOR, ISA_TYPE_I32, false },
	{ "inc", ISA_OP_INC, ISA_TYPE_I32, false },
	{ "dec", ISA_OP_DEC, ISA_TYPE_I32, false },
	{ "swap", ISA_OP_SWAP, ISA_TYPE_I32, false },
	{ "wrxchg", ISA_OP_SWAP, ISA_TYPE_I32, false },
	{ "storexchg", ISA_OP_SWAP, ISA_TYPE_I32, false },
	{ "cmpswap", ISA_OP_CMPSWAP, ISA_TYPE_I32, false },
	{ "cmpst", ISA_OP_CMPSWAP, ISA_TYPE_I32, false },
	{ "cmpstore", ISA_OP_CMPSWAP, ISA_TYPE_I32, false },
	{ "fcmpswap", ISA_OP_CMPSWAP, ISA_TYPE_F32, true },
	{ "fmin", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "fmax", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "pk_add", ISA_OP_ADD, ISA_TYPE_PK_F16, true },
	{ "min_num", ISA_OP_MIN, ISA_TYPE_F32, true },
	{ "max_num", ISA_OP_MAX, ISA_TYPE_F32, true },
	{ "cond_sub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "sub_clamp", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "csub", ISA_OP_SUB, ISA_TYPE_I32, false },
	{ "ordered_add", ISA_OP_ADD, ISA_TYPE_I32, false },
};

static const struct {
	const char *suffix;
	int type; /* enum isa_type, -1: an untyped 32 bits, -2: an untyped 64 bits */
	bool fp;
} atomic_suffixes[] = {
	{ "_x2", -2, false },
	{ "_u32", -1, false },
	{ "_i32", -1, false },
	{ "_b32", -1, false },
	{ "_u64", -2, false },
	{ "_i64", -2, false },
	{ "_b64", -2, false },
	{ "_pk_f16", ISA_TYPE_PK_F16, true },
	{ "_f32", ISA_TYPE_F32, true },
	{ "_f64", ISA_TYPE_F64, true },
	{ "_bf16", ISA_TYPE_PK_BF16, true },
	{ "_f16", ISA_TYPE_PK_F16, true },
};

static bool starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool ends(const char *text, const char *suffix)
{
	size_t a = strlen(text), b = strlen(suffix);

	return a >= b && !strcmp(text + a - b, suffix);
}

bool insn_atomic(const char *mnemonic, enum isa_op *op, enum isa_type *type, bool *fp)
{
	const char *part = strstr(mnemonic, "_atomic_");
	bool lds = starts(mnemonic, "ds_");
	int forced = 0;
	char name[48];
	char *rtn;
	size_t i, length;

	if (part)
		part += strlen("_atomic_");
	else if (lds)
		part = mnemonic + 3;
	else
		return false;
	length = strlen(part);
	if (length >= sizeof(name))
		return false;
	memcpy(name, part, length + 1);
	*fp = false;
	for (i = 0; i < ARRAY_SIZE(atomic_suffixes); i++) {
		if (!ends(name, atomic_suffixes[i].suffix))
			continue;
		name[strlen(name) - strlen(atomic_suffixes[i].suffix)] = 0;
		forced = atomic_suffixes[i].type;
		*fp = atomic_suffixes[i].fp;
		break;
	}
	if (i == ARRAY_SIZE(atomic_suffixes) && lds)
		return false; /* every ds atomic is typed; ds_swizzle and alike are not atomics */
	rtn = strstr(name, "_rtn");
	if (rtn && !rtn[4])
		*rtn = 0;
	for (i = 0; i < ARRAY_SIZE(atomics); i++) {
		if (strcmp(name, atomics[i].name))
			continue;
		*op = atomics[i].op;
		*type = atomics[i].type;
		if (*fp)
			*type = (enum isa_type)forced;
		else if (forced == -2)
			*type = atomics[i].fp ? ISA_TYPE_F64 : ISA_TYPE_I64;
		*fp = *fp || atomics[i].fp;
		return true;
	}
	return false;
}

static bool parse_range(const char *text, unsigned base, struct operand *operand)
{
	unsigned long first, last;
	char *end;

	if (*text == '[') {
		first = strtoul(text + 1, &end, 10);
		last = first;
		if (*end == ':')
			last = strtoul(end + 1, &end, 10);
		if (*end != ']' || last < first)
			return false;
	} else if (isdigit((unsigned char)*text)) {
		first = last = strtoul(text, &end, 10);
		/* gfx11: v0.l and v0.h */
		operand->low = !strcmp(end, ".l");
		operand->half = operand->low || !strcmp(end, ".h");
		if (*end && !operand->half)
			return false;
	} else {
		return false;
	}
	if (last > 255 || (base == 0 && last > 123))
		return false;
	operand->kind = OPERAND_REG;
	operand->reg = (base + (unsigned)first) & 0x1fff;
	operand->count = (unsigned)(last - first + 1) & 0x1fff;
	return true;
}

static void parse_operand(char *text, struct operand *operand)
{
	size_t length, i;
	char *end;

	memset(operand, 0, sizeof(*operand));
	operand->kind = OPERAND_OTHER;
	while (*text == ' ' || *text == '-' || *text == '|') {
		if (*text == '-' && isdigit((unsigned char)text[1]))
			break;
		text++;
	}
	length = strlen(text);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '|'))
		text[--length] = 0;
	if (starts(text, "hwreg(")) {
		unsigned long offset = 0, width = 32;
		char *comma = strchr(text, ',');

		operand->kind = OPERAND_HWREG;
		operand->reg = starts(text, "hwreg(HW_REG_SH_MEM_BASES");
		if (comma) {
			offset = strtoul(comma + 1, &end, 10);
			if (*end == ',')
				width = strtoul(end + 1, NULL, 10);
		}
		operand->value = (int64_t)(offset << 8 | width);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(special); i++) {
		if (strcmp(text, special[i].name))
			continue;
		operand->kind = OPERAND_REG;
		operand->reg = special[i].reg;
		operand->count = special[i].count;
		return;
	}
	if (!strcmp(text, "off")) {
		operand->kind = OPERAND_OFF;
	} else if (!strcmp(text, "null")) {
		/* gfx10: reads as zero, is not written. */
		operand->kind = OPERAND_CONST;
	} else if (!strcmp(text, "src_shared_base")) {
		operand->kind = OPERAND_SHARED;
	} else if (!strcmp(text, "src_private_base")) {
		operand->kind = OPERAND_PRIVATE;
	} else if (starts(text, "ttmp") && parse_range(text + 4, 108, operand)) {
		return;
	} else if (text[0] == 's' && parse_range(text + 1, 0, operand)) {
		return;
	} else if (text[0] == 'v' && parse_range(text + 1, REG_VECTOR, operand)) {
		return;
	} else if (text[0] == 'a' && parse_range(text + 1, REG_ACC, operand)) {
		return;
	} else if (starts(text, "lit(")) {
		/*
		 * LLVM 22: a literal where a constant of the encoding would do. Signed as those:
		 * 0xffffffff is one of 32 bits, as no constant extends to it.
		 */
		operand->value = (int64_t)strtoull(text + 4, &end, 0);
		if (operand->value >= 0xfffffff0ll && operand->value <= 0xffffffffll)
			operand->value -= 1ll << 32;
		if (end > text + 4 && !strcmp(end, ")"))
			operand->kind = OPERAND_CONST;
	} else if (starts(text, "lit64(")) {
		operand->value = (int64_t)strtoull(text + 6, &end, 0);
		if (end > text + 6 && !strcmp(end, ")"))
			operand->kind = OPERAND_CONST;
	} else if (isdigit((unsigned char)*text) || *text == '-') {
		/* Negative ones too; those of 64 bits may have the highest one set. */
		operand->value = (int64_t)strtoull(text, &end, 0);
		if (!*end)
			operand->kind = OPERAND_CONST;
		else if (*end == '.')
			operand->kind = OPERAND_FLOAT;
	}
}

/* Words about caches and scope [LUG, "Memory Model" of each processor]. */
static const struct {
	const char *word;
	uint16_t bit;
} cache_words[] = {
	{ "glc", ISA_CACHE_GLC },
	{ "slc", ISA_CACHE_SLC },
	{ "dlc", ISA_CACHE_DLC },
	{ "scc", ISA_CACHE_SCC },
	{ "sc0", ISA_CACHE_SC0 },
	{ "sc1", ISA_CACHE_SC1 },
	{ "nt", ISA_CACHE_NT },
	{ "scope:SCOPE_SE", ISA_CACHE_SCOPE_SE },
	{ "scope:SCOPE_DEV", ISA_CACHE_SCOPE_DEV },
	{ "scope:SCOPE_SYS", ISA_CACHE_SCOPE_SYS },
};

static bool cache_word(struct insn *insn, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(cache_words); i++) {
		if (!strcmp(word, cache_words[i].word)) {
			insn->cache |= cache_words[i].bit;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *mnemonic;
	uint8_t fence;
} fences[] = {
	{ "buffer_wbl2", 1 }, { "buffer_invl2", 2 }, { "buffer_inv", 2 },
	{ "global_wb", 1 },   { "global_inv", 2 },   { "global_wbinv", 3 },
};

/* Modifiers stand after the last operand, separated by blanks. */
static void parse_modifier(struct insn *insn, const char *word)
{
	cache_word(insn, word);
	if (starts(word, "offset:"))
		insn->offset = (int32_t)strtol(word + 7, NULL, 0);
	else if (!strcmp(word, "glc") || !strcmp(word, "sc0") ||
		 (starts(word, "th:TH_ATOMIC") && strstr(word, "RETURN")))
		insn->returns = true;
	else if (!strcmp(word, "offen"))
		insn->offen = true;
	else if (!strcmp(word, "idxen"))
		insn->idxen = true;
	else if (!strcmp(word, "lds"))
		insn->lds = true;
	else if (!strcmp(word, "scale_offset"))
		insn->scaled = true;
	else if (starts(word, "op_sel:[")) {
		insn->op_sel_hi[0] = word[8] == '1';
		insn->op_sel_hi[1] = word[8] && word[9] == ',' && word[10] == '1';
	} else if (starts(word, "row_") || starts(word, "wave_") || starts(word, "quad_perm") ||
		   starts(word, "dpp8:")) {
		insn->dpp = true;
	} else if (starts(word, "dst_sel:") && strcmp(word, "dst_sel:DWORD")) {
		insn->sdwa_dst = true;
	} else if (starts(word, "src0_sel:") && strcmp(word, "src0_sel:DWORD")) {
		insn->sdwa_src |= 1;
	} else if (starts(word, "src1_sel:") && strcmp(word, "src1_sel:DWORD")) {
		insn->sdwa_src |= 2;
	}
}

static const struct {
	const char *prefix;
	uint8_t family;
} families[] = {
	{ "s_buffer_", MEM_SCALAR_BUFFER },
	{ "s_load_", MEM_SCALAR },
	{ "s_store_", MEM_SCALAR },
	{ "s_scratch_", MEM_SCALAR },
	{ "s_atomic_", MEM_SCALAR },
	{ "global_", MEM_GLOBAL },
	{ "flat_", MEM_FLAT },
	{ "scratch_", MEM_SCRATCH },
	{ "buffer_", MEM_BUFFER },
	{ "tbuffer_", MEM_BUFFER },
	{ "ds_", MEM_DS },
	{ "image_", MEM_IMAGE },
	{ "cluster_", MEM_GLOBAL },
	{ "tensor_", MEM_IMAGE },
};

static uint8_t data_dwords(const char *mnemonic, bool *sub_dword)
{
	static const struct {
		const char *suffix;
		uint8_t dwords;
		bool sub;
	} sizes[] = {
		{ "dwordx16", 16, false }, { "dwordx8", 8, false }, { "dwordx4", 4, false },
		{ "dwordx3", 3, false },   { "dwordx2", 2, false }, { "dword", 1, false },
		{ "_b128", 4, false },     { "_b96", 3, false },    { "_b64", 2, false },
		{ "_b32", 1, false },      { "_b256", 8, false },   { "_b512", 16, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (ends(mnemonic, sizes[i].suffix)) {
			*sub_dword = sizes[i].sub;
			return sizes[i].dwords;
		}
	}
	*sub_dword = true;
	return 1;
}

static void classify_memory(struct insn *insn)
{
	const char *name = insn->mnemonic;
	enum isa_op op;
	enum isa_type type;
	bool sub_dword, fp = false;

	insn->class = OP_MEMORY;
	insn->lds |= strstr(name, "_lds_") || ends(name, "_lds");
	insn->dwords = data_dwords(name, &sub_dword);
	insn->sub_dword = sub_dword;
	if (insn_atomic(name, &op, &type, &fp)) {
		insn->fp = fp;
		insn->atomic = true;
		insn->atomic_op = (uint8_t)op;
		insn->atomic_type = (uint8_t)type;
		insn->sub_dword = false;
		insn->dwords = type == ISA_TYPE_I64 || type == ISA_TYPE_F64 ? 2 : 1;
		if (insn->family == MEM_DS)
			insn->returns = strstr(name, "_rtn") != NULL;
		return;
	}
	insn->returns = false;
	if (strstr(name, "_load") || (insn->family == MEM_DS && strstr(name, "_read")) ||
	    strstr(name, "image_sample") || strstr(name, "image_gather"))
		insn->load = true;
	else if (strstr(name, "_store") || (insn->family == MEM_DS && strstr(name, "_write")))
		insn->store = true;
}

static void classify(struct insn *insn)
{
	const char *name = insn->mnemonic;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		const char *known = opcodes[i].mnemonic;

		/* "s_" or "v_" and a letter: most differ there. */
		if (known[0] == name[0] && known[1] == name[1] && known[2] == name[2] &&
		    !strcmp(known, name)) {
			insn->class = opcodes[i].class;
			for (i = 0; insn->class == OP_NOTHING && i < ARRAY_SIZE(fences); i++)
				if (!strcmp(fences[i].mnemonic, name))
					insn->fence = fences[i].fence;
			return;
		}
	}
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (starts(name, families[i].prefix)) {
			insn->family = families[i].family;
			classify_memory(insn);
			return;
		}
	}
	/* gfx11: half of a pair, named after what it does alone. */
	if (starts(name, "v_dual_")) {
		char alone[64];

		snprintf(alone, sizeof(alone), "v_%s", name + strlen("v_dual_"));
		for (i = 0; i < ARRAY_SIZE(opcodes); i++)
			if (!strcmp(opcodes[i].mnemonic, alone))
				insn->class = opcodes[i].class;
		if (insn->class != OP_UNKNOWN)
			return;
	}
	if (starts(name, "v_cmpx_"))
		insn->class = OP_COMPARE_EXEC;
	else if (starts(name, "v_cmp_"))
		insn->class = OP_COMPARE;
	else if (starts(name, "s_cmp_") || starts(name, "s_cmpk_") || starts(name, "s_bitcmp"))
		insn->class = OP_COMPARE_SCALAR;
	else if (starts(name, "v_") &&
		 (strstr(name, "_f32") || strstr(name, "_f64") || strstr(name, "_f16") ||
		  strstr(name, "bf16") || strstr(name, "_u16") || strstr(name, "_i16") ||
		  strstr(name, "_b16") || strstr(name, "mfma") || strstr(name, "wmma") ||
		  starts(name, "v_cvt_") || starts(name, "v_dot") || starts(name, "v_dual_dot")))
		insn->class = OP_DATA;
	else if (starts(name, "s_") &&
		 (strstr(name, "_f32") || strstr(name, "_f16") || starts(name, "s_cvt_")))
		insn->class = OP_DATA;
}

static uint16_t find_traits(const struct insn *insn)
{
	static const struct {
		const char *part;
		uint16_t trait;
	} parts[] = {
		{ "div_scale", INSN_DIV_SCALE }, { "addc", INSN_CARRIES },
		{ "_ci_", INSN_CARRIES },        { "subb", INSN_CARRIES },
		{ "_u32", INSN_UNSIGNED },       { "fmac", INSN_ACCUMULATES },
		{ "_mac_", INSN_ACCUMULATES },
	}, whole[] = {
		{ "s_cmp_eq_u32", INSN_EQUAL },     { "s_cmp_eq_i32", INSN_EQUAL },
		{ "s_cmp_lg_u32", INSN_DIFFERENT }, { "s_cmp_lg_i32", INSN_DIFFERENT },
		{ "v_cmp_eq_u32", INSN_EQUAL },     { "v_cmp_eq_i32", INSN_EQUAL },
		{ "v_cmp_ne_u32", INSN_DIFFERENT }, { "v_cmp_ne_i32", INSN_DIFFERENT },
		{ "s_min_u32", INSN_LEAST },        { "v_min_u32", INSN_LEAST },
		{ "s_mul_hi_u32", INSN_HIGH_PART }, { "v_mul_hi_u32", INSN_HIGH_PART },
		{ "s_sleep", INSN_SLEEPS },         { "s_sleep_var", INSN_SLEEPS },
	};
	const char *name = insn->mnemonic;
	uint16_t traits = name[0] == 's' ? INSN_SCALAR : name[0] == 'v' ? INSN_VECTOR : 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i].part))
			traits |= parts[i].trait;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (!strcmp(name, whole[i].part))
			traits |= whole[i].trait;
	if (traits & INSN_SCALAR && insn->class != OP_NOTHING && insn->class != OP_MOVE &&
	    insn->class != OP_SELECT && insn->class != OP_GETPC && insn->class != OP_MEMORY)
		traits |= INSN_SETS_SCC;
	return traits;
}

/*
 * Brings operands of gfx125x into the order of what did the same before: copies between memory and
 * LDS have a register with LDS's address, which is left out or not followed; v_mad_nc_* have no
 * carry; an index that is multiplied by the size of an element is a number made of the register.
 */
static void adapt_operands(struct insn *insn)
{
	struct operand *operand = insn->operand;
	unsigned index;

	if (insn->lds && insn->load && strstr(insn->mnemonic, "_async_") && insn->operand_count) {
		memmove(operand, operand + 1, (INSN_OPERANDS - 1) * sizeof(*operand));
		memset(&operand[INSN_OPERANDS - 1], 0, sizeof(*operand));
		insn->operand_count--;
	} else if (insn->lds && insn->store && insn->operand_count > 1) {
		operand[1] = (struct operand){ .kind = OPERAND_OTHER };
	} else if (starts(insn->mnemonic, "v_mad_nc_") && insn->operand_count == 4) {
		memmove(operand + 2, operand + 1, 3 * sizeof(*operand));
		operand[1] = (struct operand){ .kind = OPERAND_OFF };
		insn->operand_count++;
	} else if (!strcmp(insn->mnemonic, "s_set_vgpr_msb") && operand[0].kind == OPERAND_CONST &&
		   !(operand[0].value & 0xff)) {
		insn->class = OP_NOTHING;
	}
	if (!insn->scaled)
		return;
	index = insn->family == MEM_SCALAR ? 2 : insn->load && !insn->lds ? 1 : insn->returns;
	if (index < insn->operand_count)
		operand[index].half = 1;
}

void insn_parse(struct insn *insn, char *text)
{
	static const char *const suffixes[] = { "_e32", "_e64", "_sdwa", "_e64_dpp", "_dpp" };
	const char *last_operand = "";
	char *at = text, *start, *stop;
	size_t i;
	int depth;

	while (isspace((unsigned char)*at))
		at++;
	start = at;
	while (*at && !isspace((unsigned char)*at))
		at++;
	if (*at)
		*at++ = 0;
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (ends(start, suffixes[i])) {
			start[strlen(start) - strlen(suffixes[i])] = 0;
			insn->sdwa = i == 2;
			insn->dpp = i >= 3;
			break;
		}
	}
	insn->mnemonic = start;
	for (insn->name = 0, i = 0; start[i]; i++)
		insn->name = insn->name * 33 + (unsigned char)start[i];
	if (!strcmp(start, "s_waitcnt") && strstr(at, "vmcnt(0)"))
		insn->settles = 1;
	else if (!strcmp(start, "buffer_wbinvl1_vol"))
		insn->settles = 2;
	stop = strstr(at, "//");
	if (stop)
		*stop = 0;
	stop = strpbrk(at, ";\n");
	if (stop)
		*stop = 0;
	for (;;) {
		bool last;

		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			break;
		start = at;
		for (depth = 0; *at; at++)
			if (*at == '(' || *at == '[')
				depth++;
			else if (*at == ')' || *at == ']')
				depth--;
			else if (depth <= 0 && (*at == ',' || isspace((unsigned char)*at)))
				break;
		/* A blank ends the operands, unless a comma follows it. */
		stop = at;
		while (isspace((unsigned char)*at))
			at++;
		last = *at != ',';
		if (!last)
			at++;
		*stop = 0;
		last_operand = start;
		/* buffer_inv sc1: no operand before it. */
		if (!insn->operand_count && cache_word(insn, start))
			break;
		if (insn->operand_count < INSN_OPERANDS)
			parse_operand(start, &insn->operand[insn->operand_count++]);
		if (last)
			break;
	}
	/*
	 * LLVM before 20 names the register alone where a source of 16 bits is its lower half, and
	 * so does this. Another part of a destination stays as it was.
	 */
	for (i = starts(insn->mnemonic, "v_cmpx_") ? 0 : 1; i < insn->operand_count; i++) {
		insn->operand[i].half &= !insn->operand[i].low;
		insn->sdwa |= insn->operand[i].half;
	}
	insn->sdwa_dst |= insn->operand_count && insn->operand[0].half;
	if (strstr(insn->mnemonic, "_gpr_idx_")) {
		/* s_set_gpr_idx_idx keeps what else may be named at run time. */
		bool on = ends(insn->mnemonic, "_on") && strstr(last_operand, "gpr_idx(");

		insn->index_mode = on ? 0 : 3;
		if (on && strstr(last_operand, "SRC"))
			insn->index_mode |= 1;
		if (on && strstr(last_operand, "DST"))
			insn->index_mode |= 2;
	}
	while (*at) {
		while (isspace((unsigned char)*at))
			at++;
		start = at;
		while (*at && !isspace((unsigned char)*at))
			at++;
		if (*at)
			*at++ = 0;
		if (*start)
			parse_modifier(insn, start);
	}
	classify(insn);
	adapt_operands(insn);
	insn->traits = find_traits(insn);
	if (insn->sdwa_src) {
		/* Sources follow the destination, and the mask of carries. */
		unsigned first = strstr(insn->mnemonic, "_co_") ? 2 : 1;

		for (i = 0; i < 2 && first + i < insn->operand_count; i++)
			if (insn->sdwa_src >> i & 1)
				insn->operand[first + i].half = 1;
	}
}

bool insn_is_branch(const struct insn *insn, uint64_t *target, bool *falls_through)
{
	*target = 0;
	*falls_through = true;
	switch (insn->class) {
	case OP_BRANCH:
	case OP_CBRANCH:
	case OP_CBRANCH_EXECZ:
	case OP_CBRANCH_EXECNZ:
		*falls_through = insn->class != OP_BRANCH;
		if (insn->operand_count && insn->operand[0].kind == OPERAND_CONST)
			*target = insn->pc + insn->length +
				  (uint64_t)((int64_t)(int16_t)insn->operand[0].value * 4);
		return true;
	case OP_CALL:
		return true;
	case OP_SETPC:
	case OP_END:
		*falls_through = false;
		return true;
	default:
		return false;
	}
}
