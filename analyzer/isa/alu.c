/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the interpreter's tables, as functions of single values. */
#include "alu.h"

#include <string.h>

#include "kernels/softgpu/interp/rows.h"

/* These convert a register's value to the type that a body computes with, and back; DW counts its
 * dwords. */
#define CT_none    uint32_t
#define LD_none(x) 0u
#define SV_none(x) 0u
#define DW_none    0
#define CT_u16     uint32_t
#define LD_u16(x)  ((uint32_t)(x)&0xffffu)
#define SV_u16(x)  ((uint32_t)(x)&0xffffu)
#define DW_u16     1
#define CT_i16     int32_t
#define LD_i16(x)  ((int32_t)(int16_t)(x))
#define SV_i16(x)  ((uint32_t)(x)&0xffffu)
#define DW_i16     1
#define CT_f16     float
#define LD_f16(x)  sg_half_to_float((uint32_t)(x))
#define DW_f16     1
#define CT_u32     uint32_t
#define LD_u32(x)  ((uint32_t)(x))
#define SV_u32(x)  (x)
#define DW_u32     1
#define CT_i32     int32_t
#define LD_i32(x)  ((int32_t)(x))
#define SV_i32(x)  ((uint32_t)(x))
#define DW_i32     1
#define CT_f32     float
#define LD_f32(x)  sg_float((uint32_t)(x))
#define DW_f32     1
#define CT_u64     uint64_t
#define LD_u64(x)  (x)
#define SV_u64(x)  (x)
#define DW_u64     2
#define CT_i64     int64_t
#define LD_i64(x)  ((int64_t)(x))
#define SV_i64(x)  ((uint64_t)(x))
#define DW_i64     2
#define CT_f64     double
#define LD_f64(x)  sg_double(x)
#define DW_f64     2
#define CT_mask    uint32_t
#define SV_mask(x) ((uint32_t)(x))
#define DW_mask    1

/* Rows that write exec are the data flow's own matter. */
#define EXEC_NEW  0x4000u
#define EXEC_BOTH 0x8000u

#define SOP(name, dt, at, bt, fl, ...)                                          \
	static void scalar_##name(const struct alu_in *in, struct alu_out *out) \
	{                                                                       \
		CT_##at A = LD_##at(in->a);                                     \
		CT_##bt B = LD_##bt(in->b);                                     \
		CT_##dt OLD = LD_##dt(in->old), D = 0;                          \
		int32_t IMM = in->imm;                                          \
		uint64_t EXEC = 0;                                              \
		uint32_t SCC = in->scc;                                         \
                                                                                \
		(void)A, (void)B, (void)OLD, (void)IMM, (void)EXEC, (void)D;    \
		{ __VA_ARGS__ } out->d = SV_##dt(D);                            \
		out->scc = SCC;                                                 \
	}
#include "kernels/softgpu/interp/salu.def"

/* Instructions of gfx12 that the interpreter does not know [LUG]. */
#define LATER_ROWS                                      \
	SOP(s_add_nc_u64, u64, u64, u64, 0, D = A + B;) \
	SOP(s_sub_nc_u64, u64, u64, u64, 0, D = A - B;) \
	SOP(s_mul_u64, u64, u64, u64, 0, D = A * B;)
LATER_ROWS

#define VOPN(id, text, dt, at, bt, ct, fl, ...)                             \
	static void lane_##id(const struct alu_in *in, struct alu_out *out) \
	{                                                                   \
		CT_##at A = LD_##at(in->a);                                 \
		CT_##bt B = LD_##bt(in->b);                                 \
		CT_##ct C = LD_##ct(in->c);                                 \
		uint32_t CIN = in->carry, COUT = 0;                         \
		CT_##dt D;                                                  \
                                                                            \
		(void)A, (void)B, (void)C, (void)CIN;                       \
		__VA_ARGS__                                                 \
		out->d = SV_##dt(D);                                        \
		out->scc = in->scc;                                         \
		out->carry = COUT;                                          \
	}
#define VOP(name, ...) VOPN(name, #name, __VA_ARGS__)
#include "kernels/softgpu/interp/valu_compare.def"
#include "kernels/softgpu/interp/valu_int.def"

#undef SOP
#undef VOPN
#define SOP(id, dt, at, bt, fl, ...)                                     \
	{ .name = #id,                                                   \
	  .compute = (fl) & (EXEC_NEW | EXEC_BOTH) ? NULL : scalar_##id, \
	  .dwords = { DW_##dt, DW_##at, DW_##bt },                       \
	  .first_is_source = (fl)&SG_F_NODST },
#define VOPN(id, text, dt, at, bt, ct, fl, ...)                                                   \
	{ .name = text,                                                                           \
	  .compute = (fl) & (SG_F_KEEP_HI | SG_F_ACCUM | SG_F_CMPX | SG_F_HI) ? NULL : lane_##id, \
	  .dwords = { DW_##dt, DW_##at, DW_##bt, DW_##ct },                                       \
	  .carries = (fl)&SG_F_COUT,                                                              \
	  .takes_carry = (fl)&SG_F_CIN,                                                           \
	  .compares = SG_##dt == SG_mask },

static const struct alu_row rows[] = { LATER_ROWS
#include "kernels/softgpu/interp/salu.def"
#include "kernels/softgpu/interp/valu_compare.def"
#include "kernels/softgpu/interp/valu_int.def"
};

/* Names that later processors gave to earlier instructions [PROBE19]. */
static const struct {
	const char *name, *earlier;
} aliases[] = {
	{ "s_add_co_ci_u32", "s_addc_u32" },    { "s_add_co_i32", "s_add_i32" },
	{ "s_add_co_u32", "s_add_u32" },        { "s_and_not1_b32", "s_andn2_b32" },
	{ "s_and_not1_b64", "s_andn2_b64" },    { "s_or_not1_b32", "s_orn2_b32" },
	{ "s_or_not1_b64", "s_orn2_b64" },      { "s_sub_co_ci_u32", "s_subb_u32" },
	{ "s_sub_co_i32", "s_sub_i32" },        { "s_sub_co_u32", "s_sub_u32" },
	{ "v_add_co_ci_u32", "v_addc_co_u32" }, { "v_add_nc_u32", "v_add_u32" },
	{ "v_sub_co_ci_u32", "v_subb_co_u32" }, { "v_sub_nc_u32", "v_sub_u32" },
	{ "v_subrev_nc_u32", "v_subrev_u32" },  { "v_mad_co_u64_u32", "v_mad_u64_u32" },
};

const struct alu_row *alu_row(const char *mnemonic)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].name, mnemonic))
			mnemonic = aliases[i].earlier;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, mnemonic))
			return rows[i].compute ? &rows[i] : NULL;
	return NULL;
}
