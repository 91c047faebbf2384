/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector-ALU rows: a loop over 64 lanes per row, from the tables in valu_*.def. This file is
 * compiled twice, for plain x86-64 and for machines with AVX2 and FMA (SG_VALU_TABLE names the
 * table), without contraction, so that both give the same bits.
 */
#include "lanes.h"

/* How each operand type is stored per lane, what the body computes with, and the way between. */
#define ST_none    sg_au32
#define CT_none    uint32_t
#define LD_none(x) 0u
#define SV_none(x) 0u
#define ST_u16     sg_au32
#define CT_u16     uint32_t
#define LD_u16(x)  ((x)&0xffffu)
#define SV_u16(x)  ((uint32_t)(x)&0xffffu)
#define ST_i16     sg_au32
#define CT_i16     int32_t
#define LD_i16(x)  ((int32_t)(int16_t)(x))
#define SV_i16(x)  ((uint32_t)(x)&0xffffu)
#define ST_f16     sg_au32
#define CT_f16     float
#define LD_f16(x)  sg_half_to_float(x)
#define SV_f16(x)  sg_float_to_half(x)
#define ST_u32     sg_au32
#define CT_u32     uint32_t
#define LD_u32(x)  (x)
#define SV_u32(x)  (x)
#define ST_i32     sg_ai32
#define CT_i32     int32_t
#define LD_i32(x)  (x)
#define SV_i32(x)  (x)
#define ST_f32     sg_af32
#define CT_f32     float
#define LD_f32(x)  (x)
#define SV_f32(x)  (x)
#define ST_u64     sg_au64
#define CT_u64     uint64_t
#define LD_u64(x)  (x)
#define SV_u64(x)  (x)
#define ST_i64     sg_ai64
#define CT_i64     int64_t
#define LD_i64(x)  (x)
#define SV_i64(x)  (x)
#define ST_f64     sg_af64
#define CT_f64     double
#define LD_f64(x)  (x)
#define SV_f64(x)  (x)
#define ST_mask    sg_au32
#define CT_mask    uint32_t
#define LD_mask(x) (x)
#define SV_mask(x) (x)
#define ST_p16     sg_au32
#define CT_p16     uint32_t
#define LD_p16(x)  (x)
#define SV_p16(x)  (x)
#define ST_ph      sg_au32
#define CT_ph      uint32_t
#define LD_ph(x)   (x)
#define SV_ph(x)   (x)
#define ST_pf      sg_au64
#define CT_pf      uint64_t
#define LD_pf(x)   (x)
#define SV_pf(x)   (x)
#define ST_mix     sg_af32
#define CT_mix     float
#define LD_mix(x)  (x)
#define SV_mix(x)  (x)

/*
 * VOPN(id, "mnemonic", D, A, B, C, flags, body): the body sets D from A, B, C, CIN and may set
 * COUT; D holds the old value only with SG_F_ACCUM (then C is the destination's old value).
 */
#define VOPN(id, name, dt, at, bt, ct, fl, ...)                                             \
	static void lanes_##id(struct sg_lanes *io)                                         \
	{                                                                                   \
		ST_##dt *d_ = io->d;                                                        \
		const ST_##at *a_ = io->a;                                                  \
		const ST_##bt *b_ = io->b;                                                  \
		const ST_##ct *c_ = io->c;                                                  \
		const uint32_t *cin_ = io->cin;                                             \
		uint32_t *cout_ = io->cout;                                                 \
		unsigned l_;                                                                \
                                                                                            \
		_Pragma("GCC ivdep") for (l_ = 0; l_ < SG_LANES; l_++)                      \
		{                                                                           \
			CT_##at A = LD_##at(a_[l_]);                                        \
			CT_##bt B = LD_##bt(b_[l_]);                                        \
			CT_##ct C = LD_##ct(c_[l_]);                                        \
			uint32_t CIN = (fl) & (SG_F_CIN | SG_F_VCC) ? cin_[l_] : 0;         \
			uint32_t COUT = 0;                                                  \
			CT_##dt D;                                                          \
                                                                                            \
			(void)A, (void)B, (void)C, (void)CIN, (void)a_, (void)b_, (void)c_; \
			__VA_ARGS__                                                         \
			if ((fl)&SG_F_COUT)                                                 \
				cout_[l_] = COUT;                                           \
			d_[l_] = SV_##dt(D);                                                \
		}                                                                           \
	}
#define VOP(name, dt, at, bt, ct, fl, ...) VOPN(name, #name, dt, at, bt, ct, fl, __VA_ARGS__)

#include "valu_int.def"
#include "valu_float.def"
#include "valu_half.def"
#include "valu_convert.def"
#include "valu_compare.def"
#include "valu_packed.def"

#undef VOPN
#define VOPN(id, text, dt, at, bt, ct, fl, ...) \
	{ .name = text,                         \
	  .exec = sg_exec_valu,                 \
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
