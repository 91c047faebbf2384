/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame around every vector-ALU row: sources of any kind become arrays of 64 lanes with their
 * modifiers applied, the row's loop runs, and the result goes where EXEC, SDWA, DPP and half
 * selection allow.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "lanes.h"

/* Compiled once for each table of rows. */
#ifndef SG_EXEC_VALU
#define SG_EXEC_VALU sg_exec_valu
#define SG_EXEC_FAST sg_exec_fast
#endif

union lanes {
	uint32_t u[SG_LANES];
	uint32_t w[2][SG_LANES]; /* low and high words */
} __attribute__((aligned(64)));

/* A source: low words, and high ones where the type has them. */
struct source {
	const uint32_t *low, *high;
};

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

	if (type != SG_p16)
		sign =
		    (in->neg_lo >> k & 1 ? 0x8000u : 0) | (in->neg_hi >> k & 1 ? 0x80000000u : 0);
	for (l = 0; l < SG_LANES; l++)
		t[l] = ((t[l] >> lo & 0xffff) | (t[l] >> hi & 0xffff) << 16) ^ sign;
}

static void flip(uint32_t *to, const uint32_t *from, uint32_t keep, uint32_t change)
{
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		to[l] = (from[l] & keep) ^ change;
}

static void fill(uint32_t *to, uint32_t value)
{
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		to[l] = value;
}

static const uint32_t *source32(struct sg_wave *wave, const struct sg_insn *in, unsigned n,
				unsigned k, uint32_t *t)
{
	const struct sg_operand *o = &in->o[n];
	uint8_t type = in->type[n];
	bool half = sg_is16(type) && (in->op_sel >> k & 1);
	bool selected = in->sdwa && k < 2 && (in->src_sel[k] != SG_DWORD || o->sext);
	bool packed = sg_is_pair(type);
	unsigned l;

	if (o->kind == SG_K_VECTOR) {
		if (!o->neg && !o->abs && !half && !selected && !packed && type != SG_mix)
			return wave->v[o->index];
		memcpy(t, wave->v[o->index], sizeof(wave->v[0]));
	} else {
		fill(t, sg_read32(wave, o));
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
		modify_sign(t, o, sg_is16(type) ? 0x8000u : 0x80000000u);
	return t;
}

static inline __attribute__((always_inline)) struct source
plain_source(struct sg_wave *wave, const struct sg_insn *in, unsigned n, union lanes *t)
{
	const struct sg_operand *o = &in->o[n];
	bool wide = sg_is64(in->type[n]);
	uint64_t x;

	if (o->kind == SG_K_VECTOR)
		return (struct source){ wave->v[o->index], wave->v[o->index + wide] };
	if (o->kind == SG_K_CONST)
		return (struct source){ o->row, o->row + SG_LANES };
	if (!wide) {
		fill(t->w[0], sg_read32(wave, o));
	} else {
		x = sg_read64(wave, o);
		fill(t->w[0], (uint32_t)x);
		fill(t->w[1], (uint32_t)(x >> 32));
	}
	return (struct source){ t->w[0], t->w[1] };
}

static struct source source64(struct sg_wave *wave, const struct sg_insn *in, unsigned n,
			      unsigned k, union lanes *t)
{
	const struct sg_operand *o = &in->o[n];
	struct source plain = plain_source(wave, in, n, t), s = plain;

	if (in->type[n] == SG_pf) {
		s.low = in->op_sel >> k & 1 ? plain.high : plain.low;
		s.high = in->op_sel_hi >> k & 1 ? plain.high : plain.low;
		/* Both may read the row that the other one's result would overwrite. */
		if ((in->neg_lo >> k & 1) || (in->neg_hi >> k & 1)) {
			union lanes u;

			flip(u.w[0], s.low, ~0u, in->neg_lo >> k & 1 ? 0x80000000u : 0);
			flip(u.w[1], s.high, ~0u, in->neg_hi >> k & 1 ? 0x80000000u : 0);
			*t = u;
			s = (struct source){ t->w[0], t->w[1] };
		}
		return s;
	}
	if (o->abs || o->neg) {
		flip(t->w[1], s.high, o->abs ? 0x7fffffffu : ~0u, o->neg ? 0x80000000u : 0);
		s.high = t->w[1];
	}
	return s;
}

static inline struct source source(struct sg_wave *wave, const struct sg_insn *in, unsigned n,
				   unsigned k, union lanes *t)
{
	if (!n)
		return (struct source){ t->w[0], t->w[1] };
	if (in->direct)
		return plain_source(wave, in, n, t);
	if (sg_is64(in->type[n]))
		return source64(wave, in, n, k, t);
	return (struct source){ source32(wave, in, n, k, t->u), t->w[1] };
}

/* ---- DPP ---- */

/* Returns the lane that `lane` reads, or -1 if there is none (MI200 ISA, DPP_CTRL). */
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
static uint64_t apply_dpp(const struct sg_insn *in, uint64_t exec, struct source *from,
			  union lanes *to)
{
	bool wide = sg_is64(in->op->a);
	uint64_t write = 0;
	unsigned l;

	for (l = 0; l < SG_LANES; l++) {
		int s = dpp_lane(in, l);
		bool valid = s >= 0 && (exec >> s & 1);

		to->w[0][l] = valid ? from->low[s] : 0;
		if (wide)
			to->w[1][l] = valid ? from->high[s] : 0;
		if ((in->row_mask >> (l / 16) & 1) && (in->bank_mask >> (l / 4 % 4) & 1) &&
		    (valid || in->bound_ctrl))
			write |= (uint64_t)1 << l;
	}
	*from = (struct source){ to->w[0], to->w[1] };
	return write & exec;
}

/* ---- results ---- */

static inline uint64_t pack_mask(const uint32_t *bit)
{
	uint64_t mask = 0;
	unsigned l;

#if defined(__AVX2__)
	for (l = 0; l < SG_LANES; l += 8) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)&bit[l]);

		x = _mm256_slli_epi32(x, 31);
		mask |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(x)) << l;
	}
#elif defined(__x86_64__)
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

/* Unpacks the mask to 0 or 1 per lane. */
static inline void unpack_mask(uint64_t mask, uint32_t *bit)
{
	unsigned l, i;

	for (l = 0; l < SG_LANES; l += 8) {
		uint32_t byte = (uint32_t)(mask >> l) & 0xff;

		for (i = 0; i < 8; i++)
			bit[l + i] = byte >> i & 1;
	}
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
			double f = sg_double((uint64_t)d->w[1][l] << 32 | d->w[0][l]);

			if (in->omod)
				f *= in->omod == 2 ? 4.0 : in->omod == 1 ? 2.0 : 0.5;
			if (in->clamp)
				f = f > 0 ? (f < 1 ? f : 1) : 0;
			d->w[0][l] = (uint32_t)sg_bits64(f);
			d->w[1][l] = (uint32_t)(sg_bits64(f) >> 32);
			break;
		}
		case SG_pf: {
			float lo = scale_clamp32(sg_float(d->w[0][l]), 0, in->clamp);
			float hi = scale_clamp32(sg_float(d->w[1][l]), 0, in->clamp);

			d->w[0][l] = sg_bits32(lo);
			d->w[1][l] = sg_bits32(hi);
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

static void store(uint32_t *to, uint64_t write, const uint32_t *d)
{
	uint32_t mask[SG_LANES];
	unsigned l;

	unpack_mask(write, mask);
	for (l = 0; l < SG_LANES; l++)
		to[l] = mask[l] ? d[l] : to[l];
}

/* ---- rounding and denormal mode ---- */

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

	if (__builtin_expect(!(op->flags & SG_F_FLOAT) || (wave->mode & 0xff) == SG_MODE_DEFAULT,
			     1)) {
		op->lane(io);
		return true;
	}
#if defined(__x86_64__)
	{
		bool half = op->d == SG_f16 || op->a == SG_f16 || op->a == SG_ph || op->a == SG_pb;
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

void SG_EXEC_VALU(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_op *op = in->op;
	uint64_t exec = sg_exec(wave), write = exec;
	union lanes ta, tb, tc, td, tp;
	uint32_t cin[SG_LANES] __attribute__((aligned(64)));
	uint32_t cout[SG_LANES] __attribute__((aligned(64)));
	struct source a, b, c;
	struct sg_lanes io;
	struct sg_insn indexed;
	bool in_place;

	if (!exec && op->d != SG_mask && !in->carry_out)
		return;
	if (__builtin_expect(wave->mode & SG_MODE_GPR_IDX, 0)) {
		if (!apply_index(wave, in, &indexed))
			return;
		in = &indexed;
	}
	a = source(wave, in, in->a, 0, &ta);
	b = source(wave, in, in->b, 1, &tb);
	if (op->flags & SG_F_ACCUM)
		c = plain_source(wave, in, 0, &tc);
	else
		c = source(wave, in, in->c, 2, &tc);
	if (in->dpp)
		write = apply_dpp(in, exec, &a, &tp);
	if (op->flags & (SG_F_CIN | SG_F_VCC)) {
		uint64_t mask = op->flags & SG_F_VCC ? sg_pair(wave, SG_VCC)
						     : sg_read64(wave, &in->o[in->carry_in]);

		unpack_mask(mask, cin);
	}
	in_place = in->simple && op->d != SG_mask;
	io.a = a.low, io.ah = a.high;
	io.b = b.low, io.bh = b.high;
	io.c = c.low, io.ch = c.high;
	io.cin = cin;
	io.cout = cout;
	io.mask = in_place && ~exec ? sg_lane_mask(wave) : NULL;
	io.d = in_place ? wave->v[in->o[0].index] : td.w[0];
	io.dh = in_place ? wave->v[in->o[0].index + sg_is64(op->d)] : td.w[1];
	if (!run_lanes(wave, in, &io))
		return;
	if (op->d == SG_mask) {
		uint64_t result = pack_mask(td.u) & write;

		sg_write64(wave, &in->o[0], result);
		if (op->flags & SG_F_CMPX)
			sg_set_pair(wave, SG_EXEC, result);
		return;
	}
	if (!in_place) {
		if (in->clamp || in->omod)
			output_modifiers(in, &td);
		if (!sg_is64(op->d))
			merge_partial(in, wave->v[in->o[0].index], td.u);
		else
			store(wave->v[in->o[0].index + 1], write, td.w[1]);
		store(wave->v[in->o[0].index], write, td.w[0]);
	}
	if (in->carry_out)
		sg_write64(wave, &in->o[in->carry_out], pack_mask(cout) & exec);
}

void SG_EXEC_FAST(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave), result;
	union lanes ta, tb, tc;
	uint32_t bits[SG_LANES] __attribute__((aligned(64)));
	struct sg_lanes io;
	struct source s;

	if (__builtin_expect((wave->mode & in->mode_bits) != in->mode_value, 0)) {
		SG_EXEC_VALU(wave, in);
		return;
	}
	s = plain_source(wave, in, in->a, &ta);
	io.a = s.low, io.ah = s.high;
	if (in->b) {
		s = plain_source(wave, in, in->b, &tb);
		io.b = s.low, io.bh = s.high;
	}
	if (in->c) {
		s = plain_source(wave, in, in->c, &tc);
		io.c = s.low, io.ch = s.high;
	}
	if (in->how == SG_FAST_COMPARE) {
		io.d = bits;
		io.mask = NULL;
		in->lane(&io);
		result = pack_mask(bits) & exec;
		sg_write64(wave, &in->o[0], result);
		if (in->op->flags & SG_F_CMPX)
			sg_set_pair(wave, SG_EXEC, result);
		return;
	}
	if (!exec && in->how == SG_FAST_PLAIN)
		return;
	io.d = wave->v[in->o[0].index];
	io.dh = wave->v[in->o[0].index + 1];
	if (in->op->flags & SG_F_ACCUM)
		io.c = io.d, io.ch = io.dh;
	io.mask = ~exec ? sg_lane_mask(wave) : NULL;
	if (in->how == SG_FAST_PLAIN) {
		in->lane(&io);
		return;
	}
	if (in->carry_in) {
		unpack_mask(sg_read64(wave, &in->o[in->carry_in]), bits);
		io.cin = bits;
	} else if (in->op->flags & SG_F_VCC) {
		unpack_mask(sg_pair(wave, SG_VCC), bits);
		io.cin = bits;
	}
	/* Carries out may overwrite carries in, lane by lane. */
	io.cout = bits;
	in->lane(&io);
	if (in->carry_out)
		sg_write64(wave, &in->o[in->carry_out], pack_mask(bits) & exec);
}
