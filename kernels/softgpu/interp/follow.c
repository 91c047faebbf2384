/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows bytes that nothing wrote through the registers of a wave.
 *
 * Each bit of a register has a mask bit that says whether it depends on an unwritten byte. What an
 * instruction makes of such bits is found by executing it several times, with other values in their
 * place: the bits of the result that differ depend on them. So no instruction needs a rule of its
 * own, and nothing counts that makes no difference, as what a mask or a selection drops. A
 * dependence that none of the values shows is missed.
 */
#include "lanes.h"
#include "undefined.h"

/* Instructions are treated in these ways; struct sg_insn says in which. */
enum follow {
	OTHER,    /* its first operand is overwritten, by what is defined */
	COMPUTES, /* the result is a new value */
	MOVES,    /* the result consists of bits of the sources, or it chooses one */
	ACROSS,   /* the same, from other lanes */
	COMPARES,
	BRANCHES,
	JUMPS,
};

/* ---- instructions of registers alone ---- */

/* Registers that an instruction may read or write: of a matrix operation two times 32 and 16. */
#define ROWS 96u
struct used {
	unsigned nrows, nscalars;
	uint16_t row[ROWS], scalar[SG_SCALARS];
};

/* These values are in the registers. */
struct values {
	uint32_t (*v)[SG_LANES];
	uint32_t s[SG_SCALARS], scc, mode;
	uint64_t exec;
};

static void use_registers(const struct sg_insn *in, struct used *used)
{
	uint64_t rows[SG_VECTORS / 64] = { 0 }, scalars[SG_SCALARS / 64] = { 0 };

	for (unsigned n = 0; n < in->nops; n++)
		for (unsigned i = 0; i < (in->o[n].count ? in->o[n].count : 1u); i++) {
			unsigned r = in->o[n].index + i;

			if (in->o[n].kind == SG_K_VECTOR && r < SG_VECTORS)
				sg_set_bit(rows, r, true);
			/* EXEC is always defined. */
			else if (in->o[n].kind == SG_K_SCALAR && r < SG_EXEC)
				sg_set_bit(scalars, r, true);
		}
	if (in->op->flags & SG_F_VCC)
		scalars[1] |= (uint64_t)3 << (SG_VCC - 64);
	used->nrows = used->nscalars = 0;
	for (unsigned i = 0; i < SG_VECTORS / 64; i++)
		for (uint64_t m = rows[i]; m && used->nrows < ROWS; m &= m - 1)
			used->row[used->nrows++] =
			    (uint16_t)(64 * i + (unsigned)__builtin_ctzll(m));
	for (unsigned i = 0; i < SG_SCALARS / 64; i++)
		for (uint64_t m = scalars[i]; m; m &= m - 1)
			used->scalar[used->nscalars++] =
			    (uint16_t)(64 * i + (unsigned)__builtin_ctzll(m));
}

static void keep(const struct sg_wave *wave, const struct used *used, struct values *values)
{
	for (unsigned i = 0; i < used->nrows; i++)
		memcpy(values->v[i], wave->v[used->row[i]], sizeof(values->v[i]));
	for (unsigned i = 0; i < used->nscalars; i++)
		values->s[i] = wave->s[used->scalar[i]];
	values->scc = wave->scc;
	values->mode = wave->mode;
	values->exec = sg_exec(wave);
}

static void put_back(struct sg_wave *wave, const struct used *used, const struct values *values)
{
	for (unsigned i = 0; i < used->nrows; i++)
		memcpy(wave->v[used->row[i]], values->v[i], sizeof(values->v[i]));
	for (unsigned i = 0; i < used->nscalars; i++)
		wave->s[used->scalar[i]] = values->s[i];
	wave->scc = values->scc;
	wave->mode = values->mode;
	sg_set_pair(wave, SG_EXEC, values->exec);
}

/*
 * Values for undefined bits. The large ones are so as integers and as numbers of each format, and
 * the last four pairs are noise.
 */
#define VARIANTS 10u
static uint32_t variant(unsigned n, unsigned r, unsigned lane)
{
	static const uint32_t fixed[] = { 0, ~0u, 0x7bff7bff, 0xfbfffbff };
	uint32_t x = (r * 64 + lane) * 0x9e3779b9u + (n / 2) * 0x85ebca6bu;

	if (n < sizeof(fixed) / sizeof(fixed[0]))
		return fixed[n];
	x = (x ^ x >> 15) * 0x2c1b3c6du;
	x = (x ^ x >> 12) * 0x297a2d39u;
	x ^= x >> 15;
	return n % 2 ? ~x : x;
}

static void vary(struct sg_wave *wave, const struct used *used, unsigned n)
{
	const struct sg_undefined *u = wave->undefined;

	for (unsigned i = 0; i < used->nrows; i++) {
		unsigned r = used->row[i];

		for (unsigned l = 0; sg_bit(u->rows, r) && l < SG_LANES; l++)
			wave->v[r][l] =
			    (wave->v[r][l] & ~u->v[r][l]) | (variant(n, r, l) & u->v[r][l]);
	}
	for (unsigned i = 0; i < used->nscalars; i++) {
		unsigned r = used->scalar[i];

		wave->s[r] = (wave->s[r] & ~u->s[r]) | (variant(n, SG_VECTORS + r, 0) & u->s[r]);
	}
	if (u->scc)
		wave->scc = n & 1;
}

/* Gives undefined bits of operand `n` those of operand `other`, as equality is rare otherwise. */
static void make_equal(struct sg_wave *wave, const struct sg_insn *in, unsigned n, unsigned other)
{
	const struct sg_undefined *u = wave->undefined;
	const struct sg_operand *to = &in->o[n], *from = &in->o[other];

	for (unsigned w = 0; w < (to->count ? to->count : 1u) && w < 2; w++) {
		struct sg_operand word = *from;
		unsigned r = to->index + w;

		if (from->kind == SG_K_CONST)
			word.value >>= 32 * w;
		else
			word.index = (uint16_t)(from->index + w);
		if (to->kind == SG_K_VECTOR && r < SG_VECTORS && sg_bit(u->rows, r))
			for (unsigned l = 0; l < SG_LANES; l++)
				wave->v[r][l] = (wave->v[r][l] & ~u->v[r][l]) |
						(sg_lane32(wave, &word, l) & u->v[r][l]);
		else if (to->kind == SG_K_SCALAR && r < SG_EXEC && from->kind != SG_K_VECTOR)
			wave->s[r] = (wave->s[r] & ~u->s[r]) | (sg_read32(wave, &word) & u->s[r]);
	}
}

/* The instruction's immediate is its second source. */
static void make_immediate(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_undefined *u = wave->undefined;
	int32_t immediate = (int16_t)in->raw[0];
	unsigned r = in->o[0].index;

	if (in->o[0].kind == SG_K_SCALAR && r < SG_EXEC)
		wave->s[r] = (wave->s[r] & ~u->s[r]) | ((uint32_t)immediate & u->s[r]);
}

static sg_exec_fn plain(const struct sg_insn *in)
{
	return in->plain ? in->plain : in->exec;
}

/* Adds the bits of the results that differ from `result` to `masks`. */
static void compare(const struct sg_wave *wave, const struct used *used,
		    const struct values *result, struct values *masks)
{
	for (unsigned i = 0; i < used->nrows; i++)
		for (unsigned l = 0; l < SG_LANES; l++)
			masks->v[i][l] |= wave->v[used->row[i]][l] ^ result->v[i][l];
	for (unsigned i = 0; i < used->nscalars; i++)
		masks->s[i] |= wave->s[used->scalar[i]] ^ result->s[i];
	masks->scc |= wave->scc ^ result->scc;
	masks->exec |= sg_exec(wave) ^ result->exec;
}

/* Returns the lanes whose result was computed, now or earlier. */
static uint64_t find_computed(const struct sg_undefined *u, const struct sg_insn *in, uint64_t exec)
{
	uint64_t lanes = 0;

	if (in->follow == COMPUTES || in->follow == COMPARES)
		return exec;
	for (unsigned n = 0; n < in->nops; n++)
		for (unsigned i = 0; i < (in->o[n].count ? in->o[n].count : 1u); i++) {
			unsigned r = in->o[n].index + i;

			if (in->o[n].kind == SG_K_VECTOR && r < SG_VECTORS && sg_bit(u->rows, r))
				lanes |= u->computed[r];
			else if (in->o[n].kind == SG_K_SCALAR && r < SG_EXEC &&
				 sg_bit(u->scalars, r) && u->scomputed[r])
				lanes = SG_ALL_LANES;
			else if (in->o[n].kind == SG_K_SCC && u->scc)
				lanes = SG_ALL_LANES;
		}
	if (lanes && (in->follow == ACROSS || in->dpp))
		lanes = SG_ALL_LANES;
	return lanes & exec;
}

/* Notes the new masks, and the load `load` behind those that were none before. */
static void set_masks(struct sg_wave *wave, const struct sg_insn *in, const struct used *used,
		      const struct values *masks, uint64_t computed, uint64_t exec, uint32_t load)
{
	struct sg_undefined *u = wave->undefined;

	for (unsigned i = 0; i < used->nrows; i++) {
		unsigned r = used->row[i];
		bool before = sg_bit(u->rows, r);

		if (memcmp(u->v[r], masks->v[i], sizeof(u->v[r])) == 0 &&
		    (in->o[0].kind != SG_K_VECTOR || r < in->o[0].index ||
		     r >= in->o[0].index + in->o[0].count))
			continue;
		memcpy(u->v[r], masks->v[i], sizeof(u->v[r]));
		sg_undefined_settle_row(u, r);
		u->computed[r] = (before ? u->computed[r] & ~exec : 0) | computed;
		if (sg_bit(u->rows, r))
			u->load[r] = load;
	}
	for (unsigned i = 0; i < used->nscalars; i++) {
		unsigned r = used->scalar[i];

		if (u->s[r] == masks->s[i])
			continue;
		u->s[r] = masks->s[i];
		sg_set_bit(u->scalars, r, u->s[r] != 0);
		u->scomputed[r] = computed != 0;
		u->sload[r] = load;
	}
	if (masks->scc && !u->scc)
		u->scc_load = load;
	u->scc = masks->scc;
}

static void follow_registers(struct sg_wave *wave, const struct sg_insn *in,
			     const struct used *used, uint32_t load)
{
	uint32_t rows[3 * ROWS][SG_LANES];
	struct values before = { .v = rows }, result = { .v = rows + used->nrows };
	struct values masks = { .v = rows + 2 * used->nrows };
	uint64_t exec = sg_exec(wave), computed = find_computed(wave->undefined, in, exec);

	if (used->nrows)
		memset(masks.v, 0, used->nrows * sizeof(masks.v[0]));
	keep(wave, used, &before);
	plain(in)(wave, in);
	if (wave->stop)
		return;
	keep(wave, used, &result);
	for (unsigned n = 0; n < VARIANTS + 3; n++) {
		unsigned first = in->op->flags & SG_F_NODST ? 0 : 1;

		if (n >= VARIANTS && in->follow != COMPARES)
			break;
		put_back(wave, used, &before);
		if (n < VARIANTS)
			vary(wave, used, n);
		else if (n == VARIANTS + 2)
			make_immediate(wave, in);
		else if (in->nops > first + 1)
			make_equal(wave, in, first + (n == VARIANTS), first + (n != VARIANTS));
		plain(in)(wave, in);
		compare(wave, used, &result, &masks);
	}
	put_back(wave, used, &result);
	if (masks.exec)
		sg_undefined_report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
	set_masks(wave, in, used, &masks, computed, exec, load);
	sg_undefined_settle(wave);
}

/* ---- addresses ---- */

void sg_follow_addresses(struct sg_wave *wave, const struct sg_insn *in,
			 const struct sg_touched *touched)
{
	struct sg_touched other = { .elements = 1 };
	struct sg_insn one = *in;
	uint32_t rows[ROWS][SG_LANES];
	struct values before = { .v = rows };
	struct used used;
	uint32_t load;

	for (unsigned n = 0; n < in->nops; n++) {
		bool differs = false;

		if (!sg_is_undefined(wave->undefined, &in->o[n], &load))
			continue;
		one.o[0] = in->o[n];
		one.nops = 1;
		use_registers(&one, &used);
		keep(wave, &used, &before);
		for (unsigned v = 0; v < VARIANTS && !differs; v++) {
			vary(wave, &used, v);
			if (in->op->touch(wave, in, &other))
				for (uint64_t m = touched->active; m; m &= m - 1) {
					unsigned l = (unsigned)__builtin_ctzll(m);

					differs |= other.address[0][l] != touched->address[0][l];
				}
			put_back(wave, &used, &before);
		}
		if (differs) {
			sg_undefined_report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_ADDRESS);
			sg_undefined_clear(wave->undefined, &in->o[n]);
		}
	}
	sg_undefined_settle(wave);
}

/* ---- control ---- */

static void follow_branch(struct sg_wave *wave, const struct sg_insn *in)
{
	struct sg_undefined *u = wave->undefined;
	static const struct sg_operand vcc = { .kind = SG_K_SCALAR, .count = 2, .index = SG_VCC };
	uint64_t mask = (uint64_t)u->s[SG_VCC + 1] << 32 | u->s[SG_VCC];
	uint32_t load;

	if (strstr(in->op->name, "_scc")) {
		if (u->scc)
			sg_undefined_report(wave, in, u->scc_load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
		u->scc = false;
	} else if (strstr(in->op->name, "_vcc") && mask) {
		/* It is decided if a defined bit is set. */
		if (!(sg_pair(wave, SG_VCC) & ~mask) && sg_is_undefined(u, &vcc, &load))
			sg_undefined_report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
		sg_undefined_clear(u, &vcc);
	}
	sg_undefined_settle(wave);
	plain(in)(wave, in);
}

static void follow_jump(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_operand *target = &in->o[in->nops - 1];
	uint32_t load;

	if (sg_is_undefined(wave->undefined, target, &load))
		sg_undefined_report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
	sg_undefined_clear(wave->undefined, &in->o[0]);
	sg_undefined_settle(wave);
	plain(in)(wave, in);
}

/* Executes an instruction that leaves something defined in its first operand. */
static void overwrite(struct sg_wave *wave, const struct sg_insn *in)
{
	plain(in)(wave, in);
	if (in->nops) {
		sg_undefined_clear(wave->undefined, &in->o[0]);
		sg_undefined_settle(wave);
	}
}

/* Vector operands are others than the instruction names; what it may write is defined. */
static void overwrite_indexed(struct sg_wave *wave, const struct sg_insn *in)
{
	struct sg_operand o = in->o[0];

	if (o.kind == SG_K_VECTOR && wave->s[SG_M0] >> 15 & 1)
		o.index = (uint16_t)(o.index + (wave->s[SG_M0] & 0xff));
	plain(in)(wave, in);
	sg_undefined_clear(wave->undefined, &o);
	sg_undefined_settle(wave);
}

void sg_follow(struct sg_wave *wave, const struct sg_insn *in)
{
	struct sg_undefined *u = wave->undefined;
	struct used used;
	uint32_t load = 0;
	bool found = false;

	if (!in->op || in->op->touch || in->exec == sg_follow_untouched) {
		in->exec(wave, in); /* it sees to the memory */
		return;
	}
	switch ((enum follow)in->follow) {
	case BRANCHES:
		follow_branch(wave, in);
		return;
	case JUMPS:
		follow_jump(wave, in);
		return;
	case OTHER:
		overwrite(wave, in);
		return;
	default:
		break;
	}
	if (wave->mode & SG_MODE_GPR_IDX) {
		overwrite_indexed(wave, in);
		return;
	}
	/* The destination's own load is the last choice. */
	for (unsigned n = in->nops; n-- > 0 && !found;)
		found = sg_is_undefined(u, &in->o[n], &load);
	if (!found && u->scc && !in->op->lane && in->op->name[0] == 's') {
		load = u->scc_load;
		found = true;
	}
	if (!found && in->op->flags & SG_F_VCC && u->scalars[1] >> (SG_VCC - 64) & 3) {
		load = u->sload[SG_VCC];
		found = true;
	}
	if (!found) {
		plain(in)(wave, in);
		return;
	}
	use_registers(in, &used);
	follow_registers(wave, in, &used, load);
}

/* ---- decoding ---- */

static bool is_row_of(const struct sg_op *op, const struct sg_op *table)
{
	for (; table->name; table++)
		if (table == op)
			return true;
	return false;
}

static bool begins_with_one(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strncmp(name, *words, strlen(*words)) == 0)
			return true;
	return false;
}

void sg_follow_prepare(struct sg_insn *in)
{
	static const char *const across[] = {
		"ds_bpermute_",     "ds_permute_",  "ds_swizzle_", "v_readlane_",
		"v_readfirstlane_", "v_writelane_", NULL
	};
	static const char *const moves[] = {
		"v_mov_",     "v_accvgpr_",  "v_not_",       "v_bfrev_",   "v_cndmask_",
		"v_and_",     "v_or_",       "v_or3_",       "v_xor_",     "v_xnor_",
		"v_lshl_or_", "v_lshlrev_",  "v_lshrrev_",   "v_ashrrev_", "v_bfe_",
		"v_bfi_",     "v_alignbit_", "v_alignbyte_", "v_perm_",    "v_pack_",
		"v_pk_mov_",  "v_pk_lshl",   "v_pk_lshr",    "v_pk_ashr",  "v_swap_",
		"v_bitop3_",  "v_permlane",  "s_mov_",       "s_cmov",     "s_cselect_",
		"s_and",      "s_or",        "s_xor_",       "s_nand",     "s_nor",
		"s_xnor",     "s_not_",      "s_lshl_b",     "s_lshr_b",   "s_ashr_",
		"s_bfe_",     "s_pack_",     "s_brev_",      "s_sext_",    NULL
	};
	static const char *const compares[] = { "v_cmp", "s_cmp", NULL };
	const char *name = in->op->name;

	if (strncmp(name, "s_cbranch_", 10) == 0)
		in->follow = BRANCHES;
	else if (strncmp(name, "s_setpc_", 8) == 0 || strncmp(name, "s_swappc_", 9) == 0)
		in->follow = JUMPS;
	else if (begins_with_one(name, across))
		in->follow = ACROSS;
	else if (begins_with_one(name, compares))
		in->follow = COMPARES;
	else if (begins_with_one(name, moves))
		in->follow = MOVES;
	else if (name[0] == 'v' || is_row_of(in->op, sg_table_salu))
		in->follow = COMPUTES;
	else
		in->follow = OTHER;
	if (!in->op->touch && in->follow == OTHER &&
	    ((strncmp(name, "ds_", 3) == 0 && strcmp(name, "ds_nop") != 0) ||
	     strstr(name, "_lds_")))
		in->exec = sg_follow_untouched;
}
