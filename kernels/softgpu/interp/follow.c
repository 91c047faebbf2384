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
#include <stdlib.h>

#include "defined.h"
#include "lanes.h"

#define ALL_LANES (~(uint64_t)0)

/* Loads of unwritten bytes that are remembered for each wave, and their largest element. */
#define LOADS  128u
#define WIDEST 64u

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

/* A load of bytes of which some are unwritten. */
struct load {
	const char *name;
	uint64_t pc;
	uint32_t number;
	uint64_t lanes;             /* these loaded unwritten bytes */
	uint64_t address[SG_LANES]; /* of the first such byte; in LDS as a flat address */
	uint8_t size[SG_LANES];     /* such bytes from there on */
};

struct sg_undefined {
	uint64_t rows[SG_VECTORS / 64]; /* vector registers whose mask is not 0 */
	uint64_t scalars[SG_SCALARS / 64];
	bool scc;
	uint32_t (*v)[SG_LANES]; /* [SG_VECTORS], 0 for other rows */
	uint32_t s[SG_SCALARS];
	uint64_t computed[SG_VECTORS]; /* lanes whose value was computed */
	bool scomputed[SG_SCALARS];
	uint32_t load[SG_VECTORS], sload[SG_SCALARS],
	    scc_load; /* the numbers of the loads behind it */
	uint32_t nloads;
	struct load loads[LOADS];
};

static bool bit(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *set, unsigned i, bool value)
{
	set[i / 64] = (set[i / 64] & ~((uint64_t)1 << i % 64)) | (uint64_t)value << i % 64;
}

/* ---- life ---- */

void sg_follow_start(struct sg_wave *wave)
{
	struct sg_undefined *u = wave->undefined;

	if (u && wave->followed) {
		for (unsigned r = 0; r < SG_VECTORS; r++)
			if (bit(u->rows, r))
				memset(u->v[r], 0, sizeof(u->v[r]));
		memset(u->rows, 0, sizeof(u->rows));
		memset(u->scalars, 0, sizeof(u->scalars));
		memset(u->s, 0, sizeof(u->s));
		u->scc = false;
	}
	if (u)
		u->nloads = 0;
	wave->followed = false;
}

void sg_follow_free(struct sg_wave *wave)
{
	if (wave->undefined)
		free(wave->undefined->v);
	free(wave->undefined);
}

void sg_follow_group(struct sg_group *group)
{
	if (!(softgpu_config.check & SOFTGPU_INITCHECK) || !group->lds_size)
		return;
	if (!group->lds_written)
		group->lds_written = malloc(group->lds_size);
	if (group->lds_written)
		memset(group->lds_written, SG_UNWRITTEN, group->lds_size);
}

/* Returns what is known of the wave's registers; NULL if there is no memory for it. */
static struct sg_undefined *undefined(struct sg_wave *wave)
{
	if (!wave->undefined) {
		struct sg_undefined *u = calloc(1, sizeof(*u));

		if (u)
			u->v = calloc(SG_VECTORS, sizeof(u->v[0]));
		if (u && !u->v) {
			free(u);
			u = NULL;
		}
		wave->undefined = u;
	}
	return wave->undefined;
}

static void settle(struct sg_wave *wave)
{
	struct sg_undefined *u = wave->undefined;
	uint64_t any = u->scc;

	for (unsigned i = 0; i < SG_VECTORS / 64; i++)
		any |= u->rows[i];
	for (unsigned i = 0; i < SG_SCALARS / 64; i++)
		any |= u->scalars[i];
	wave->followed = any != 0;
}

/* Notes whether the mask of a register, which has changed, is 0. */
static void settle_row(struct sg_undefined *u, unsigned r)
{
	uint32_t any = 0;

	for (unsigned l = 0; l < SG_LANES; l++)
		any |= u->v[r][l];
	set_bit(u->rows, r, any != 0);
}

static void clear_operand(struct sg_undefined *u, const struct sg_operand *o)
{
	for (unsigned i = 0; i < (o->count ? o->count : 1u); i++) {
		unsigned r = o->index + i;

		if (o->kind == SG_K_VECTOR && r < SG_VECTORS && bit(u->rows, r)) {
			memset(u->v[r], 0, sizeof(u->v[r]));
			set_bit(u->rows, r, false);
		} else if (o->kind == SG_K_SCALAR && r < SG_SCALARS) {
			u->s[r] = 0;
			set_bit(u->scalars, r, false);
		}
	}
}

/* Returns true, and which load is behind it, if any register of the operand has a mask. */
static bool is_undefined(const struct sg_undefined *u, const struct sg_operand *o, uint32_t *load)
{
	for (unsigned i = 0; i < (o->count ? o->count : 1u); i++) {
		unsigned r = o->index + i;

		if (o->kind == SG_K_VECTOR && r < SG_VECTORS && bit(u->rows, r)) {
			*load = u->load[r];
			return true;
		}
		if (o->kind == SG_K_SCALAR && r < SG_SCALARS && bit(u->scalars, r)) {
			*load = u->sload[r];
			return true;
		}
	}
	if (o->kind == SG_K_SCC && u->scc) {
		*load = u->scc_load;
		return true;
	}
	return false;
}

/* ---- findings ---- */

/* The runtime's own kernels copy and fill memory for the program. */
static bool is_runtimes(const struct softgpu_run *run)
{
	static const char prefix[] = "__amd_rocclr_";

	return run->dispatch.kernel_name &&
	       strncmp(run->dispatch.kernel_name, prefix, sizeof(prefix) - 1) == 0;
}

/* Reports that `in` uses what was loaded by load number `number`. */
static void report(struct sg_wave *wave, const struct sg_insn *in, uint32_t number,
		   enum softgpu_check_kind kind)
{
	const struct load *load = &wave->undefined->loads[number % LOADS];
	uint64_t lanes = load->lanes & sg_exec(wave) ? load->lanes & sg_exec(wave) : load->lanes;
	unsigned lane;

	/* Another load may have taken its place. */
	if (load->number != number || !lanes || is_runtimes(wave->run))
		return;
	lane = (unsigned)__builtin_ctzll(lanes);
	sg_check_use(wave, &(struct sg_use){ load->name, load->pc, in->pc, load->size[lane] },
		     &(struct sg_suspicion){ .kind = kind,
					     .lane = lane,
					     .address = load->address[lane],
					     .doubtful = kind == SOFTGPU_CHECK_UNWRITTEN_RESULT });
}

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
				set_bit(rows, r, true);
			/* EXEC is always defined. */
			else if (in->o[n].kind == SG_K_SCALAR && r < SG_EXEC)
				set_bit(scalars, r, true);
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

		for (unsigned l = 0; bit(u->rows, r) && l < SG_LANES; l++)
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
		if (to->kind == SG_K_VECTOR && r < SG_VECTORS && bit(u->rows, r))
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

			if (in->o[n].kind == SG_K_VECTOR && r < SG_VECTORS && bit(u->rows, r))
				lanes |= u->computed[r];
			else if (in->o[n].kind == SG_K_SCALAR && r < SG_EXEC &&
				 bit(u->scalars, r) && u->scomputed[r])
				lanes = ALL_LANES;
			else if (in->o[n].kind == SG_K_SCC && u->scc)
				lanes = ALL_LANES;
		}
	if (lanes && (in->follow == ACROSS || in->dpp))
		lanes = ALL_LANES;
	return lanes & exec;
}

/* Notes the new masks, and the load `load` behind those that were none before. */
static void set_masks(struct sg_wave *wave, const struct sg_insn *in, const struct used *used,
		      const struct values *masks, uint64_t computed, uint64_t exec, uint32_t load)
{
	struct sg_undefined *u = wave->undefined;

	for (unsigned i = 0; i < used->nrows; i++) {
		unsigned r = used->row[i];
		bool before = bit(u->rows, r);

		if (memcmp(u->v[r], masks->v[i], sizeof(u->v[r])) == 0 &&
		    (in->o[0].kind != SG_K_VECTOR || r < in->o[0].index ||
		     r >= in->o[0].index + in->o[0].count))
			continue;
		memcpy(u->v[r], masks->v[i], sizeof(u->v[r]));
		settle_row(u, r);
		u->computed[r] = (before ? u->computed[r] & ~exec : 0) | computed;
		if (bit(u->rows, r))
			u->load[r] = load;
	}
	for (unsigned i = 0; i < used->nscalars; i++) {
		unsigned r = used->scalar[i];

		if (u->s[r] == masks->s[i])
			continue;
		u->s[r] = masks->s[i];
		set_bit(u->scalars, r, u->s[r] != 0);
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
		report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
	set_masks(wave, in, used, &masks, computed, exec, load);
	settle(wave);
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
			report(wave, in, u->scc_load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
		u->scc = false;
	} else if (strstr(in->op->name, "_vcc") && mask) {
		/* It is decided if a defined bit is set. */
		if (!(sg_pair(wave, SG_VCC) & ~mask) && is_undefined(u, &vcc, &load))
			report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
		clear_operand(u, &vcc);
	}
	settle(wave);
	plain(in)(wave, in);
}

static void follow_jump(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_operand *target = &in->o[in->nops - 1];
	uint32_t load;

	if (is_undefined(wave->undefined, target, &load))
		report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
	clear_operand(wave->undefined, &in->o[0]);
	settle(wave);
	plain(in)(wave, in);
}

/* Executes an instruction that leaves something defined in its first operand. */
static void overwrite(struct sg_wave *wave, const struct sg_insn *in)
{
	plain(in)(wave, in);
	if (in->nops) {
		clear_operand(wave->undefined, &in->o[0]);
		settle(wave);
	}
}

/* Vector operands are others than the instruction names; what it may write is defined. */
static void overwrite_indexed(struct sg_wave *wave, const struct sg_insn *in)
{
	struct sg_operand o = in->o[0];

	if (o.kind == SG_K_VECTOR && wave->s[SG_M0] >> 15 & 1)
		o.index = (uint16_t)(o.index + (wave->s[SG_M0] & 0xff));
	plain(in)(wave, in);
	clear_operand(wave->undefined, &o);
	settle(wave);
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
		found = is_undefined(u, &in->o[n], &load);
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

/* ---- memory ---- */

/* A load found this of each lane. */
struct found {
	uint16_t unwritten[2][SG_LANES]; /* a bit for each byte, by element */
	uint64_t lanes;                  /* that have any */
	uint64_t computed;               /* lanes with bytes that were computed */
	uint64_t address[SG_LANES];      /* of the first unwritten byte */
	uint8_t size[SG_LANES];          /* unwritten bytes from there on */
};

static bool is_lds(const struct sg_touched *touched, uint64_t address)
{
	return touched->lds || (touched->flat && address >> 32 == SG_SHARED_BASE_HI);
}

/*
 * Calls `each` for the states of the bytes of each lane. Returns false if that does, or where not
 * all of them lie in LDS, or in the same allocation, as those of most instructions do.
 */
static inline __attribute__((always_inline)) bool
in_one(const struct sg_wave *wave, const struct sg_touched *touched,
       bool (*each)(uint8_t *written, unsigned size))
{
	const struct sg_known *known = NULL;
	uint8_t *states = wave->group->lds_written;
	uint64_t first = 0, size = wave->group->lds_size;

	if (!touched->active || touched->flat)
		return false;
	if (!touched->lds) {
		known = sg_known_find(touched->address[0][__builtin_ctzll(touched->active)]);
		if (!known)
			return false;
		states = known->written;
		first = known->first;
		size = known->end - known->first;
	}
	if (!states || size < touched->size)
		return false;
	for (unsigned e = 0; e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1) {
			uint64_t at = touched->address[e][__builtin_ctzll(m)] - first;

			if (at > size - touched->size || !each(states + at, touched->size))
				return false;
		}
	return true;
}

/* Returns the states of a lane's bytes; NULL: all are written, or nothing is known of them. */
static uint8_t *find_bytes(const struct sg_wave *wave, const struct sg_touched *touched,
			   uint64_t address, const struct sg_known **known)
{
	const struct sg_group *group = wave->group;
	uint32_t at = (uint32_t)address;

	*known = NULL;
	if (touched->flat && address >> 32 == SG_PRIVATE_BASE_HI)
		return NULL;
	if (is_lds(touched, address))
		return group->lds_written && (uint64_t)at + touched->size <= group->lds_size
			   ? group->lds_written + at
			   : NULL;
	*known = sg_known_find(address);
	if (!*known)
		return NULL;
	return (*known)->written + (address - (*known)->first);
}

/* Returns how many bytes of the lane's access the entry has. */
static unsigned bytes_in(const struct sg_touched *touched, const struct sg_known *known,
			 uint64_t address)
{
	return known && known->end - address < touched->size ? (unsigned)(known->end - address)
							     : touched->size;
}

static bool is_whole(uint8_t *written, unsigned size)
{
	uint32_t word;

	for (; size >= 4; size -= 4, written += 4) {
		memcpy(&word, written, 4);
		if (word != 0x01010101u * SG_WRITTEN)
			return false;
	}
	for (unsigned i = 0; i < size; i++)
		if (written[i] != SG_WRITTEN)
			return false;
	return true;
}

static void find_lane(const struct sg_wave *wave, const struct sg_touched *touched, unsigned e,
		      unsigned lane, struct found *found)
{
	uint64_t address = touched->address[e][lane], bit_of_lane = (uint64_t)1 << lane;
	const struct sg_known *known;
	const uint8_t *written = find_bytes(wave, touched, address, &known);
	unsigned size = written ? bytes_in(touched, known, address) : 0;
	uint64_t flat = address + (touched->lds ? (uint64_t)SG_SHARED_BASE_HI << 32 : 0);

	found->unwritten[e][lane] = 0;
	for (unsigned i = 0; i < size && i < 16; i++) {
		if (written[i] == SG_WRITTEN)
			continue;
		if (known && !sg_known_unwritten(known, address + i - known->first))
			continue;
		found->unwritten[e][lane] |= (uint16_t)(1u << i);
		if (written[i] == SG_COMPUTED)
			found->computed |= bit_of_lane;
		if (!(found->lanes & bit_of_lane)) {
			found->address[lane] = flat + i;
			found->size[lane] = 0;
		}
		if (flat + i == found->address[lane] + found->size[lane])
			found->size[lane]++;
		found->lanes |= bit_of_lane;
	}
}

static void find_unwritten(const struct sg_wave *wave, const struct sg_touched *touched,
			   struct found *found)
{
	found->lanes = found->computed = 0;
	for (unsigned e = 0; e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1)
			find_lane(wave, touched, e, (unsigned)__builtin_ctzll(m), found);
}

/* Remembers the load, and returns its number. */
static uint32_t remember(struct sg_wave *wave, const struct sg_insn *in, const struct found *found)
{
	struct sg_undefined *u = wave->undefined;
	uint32_t number = u->nloads++;
	struct load *load = &u->loads[number % LOADS];

	load->name = in->op->name;
	load->pc = in->pc;
	load->number = number;
	load->lanes = found->lanes;
	memcpy(load->address, found->address, sizeof(load->address));
	memcpy(load->size, found->size, sizeof(load->size));
	return number;
}

/* The row's arg of loads and stores in vmem.c and lds.c. */
#define BYTES(arg) ((arg)&0x1fu)
#define SIGNED     0x20u
#define D16        0x40u
#define D16_HI     0x80u

/* Returns the mask of word `w` of a register that was loaded, from a bit for each byte. */
static uint32_t loaded_mask(unsigned bytes, unsigned w, unsigned arg)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < 4; i++)
		if (bytes >> (4 * w + i) & 1)
			mask |= 0xffu << 8 * i;
	if (BYTES(arg) == 1 && arg & SIGNED)
		mask = (uint32_t)(int32_t)(int8_t)mask;
	if (BYTES(arg) == 2 && arg & SIGNED)
		mask = (uint32_t)(int32_t)(int16_t)mask;
	return arg & D16 ? mask & 0xffff : arg & D16_HI ? mask << 16 : mask;
}

static void set_loaded(struct sg_wave *wave, const struct sg_insn *in,
		       const struct sg_touched *touched, const struct found *found, uint32_t load)
{
	struct sg_undefined *u = wave->undefined;
	unsigned words = (touched->size + 3) / 4;
	uint64_t exec = sg_exec(wave);

	for (unsigned i = 0; i < words * touched->elements; i++) {
		unsigned r = in->o[0].index + i, e = i / words;

		if (r >= SG_VECTORS || (!found->lanes && !bit(u->rows, r)))
			continue;
		for (uint64_t m = exec; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);

			u->v[r][l] = touched->active >> l & 1 ? loaded_mask(found->unwritten[e][l],
									    i % words, in->op->arg)
							      : 0;
		}
		settle_row(u, r);
		u->computed[r] = (u->computed[r] & ~exec) | found->computed;
		if (found->lanes)
			u->load[r] = load;
	}
}

/* A load of the scalar unit is one access of 4 bytes or more for the wave. */
static void follow_scalar_load(struct sg_wave *wave, const struct sg_insn *in,
			       const struct sg_touched *touched)
{
	struct found found = { .lanes = 0 };
	struct sg_touched part = *touched;
	uint32_t masks[WIDEST / 4], load = 0, any = 0;

	part.size = 4;
	part.active = 1;
	sg_known_lock();
	for (unsigned w = 0; w < touched->size / 4 && w < WIDEST / 4; w++) {
		part.address[0][0] = touched->address[0][__builtin_ctzll(touched->active)] + 4 * w;
		find_lane(wave, &part, 0, 0, &found);
		masks[w] = loaded_mask(found.unwritten[0][0], 0, 4);
		any |= masks[w];
	}
	sg_known_unlock();
	in->op->exec(wave, in);
	if (wave->stop || (!any && !wave->followed) || !undefined(wave) ||
	    in->o[0].kind != SG_K_SCALAR)
		return;
	if (any) {
		/* It counts for the first work-item. */
		found.lanes = (uint64_t)1 << (sg_exec(wave) ? __builtin_ctzll(sg_exec(wave)) : 0);
		found.address[__builtin_ctzll(found.lanes)] = found.address[0];
		found.size[__builtin_ctzll(found.lanes)] = found.size[0];
		load = remember(wave, in, &found);
	}
	for (unsigned w = 0; w < touched->size / 4 && w < WIDEST / 4; w++) {
		unsigned r = in->o[0].index + w;

		if (r >= SG_EXEC)
			break;
		wave->undefined->s[r] = masks[w];
		wave->undefined->scomputed[r] = false;
		wave->undefined->sload[r] = load;
		set_bit(wave->undefined->scalars, r, masks[w] != 0);
	}
	settle(wave);
}

static void follow_load(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
			sg_access_fn execute)
{
	struct found found;
	uint32_t load = 0;

	found.lanes = found.computed = 0;
	sg_known_lock();
	if (wave->followed || !in_one(wave, touched, is_whole))
		find_unwritten(wave, touched, &found);
	sg_known_unlock();
	execute(wave, in, touched);
	if (wave->stop || (!found.lanes && !wave->followed) || !undefined(wave))
		return;
	if (found.lanes)
		load = remember(wave, in, &found);
	set_loaded(wave, in, touched, &found, load);
	settle(wave);
}

/* Returns the register of an element's first word that a store writes to memory. */
static unsigned data_row(const struct sg_insn *in, const struct sg_touched *touched, unsigned e)
{
	bool buffer = strncmp(in->op->name, "buffer_", 7) == 0;

	return in->o[touched->lds ? 1 + e : buffer ? 0 : 1].index;
}

/* Returns the state of byte `i` of a lane that a store writes; *computed if it is a result. */
static uint8_t stored_byte(const struct sg_undefined *u, unsigned row, unsigned lane, unsigned i,
			   bool high, bool *computed)
{
	unsigned r = row + i / 4;
	uint32_t mask;

	if (r >= SG_VECTORS || !bit(u->rows, r))
		return SG_WRITTEN;
	mask = u->v[r][lane] >> (high ? 16 : 0) >> 8 * (i % 4) & 0xff;
	if (!mask)
		return SG_WRITTEN;
	*computed = u->computed[r] >> lane & 1;
	/* A byte that is partly defined counts as written later. */
	return mask == 0xff ? SG_UNWRITTEN : SG_WRITTEN;
}

static bool write_whole(uint8_t *written, unsigned size)
{
	static const uint32_t word = 0x01010101u * SG_WRITTEN;

	for (; size >= 4; size -= 4, written += 4)
		memcpy(written, &word, 4);
	for (unsigned i = 0; i < size; i++)
		written[i] = SG_WRITTEN;
	return true;
}

static void store_lane(struct sg_wave *wave, const struct sg_insn *in,
		       const struct sg_touched *touched, unsigned e, unsigned lane,
		       uint64_t *results)
{
	uint64_t address = touched->address[e][lane];
	const struct sg_known *known;
	uint8_t *written = find_bytes(wave, touched, address, &known);
	unsigned size = written ? bytes_in(touched, known, address) : 0;
	unsigned row = data_row(in, touched, e);
	bool high = in->op->arg & D16_HI, lds = is_lds(touched, address);

	if (!wave->followed) {
		if (written)
			memset(written, SG_WRITTEN, size);
		return;
	}
	for (unsigned i = 0; i < touched->size; i++) {
		bool computed = false;
		uint8_t state = stored_byte(wave->undefined, row, lane, i, high, &computed);

		if (computed && lds)
			state = SG_COMPUTED;
		else if (computed && !lds)
			state = SG_WRITTEN; /* it is reported here */
		if (computed && !lds)
			*results |= (uint64_t)1 << lane;
		if (i < size)
			written[i] = state;
	}
}

static void follow_store(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
			 sg_access_fn execute)
{
	uint64_t results = 0;
	uint32_t load;
	bool whole;

	sg_known_lock();
	whole = !wave->followed && in_one(wave, touched, write_whole);
	for (unsigned e = 0; !whole && e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1)
			store_lane(wave, in, touched, e, (unsigned)__builtin_ctzll(m), &results);
	sg_known_unlock();
	if (results) {
		struct sg_operand data = { .kind = SG_K_VECTOR,
					   .index = (uint16_t)data_row(in, touched, 0),
					   .count = (uint8_t)((touched->size + 3) / 4) };

		if (is_undefined(wave->undefined, &data, &load))
			report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_RESULT);
	}
	execute(wave, in, touched);
}

/* An exchange does not use what was there. */
static bool exchanges(const struct sg_insn *in)
{
	return strstr(in->op->name, "swap") && !strstr(in->op->name, "cmpswap");
}

static void follow_atomic(struct sg_wave *wave, const struct sg_insn *in,
			  struct sg_touched *touched, sg_access_fn execute)
{
	struct found found;

	sg_known_lock();
	find_unwritten(wave, touched, &found);
	for (uint64_t m = touched->active; m; m &= m - 1) {
		uint64_t address = touched->address[0][__builtin_ctzll(m)];
		const struct sg_known *known;
		uint8_t *written = find_bytes(wave, touched, address, &known);

		if (written)
			memset(written, SG_WRITTEN, bytes_in(touched, known, address));
	}
	sg_known_unlock();
	if (found.lanes && !exchanges(in) && undefined(wave))
		report(wave, in, remember(wave, in, &found), SOFTGPU_CHECK_UNWRITTEN_ATOMIC);
	execute(wave, in, touched);
	if (wave->followed && (touched->lds ? !(in->op->flags & SG_F_NODST) : in->glc)) {
		clear_operand(wave->undefined, &in->o[0]);
		settle(wave);
	}
}

/* Reports addresses that depend on unwritten bytes, and has their registers defined. */
static void check_addresses(struct sg_wave *wave, const struct sg_insn *in,
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

		if (!is_undefined(wave->undefined, &in->o[n], &load))
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
			report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_ADDRESS);
			clear_operand(wave->undefined, &in->o[n]);
		}
	}
	settle(wave);
}

void sg_follow_untouched(struct sg_wave *wave, const struct sg_insn *in)
{
	in->op->exec(wave, in);
	if (in->lds || strncmp(in->op->name, "ds_", 3) == 0 || strstr(in->op->name, "_lds_"))
		if (wave->group->lds_written)
			memset(wave->group->lds_written, SG_WRITTEN, wave->group->lds_size);
	if (wave->followed && in->nops && !strstr(in->op->name, "_store_")) {
		clear_operand(wave->undefined, &in->o[0]);
		settle(wave);
	}
}

void sg_follow_memory(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
		      sg_access_fn execute)
{
	if (wave->followed)
		check_addresses(wave, in, touched);
	if (touched->scalar)
		follow_scalar_load(wave, in, touched);
	else if (touched->kind == SG_READ)
		follow_load(wave, in, touched, execute);
	else if (touched->kind == SG_WRITE)
		follow_store(wave, in, touched, execute);
	else
		follow_atomic(wave, in, touched, execute);
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
