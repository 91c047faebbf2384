/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame around every vector-ALU row: sources of any kind become arrays of 64 lanes with their
 * modifiers applied, the row's loop runs, and the result goes where EXEC, SDWA, DPP and half
 * selection allow.
 */
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "lanes.h"

union lanes {
	uint32_t u[SG_LANES];
	uint64_t q[SG_LANES];
} __attribute__((aligned(64)));

static bool is64(uint8_t type)
{
	return type == SG_u64 || type == SG_i64 || type == SG_f64 || type == SG_pf;
}

static bool is16(uint8_t type)
{
	return type == SG_u16 || type == SG_i16 || type == SG_f16;
}

/* ---- at decode time ---- */

void sg_settle_constant(struct sg_operand *o, uint8_t type)
{
	if (o->is_float) {
		if (is64(type) && type != SG_pf)
			o->value = sg_bits64(o->fvalue);
		else if (is16(type) || type == SG_p16 || type == SG_ph)
			o->value = sg_double_to_half(o->fvalue);
		else
			o->value = sg_bits32((float)o->fvalue);
	} else if (o->is_hex && type == SG_f64) {
		o->value <<= 32;
	} else if (o->is_hex && type == SG_i64) {
		o->value = (uint64_t)(int64_t)(int32_t)o->value;
	}
}

static const char *settle(struct sg_insn *in, unsigned n, uint8_t type)
{
	struct sg_operand *o = &in->o[n];
	uint8_t registers = is64(type) || type == SG_mask ? 2 : 1;

	in->type[n] = type;
	if (o->kind == SG_K_CONST && (int64_t)o->value >> 32 > 0 && !is64(type))
		return "aperture register as a 32-bit operand";
	if (o->kind == SG_K_CONST)
		sg_settle_constant(o, type);
	else if ((o->kind == SG_K_VECTOR || o->kind == SG_K_SCALAR) && o->count != registers)
		return "operand of an unexpected size";
	if (type == SG_mix && (in->op_sel_hi >> (n - 1) & 1) && o->kind == SG_K_CONST)
		return "constant as a half in a mixed-precision operation";
	return NULL;
}

const char *sg_prepare_valu(struct sg_insn *in)
{
	const struct sg_op *op = in->op;
	unsigned n = 1;
	const char *problem;
	bool packed = op->a == SG_p16 || op->a == SG_ph || op->a == SG_pf;
	unsigned i;

	if (in->nops < 1)
		return "no operands";
	if (packed && !in->has_op_sel_hi)
		in->op_sel_hi = 7;
	problem = settle(in, 0, op->d);
	if (!problem && op->flags & SG_F_COUT) {
		in->carry_out = (uint8_t)n;
		problem = settle(in, n++, SG_mask);
	}
	if (!problem && op->a) {
		in->a = (uint8_t)n;
		problem = settle(in, n++, op->a);
	}
	if (!problem && op->b) {
		in->b = (uint8_t)n;
		problem = settle(in, n++, op->b);
	}
	if (!problem && op->c && !(op->flags & SG_F_ACCUM)) {
		in->c = (uint8_t)n;
		problem = settle(in, n++, op->c);
	}
	if (!problem && op->flags & SG_F_CIN) {
		in->carry_in = (uint8_t)n;
		problem = settle(in, n++, SG_mask);
	}
	if (problem)
		return problem;
	if (n != in->nops)
		return "unexpected number of operands";
	if (op->d != SG_mask && in->o[0].kind != SG_K_VECTOR)
		return "destination is not a vector register";
	for (i = 1; i < n; i++)
		if (in->o[i].kind == SG_K_OFF || in->o[i].kind == SG_K_TEXT)
			return "unexpected operand";
	if (op->a == SG_pf)
		for (i = 1; i < n; i++)
			if (in->o[i].kind == SG_K_CONST && in->o[i].value &&
			    (in->op_sel_hi >> (i - 1) & 1) && strcmp(op->name, "v_pk_mov_b32"))
				return "constant for both halves of a packed f32 operation";
	if (op->a == SG_mix && (in->neg_lo || in->neg_hi))
		return "modifier of a mixed-precision operation";
	if (in->clamp && op->d != SG_f32 && op->d != SG_f64 && op->d != SG_f16 && op->d != SG_ph &&
	    op->d != SG_pf)
		return "clamp on this operation";
	if (in->dpp && op->a != SG_none && is64(op->a) && in->dpp != SG_DPP_ROW_NEWBCAST)
		return "DPP on a 64-bit operand";
	in->simple = !in->sdwa && !in->dpp && !in->clamp && !in->omod && !in->op_sel &&
		     !(op->flags & (SG_F_KEEP_HI | SG_F_HI));
	if (packed && op->d != SG_none)
		in->simple = !in->clamp;
	return NULL;
}

/* ---- sources ---- */

static uint32_t sdwa_select(uint32_t x, unsigned sel, bool sext)
{
	if (sel <= SG_BYTE_3) {
		x = x >> (8 * sel) & 0xff;
		return sext ? (uint32_t)(int32_t)(int8_t)x : x;
	}
	if (sel <= SG_WORD_1) {
		x = x >> (16 * (sel - SG_WORD_0)) & 0xffff;
		return sext ? (uint32_t)(int32_t)(int16_t)x : x;
	}
	return x;
}

static void modify_sign(uint32_t *t, const struct sg_operand *o, uint32_t sign)
{
	unsigned l;

	if (o->abs)
		for (l = 0; l < SG_LANES; l++)
			t[l] &= ~sign;
	if (o->neg)
		for (l = 0; l < SG_LANES; l++)
			t[l] ^= sign;
}

/* Packed 16 bit: put the selected halves in order and negate them. */
static void modify_packed(uint32_t *t, const struct sg_insn *in, unsigned k, uint8_t type)
{
	unsigned lo = in->op_sel >> k & 1 ? 16 : 0, hi = in->op_sel_hi >> k & 1 ? 16 : 0;
	uint32_t sign = 0;
	unsigned l;

	if (type == SG_ph)
		sign =
		    (in->neg_lo >> k & 1 ? 0x8000u : 0) | (in->neg_hi >> k & 1 ? 0x80000000u : 0);
	for (l = 0; l < SG_LANES; l++)
		t[l] = ((t[l] >> lo & 0xffff) | (t[l] >> hi & 0xffff) << 16) ^ sign;
}

static const uint32_t *source32(struct sg_wave *wave, const struct sg_insn *in, unsigned n,
				unsigned k, uint32_t *t)
{
	const struct sg_operand *o = &in->o[n];
	uint8_t type = in->type[n];
	bool half = is16(type) && (in->op_sel >> k & 1);
	bool selected = in->sdwa && k < 2 && (in->src_sel[k] != SG_DWORD || o->sext);
	bool packed = type == SG_p16 || type == SG_ph;
	unsigned l;

	if (o->kind == SG_K_VECTOR) {
		if (!o->neg && !o->abs && !half && !selected && !packed && type != SG_mix)
			return wave->v[o->index];
		memcpy(t, wave->v[o->index], sizeof(wave->v[0]));
	} else {
		uint32_t x = sg_read32(wave, o);

		for (l = 0; l < SG_LANES; l++)
			t[l] = x;
	}
	if (packed) {
		modify_packed(t, in, k, type);
		return t;
	}
	if (type == SG_mix && (in->op_sel_hi >> k & 1)) {
		unsigned shift = in->op_sel >> k & 1 ? 16 : 0;

		for (l = 0; l < SG_LANES; l++)
			t[l] = sg_bits32(sg_half_to_float(t[l] >> shift));
	}
	if (selected)
		for (l = 0; l < SG_LANES; l++)
			t[l] = sdwa_select(t[l], in->src_sel[k], o->sext);
	if (half)
		for (l = 0; l < SG_LANES; l++)
			t[l] >>= 16;
	if (o->neg || o->abs)
		modify_sign(t, o, is16(type) ? 0x8000u : 0x80000000u);
	return t;
}

static const uint64_t *source64(struct sg_wave *wave, const struct sg_insn *in, unsigned n,
				unsigned k, uint64_t *t)
{
	const struct sg_operand *o = &in->o[n];
	unsigned l;

	if (o->kind == SG_K_VECTOR) {
		const uint32_t *lo = wave->v[o->index], *hi = wave->v[o->index + 1];

		for (l = 0; l < SG_LANES; l++)
			t[l] = (uint64_t)hi[l] << 32 | lo[l];
	} else {
		uint64_t x = sg_read64(wave, o);

		for (l = 0; l < SG_LANES; l++)
			t[l] = x;
	}
	if (in->type[n] == SG_pf) {
		unsigned lo = in->op_sel >> k & 1 ? 32 : 0, hi = in->op_sel_hi >> k & 1 ? 32 : 0;
		uint64_t sign = (in->neg_lo >> k & 1 ? 0x80000000u : 0) |
				(in->neg_hi >> k & 1 ? 0x8000000000000000u : 0);

		if (lo != 0 || hi != 32 || sign)
			for (l = 0; l < SG_LANES; l++)
				t[l] = ((t[l] >> lo & 0xffffffffu) | (t[l] >> hi & 0xffffffffu)
									 << 32) ^
				       sign;
		return t;
	}
	if (o->abs)
		for (l = 0; l < SG_LANES; l++)
			t[l] &= ~0x8000000000000000u;
	if (o->neg)
		for (l = 0; l < SG_LANES; l++)
			t[l] ^= 0x8000000000000000u;
	return t;
}

static const void *source(struct sg_wave *wave, const struct sg_insn *in, unsigned n, unsigned k,
			  union lanes *t)
{
	if (!n)
		return t;
	if (is64(in->type[n]))
		return source64(wave, in, n, k, t->q);
	return source32(wave, in, n, k, t->u);
}

/* ---- DPP ---- */

/* Lane that `lane` reads, or -1 when there is none (MI200 ISA, DPP_CTRL). */
static int dpp_lane(const struct sg_insn *in, unsigned lane)
{
	int row = (int)lane & ~15, at = (int)lane & 15, n = in->dpp_arg;

	switch (in->dpp) {
	case SG_DPP_QUAD_PERM:
		return (int)(lane & ~3u) + (n >> (2 * (lane & 3)) & 3);
	case SG_DPP_ROW_SHL:
		return at + n < 16 ? row + at + n : -1;
	case SG_DPP_ROW_SHR:
		return at - n >= 0 ? row + at - n : -1;
	case SG_DPP_ROW_ROR:
		return row + ((at - n) & 15);
	case SG_DPP_WAVE_SHL:
		return lane < 63 ? (int)lane + 1 : -1;
	case SG_DPP_WAVE_ROL:
		return ((int)lane + 1) & 63;
	case SG_DPP_WAVE_SHR:
		return (int)lane - 1;
	case SG_DPP_WAVE_ROR:
		return ((int)lane - 1) & 63;
	case SG_DPP_ROW_MIRROR:
		return row + 15 - at;
	case SG_DPP_ROW_HALF_MIRROR:
		return ((int)lane & ~7) + 7 - ((int)lane & 7);
	case SG_DPP_ROW_BCAST:
		if (n == 15)
			return row ? row - 1 : -1;
		return lane >= 32 ? 31 : -1;
	case SG_DPP_ROW_NEWBCAST:
		return row + n;
	default:
		return (int)lane;
	}
}

/* Permute the first source; returns the lanes that are written. */
static uint64_t apply_dpp(const struct sg_insn *in, uint64_t exec, const void *from, bool wide,
			  union lanes *to)
{
	const uint32_t *u = from;
	const uint64_t *q = from;
	uint64_t write = 0;
	unsigned l;

	for (l = 0; l < SG_LANES; l++) {
		int s = dpp_lane(in, l);
		bool valid = s >= 0 && (exec >> s & 1);

		if (wide)
			to->q[l] = valid ? q[s] : 0;
		else
			to->u[l] = valid ? u[s] : 0;
		if ((in->row_mask >> (l / 16) & 1) && (in->bank_mask >> (l / 4 % 4) & 1) &&
		    (valid || in->bound_ctrl))
			write |= (uint64_t)1 << l;
	}
	return write & exec;
}

/* ---- results ---- */

static uint64_t pack_mask(const uint32_t *bit)
{
	uint64_t mask = 0;
	unsigned l;

#if defined(__x86_64__)
	/* 16 lanes at a time: each lane's lowest bit becomes a byte's sign. */
	for (l = 0; l < SG_LANES; l += 16) {
		const __m128i *p = (const __m128i *)(const void *)&bit[l];
		__m128i one = _mm_set1_epi32(1);
		__m128i low = _mm_packs_epi32(_mm_and_si128(p[0], one), _mm_and_si128(p[1], one));
		__m128i high = _mm_packs_epi32(_mm_and_si128(p[2], one), _mm_and_si128(p[3], one));
		__m128i bytes = _mm_slli_epi16(_mm_packs_epi16(low, high), 7);

		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << l;
	}
#else
	for (l = 0; l < SG_LANES; l++)
		mask |= (uint64_t)(bit[l] & 1) << l;
#endif
	return mask;
}

/* The reverse: 0 or 1 per lane, four lanes a step. */
static void unpack_mask(uint64_t mask, uint32_t *bit)
{
#define ROW(n)                                                    \
	{                                                         \
		(n) & 1, (n) >> 1 & 1, (n) >> 2 & 1, (n) >> 3 & 1 \
	}
	static const uint32_t four[16][4] = { ROW(0u),  ROW(1u),  ROW(2u),  ROW(3u),
					      ROW(4u),  ROW(5u),  ROW(6u),  ROW(7u),
					      ROW(8u),  ROW(9u),  ROW(10u), ROW(11u),
					      ROW(12u), ROW(13u), ROW(14u), ROW(15u) };
#undef ROW
	unsigned l;

	for (l = 0; l < SG_LANES; l += 4, mask >>= 4)
		memcpy(&bit[l], four[mask & 15], sizeof(four[0]));
}

static float scale_clamp32(float f, int omod, bool clamp)
{
	if (omod)
		f *= omod == 2 ? 4.0f : omod == 1 ? 2.0f : 0.5f;
	if (clamp)
		f = f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
	return f;
}

static void output_modifiers(const struct sg_insn *in, union lanes *d)
{
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		switch (in->op->d) {
		case SG_f32:
			d->u[l] = sg_bits32(scale_clamp32(sg_float(d->u[l]), in->omod, in->clamp));
			break;
		case SG_f16:
			d->u[l] = sg_float_to_half(
			    scale_clamp32(sg_half_to_float(d->u[l]), in->omod, in->clamp));
			break;
		case SG_ph:
			d->u[l] =
			    sg_float_to_half(scale_clamp32(sg_half_to_float(d->u[l]), 0, true)) |
			    sg_float_to_half(
				scale_clamp32(sg_half_to_float(d->u[l] >> 16), 0, true))
				<< 16;
			break;
		case SG_f64: {
			double f = sg_double(d->q[l]);

			if (in->omod)
				f *= in->omod == 2 ? 4.0 : in->omod == 1 ? 2.0 : 0.5;
			if (in->clamp)
				f = f > 0 ? (f < 1 ? f : 1) : 0;
			d->q[l] = sg_bits64(f);
			break;
		}
		case SG_pf: {
			float lo = scale_clamp32(sg_float((uint32_t)d->q[l]), 0, in->clamp);
			float hi = scale_clamp32(sg_float((uint32_t)(d->q[l] >> 32)), 0, in->clamp);

			d->q[l] = (uint64_t)sg_bits32(hi) << 32 | sg_bits32(lo);
			break;
		}
		default:
			break;
		}
}

static uint32_t sdwa_merge(const struct sg_insn *in, uint32_t old, uint32_t x)
{
	unsigned width = in->dst_sel <= SG_BYTE_3 ? 8 : 16;
	unsigned shift =
	    in->dst_sel <= SG_BYTE_3 ? 8u * in->dst_sel : 16u * (unsigned)(in->dst_sel - SG_WORD_0);
	uint32_t field = ((1u << width) - 1) << shift, rest = 0;

	if (in->dst_sel == SG_DWORD)
		return x;
	x = x << shift & field;
	if (in->dst_unused == SG_UNUSED_PRESERVE)
		rest = old & ~field;
	else if (in->dst_unused == SG_UNUSED_SEXT && x >> (shift + width - 1) & 1)
		rest = ~field & ~((1u << shift) - 1);
	return x | rest;
}

/* Merge into part of the destination's register. */
static void merge_partial(const struct sg_insn *in, const uint32_t *old, uint32_t *d)
{
	bool high = in->op->flags & SG_F_HI || (in->op_sel >> 3 & 1);
	unsigned l;

	if (in->sdwa)
		for (l = 0; l < SG_LANES; l++)
			d[l] = sdwa_merge(in, old[l], d[l]);
	else if (high)
		for (l = 0; l < SG_LANES; l++)
			d[l] = (old[l] & 0xffff) | d[l] << 16;
	else if (in->op->flags & SG_F_KEEP_HI)
		for (l = 0; l < SG_LANES; l++)
			d[l] = (old[l] & 0xffff0000u) | (d[l] & 0xffff);
}

static void store32(struct sg_wave *wave, const struct sg_insn *in, uint64_t write, uint32_t *d)
{
	uint32_t *to = wave->v[in->o[0].index];
	unsigned l;

	if (write == sg_exec(wave)) {
		const uint32_t *mask = sg_lane_mask(wave);

		for (l = 0; l < SG_LANES; l++)
			to[l] = (to[l] & ~mask[l]) | (d[l] & mask[l]);
		return;
	}
	for (l = 0; l < SG_LANES; l++)
		if (write >> l & 1)
			to[l] = d[l];
}

static void store64(struct sg_wave *wave, const struct sg_insn *in, uint64_t write,
		    const uint64_t *d)
{
	uint32_t *lo = wave->v[in->o[0].index], *hi = wave->v[in->o[0].index + 1];
	unsigned l;

	if (write == ~(uint64_t)0) {
		for (l = 0; l < SG_LANES; l++) {
			lo[l] = (uint32_t)d[l];
			hi[l] = (uint32_t)(d[l] >> 32);
		}
		return;
	}
	if (write == sg_exec(wave)) {
		const uint32_t *mask = sg_lane_mask(wave);

		for (l = 0; l < SG_LANES; l++) {
			lo[l] = (lo[l] & ~mask[l]) | ((uint32_t)d[l] & mask[l]);
			hi[l] = (hi[l] & ~mask[l]) | ((uint32_t)(d[l] >> 32) & mask[l]);
		}
		return;
	}
	for (l = 0; l < SG_LANES; l++)
		if (write >> l & 1) {
			lo[l] = (uint32_t)d[l];
			hi[l] = (uint32_t)(d[l] >> 32);
		}
}

/* ---- rounding and denormal mode ---- */

#define MODE_DEFAULT 0xf0u /* nearest even, denormals kept, for f32 and for f64/f16 */

#if defined(__x86_64__)
/* MXCSR for the MODE fields of an operation of this width; the host has one for all widths. */
static unsigned host_mode(uint32_t mode, bool wide)
{
	static const unsigned rounding[4] = { _MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
					      _MM_ROUND_TOWARD_ZERO };
	unsigned round = mode >> (wide ? 2 : 0) & 3, denormal = mode >> (wide ? 6 : 4) & 3;
	unsigned csr = 0x1f80 | rounding[round];

	if (!(denormal & 1))
		csr |= 0x0040; /* denormals are zero on input */
	if (!(denormal & 2))
		csr |= 0x8000; /* and on output */
	return csr;
}
#endif

static bool run_lanes(struct sg_wave *wave, const struct sg_insn *in, struct sg_lanes *io)
{
	const struct sg_op *op = in->op;

	if (__builtin_expect(!(op->flags & SG_F_FLOAT) || (wave->mode & 0xff) == MODE_DEFAULT, 1)) {
		op->lane(io);
		return true;
	}
#if defined(__x86_64__)
	{
		bool half = op->d == SG_f16 || op->a == SG_f16 || op->a == SG_ph;
		bool wide = op->d == SG_f64 || op->a == SG_f64 || half;
		unsigned csr = host_mode(wave->mode, wide), old = _mm_getcsr();

		if (!half) {
			_mm_setcsr(csr);
			op->lane(io);
			_mm_setcsr(old);
			return true;
		}
		/* Halves are computed as float, where the host's mode would act elsewhere. */
		if ((csr & 0xe040) == 0) {
			op->lane(io);
			return true;
		}
	}
#endif
	sg_unsupported(wave, in, "rounding or denormal mode not supported for this operation");
	return false;
}

/* S_SET_GPR_IDX_*: M0 holds an index added to vector operands; returns false when outside. */
static bool apply_index(struct sg_wave *wave, const struct sg_insn *in, struct sg_insn *out)
{
	uint32_t m0 = wave->s[SG_M0], index = m0 & 0xff;
	const unsigned operand[4] = { in->a, in->b, in->c, 0 };
	unsigned i;

	*out = *in;
	for (i = 0; i < 4; i++) {
		struct sg_operand *o = &out->o[operand[i]];

		if (!(m0 >> (12 + i) & 1) || (i < 3 && !operand[i]) || o->kind != SG_K_VECTOR)
			continue;
		if ((o->index & 0xffu) + index + o->count > 256) {
			sg_unsupported(wave, in, "indexed vector register outside of the file");
			return false;
		}
		o->index = (uint16_t)(o->index + index);
	}
	return true;
}

void sg_exec_valu(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_op *op = in->op;
	uint64_t exec = sg_exec(wave), write = exec;
	union lanes ta, tb, tc, td, tp, cin, cout;
	struct sg_lanes io;
	struct sg_insn indexed;
	bool direct;

	if (!exec && op->d != SG_mask && !in->carry_out)
		return;
	if (__builtin_expect(wave->mode & SG_MODE_GPR_IDX, 0)) {
		if (!apply_index(wave, in, &indexed))
			return;
		in = &indexed;
	}
	io.a = source(wave, in, in->a, 0, &ta);
	io.b = source(wave, in, in->b, 1, &tb);
	if (op->flags & SG_F_ACCUM)
		io.c = is64(op->d) ? (const void *)source64(wave, in, 0, 7, tc.q)
				   : (const void *)wave->v[in->o[0].index];
	else
		io.c = source(wave, in, in->c, 2, &tc);
	if (in->dpp) {
		write = apply_dpp(in, exec, io.a, is64(op->a), &tp);
		io.a = &tp;
	}
	if (op->flags & (SG_F_CIN | SG_F_VCC)) {
		uint64_t mask = op->flags & SG_F_VCC ? sg_pair(wave, SG_VCC)
						     : sg_read64(wave, &in->o[in->carry_in]);

		unpack_mask(mask, cin.u);
	}
	io.cin = cin.u;
	io.cout = cout.u;
	direct = in->simple && exec == ~(uint64_t)0 && op->d != SG_mask && !is64(op->d);
	io.d = direct ? (void *)wave->v[in->o[0].index] : (void *)&td;
	if (!run_lanes(wave, in, &io))
		return;
	if (op->d == SG_mask) {
		uint64_t result = pack_mask(td.u) & write;

		sg_write64(wave, &in->o[0], result);
		if (op->flags & SG_F_CMPX)
			sg_set_pair(wave, SG_EXEC, result);
		return;
	}
	if (!direct) {
		if (in->clamp || in->omod)
			output_modifiers(in, &td);
		if (is64(op->d)) {
			store64(wave, in, write, td.q);
		} else {
			if (!in->simple)
				merge_partial(in, wave->v[in->o[0].index], td.u);
			store32(wave, in, write, td.u);
		}
	}
	if (in->carry_out)
		sg_write64(wave, &in->o[in->carry_out], pack_mask(cout.u) & exec);
}
