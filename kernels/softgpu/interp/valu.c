/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector-ALU rows: a loop over 64 lanes per row, from the tables in valu_*.def. This file is
 * compiled twice, for plain x86-64 and for machines with AVX2 and FMA (SG_VALU_TABLE names the
 * table), without contraction, so that both give the same bits.
 */
#include "small_float.h"
#include "lanes.h"
#include "vector_math.h"

/*
 * CT, LD and SV convert a lane's words (x, and y for the high one) to the type the body computes
 * with, and its result to the low word. WIDE: the result has a high word, too.
 */
#define CT_none       uint32_t
#define LD_none(x, y) 0u
#define SV_none(x)    0u
#define WIDE_none     0
#define CT_u16        uint32_t
#define LD_u16(x, y)  ((x)&0xffffu)
#define SV_u16(x)     ((uint32_t)(x)&0xffffu)
#define WIDE_u16      0
#define CT_i16        int32_t
#define LD_i16(x, y)  ((int32_t)(int16_t)(x))
#define SV_i16(x)     ((uint32_t)(x)&0xffffu)
#define WIDE_i16      0
#define CT_f16        float
#define LD_f16(x, y)  sg_half_to_float(x)
#define SV_f16(x)     sg_float_to_half(x)
#define WIDE_f16      0
#define CT_u32        uint32_t
#define LD_u32(x, y)  (x)
#define SV_u32(x)     (x)
#define WIDE_u32      0
#define CT_i32        int32_t
#define LD_i32(x, y)  ((int32_t)(x))
#define SV_i32(x)     ((uint32_t)(x))
#define WIDE_i32      0
#define CT_f32        float
#define LD_f32(x, y)  sg_float(x)
#define SV_f32(x)     sg_bits32(x)
#define WIDE_f32      0
#define CT_mix        float
#define LD_mix(x, y)  sg_float(x)
#define SV_mix(x)     sg_bits32(x)
#define WIDE_mix      0
#define CT_mask       uint32_t
#define LD_mask(x, y) (x)
#define SV_mask(x)    (x)
#define WIDE_mask     0
#define CT_p16        uint32_t
#define LD_p16(x, y)  (x)
#define SV_p16(x)     (x)
#define WIDE_p16      0
#define CT_bf16       float
#define LD_bf16(x, y) sg_brain_to_float(x)
#define CT_pb         uint32_t
#define LD_pb(x, y)   (x)
#define CT_ph         uint32_t
#define LD_ph(x, y)   (x)
#define SV_ph(x)      (x)
#define WIDE_ph       0
#define CT_u64        uint64_t
#define LD_u64(x, y)  ((uint64_t)(y) << 32 | (x))
#define SV_u64(x)     (x)
#define WIDE_u64      1
#define CT_i64        int64_t
#define LD_i64(x, y)  ((int64_t)((uint64_t)(y) << 32 | (x)))
#define SV_i64(x)     ((uint64_t)(x))
#define WIDE_i64      1
#define CT_f64        double
#define LD_f64(x, y)  sg_double(((uint64_t)(y) << 32 | (x)))
#define SV_f64(x)     sg_bits64(x)
#define WIDE_f64      1
#define CT_pf         uint64_t
#define LD_pf(x, y)   ((uint64_t)(y) << 32 | (x))
#define SV_pf(x)      (x)
#define WIDE_pf       1

/* The lanes of an operation do not depend on each other, even where its operands overlap. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/*
 * VOPN(id, "mnemonic", D, A, B, C, flags, body): the body sets D from A, B, C, CIN and may set
 * COUT; with SG_F_ACCUM C is the destination's old value.
 */
#define LOOP(id, dt, at, bt, ct, fl, ...)                                                         \
	static inline __attribute__((always_inline)) void loop_##id(const struct sg_lanes *io,    \
								    const uint32_t *mask_)        \
	{                                                                                         \
		uint32_t *d_ = io->d, *dh_ = io->dh, *cout_ = io->cout;                           \
		const uint32_t *a_ = io->a, *ah_ = io->ah, *b_ = io->b, *bh_ = io->bh;            \
		const uint32_t *c_ = io->c, *ch_ = io->ch, *cin_ = io->cin;                       \
		unsigned l_;                                                                      \
                                                                                                  \
		(void)ah_, (void)bh_, (void)ch_, (void)dh_, (void)cin_, (void)cout_;              \
		INDEPENDENT for (l_ = 0; l_ < SG_LANES; l_++)                                     \
		{                                                                                 \
			CT_##at A = LD_##at(a_[l_], ah_[l_]);                                     \
			CT_##bt B = LD_##bt(b_[l_], bh_[l_]);                                     \
			CT_##ct C = LD_##ct(c_[l_], ch_[l_]);                                     \
			uint32_t CIN = (fl) & (SG_F_CIN | SG_F_VCC) ? cin_[l_] : 0;               \
			uint32_t COUT = 0;                                                        \
			CT_##dt D;                                                                \
                                                                                                  \
			(void)A, (void)B, (void)C, (void)CIN, (void)a_, (void)b_, (void)c_;       \
			__VA_ARGS__                                                               \
			if ((fl)&SG_F_COUT)                                                       \
				cout_[l_] = COUT;                                                 \
			if (WIDE_##dt) {                                                          \
				uint64_t q_ = SV_##dt(D);                                         \
				uint32_t low_ = (uint32_t)q_, high_ = (uint32_t)(q_ >> 32);       \
                                                                                                  \
				d_[l_] =                                                          \
				    mask_ ? (low_ & mask_[l_]) | (d_[l_] & ~mask_[l_]) : low_;    \
				dh_[l_] =                                                         \
				    mask_ ? (high_ & mask_[l_]) | (dh_[l_] & ~mask_[l_]) : high_; \
			} else {                                                                  \
				uint32_t low_ = (uint32_t)SV_##dt(D);                             \
                                                                                                  \
				d_[l_] =                                                          \
				    mask_ ? (low_ & mask_[l_]) | (d_[l_] & ~mask_[l_]) : low_;    \
			}                                                                         \
		}                                                                                 \
	}
#define VOPN(id, name, dt, at, bt, ct, fl, ...)     \
	LOOP(id, dt, at, bt, ct, fl, __VA_ARGS__)   \
	static void lanes_##id(struct sg_lanes *io) \
	{                                           \
		if (io->mask)                       \
			loop_##id(io, io->mask);    \
		else                                \
			loop_##id(io, NULL);        \
	}
/*
 * VOPE(mnemonic, D, A, B, C, flags, easy, fast, body): where `easy` holds in all lanes that count,
 * `fast` is equivalent to the body, and something the compiler can vectorize.
 */
#define VOPE(name, dt, at, bt, ct, fl, easy, fast, ...)                                          \
	LOOP(name, dt, at, bt, ct, fl, __VA_ARGS__)                                              \
	LOOP(name##_fast, dt, at, bt, ct, fl, fast)                                              \
	static inline __attribute__((always_inline)) bool easy_##name(const struct sg_lanes *io, \
								      const uint32_t *mask_)     \
	{                                                                                        \
		const uint32_t *a_ = io->a, *ah_ = io->ah, *b_ = io->b, *bh_ = io->bh;           \
		const uint32_t *c_ = io->c, *ch_ = io->ch, *cin_ = io->cin;                      \
		uint32_t hard_ = 0;                                                              \
		unsigned l_;                                                                     \
                                                                                                 \
		(void)a_, (void)b_, (void)c_, (void)ah_, (void)bh_, (void)ch_, (void)cin_;       \
		for (l_ = 0; l_ < SG_LANES; l_++) {                                              \
			CT_##at A = LD_##at(a_[l_], ah_[l_]);                                    \
			CT_##bt B = LD_##bt(b_[l_], bh_[l_]);                                    \
			CT_##ct C = LD_##ct(c_[l_], ch_[l_]);                                    \
			uint32_t CIN = (fl) & (SG_F_CIN | SG_F_VCC) ? cin_[l_] : 0;              \
                                                                                                 \
			(void)A, (void)B, (void)C, (void)CIN;                                    \
			hard_ |= ((easy) ? 0 : ~0u) & (mask_ ? mask_[l_] : ~0u);                 \
		}                                                                                \
		return !hard_;                                                                   \
	}                                                                                        \
	static void lanes_##name(struct sg_lanes *io)                                            \
	{                                                                                        \
		if (io->mask && easy_##name(io, io->mask))                                       \
			loop_##name##_fast(io, io->mask);                                        \
		else if (io->mask)                                                               \
			loop_##name(io, io->mask);                                               \
		else if (easy_##name(io, NULL))                                                  \
			loop_##name##_fast(io, NULL);                                            \
		else                                                                             \
			loop_##name(io, NULL);                                                   \
	}
#define VOP(name, dt, at, bt, ct, fl, ...) VOPN(name, #name, dt, at, bt, ct, fl, __VA_ARGS__)

#include "valu_int.def"
#include "valu_float.def"
#include "valu_half.def"
#include "valu_convert.def"
#include "valu_compare.def"
#include "valu_packed.def"

#undef VOPE
#define VOPE(name, dt, at, bt, ct, fl, easy, fast, ...) VOP(name, dt, at, bt, ct, fl, )
#undef VOPN
#define VOPN(id, text, dt, at, bt, ct, fl, ...) \
	{ .name = text,                         \
	  .exec = SG_EXEC_VALU,                 \
	  .fast = SG_EXEC_FAST,                 \
	  .lane = lanes_##id,                   \
	  .d = SG_##dt,                         \
	  .a = SG_##at,                         \
	  .b = SG_##bt,                         \
	  .c = SG_##ct,                         \
	  .flags = (fl) },

const struct sg_op SG_VALU_TABLE[] = {
#include "valu_int.def"
#include "valu_float.def"
#include "valu_half.def"
#include "valu_convert.def"
#include "valu_compare.def"
#include "valu_packed.def"
	{ .name = NULL },
};
