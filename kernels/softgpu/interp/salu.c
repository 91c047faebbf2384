/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar ALU rows, from salu.def. */
#include "lanes.h"

/* The result is the new EXEC: destination gets the old one, or the new one, too. */
#define EXEC_NEW            0x4000u
#define EXEC_BOTH           0x8000u

#define CT_none             uint32_t
#define CT_u32              uint32_t
#define CT_i32              int32_t
#define CT_u64              uint64_t
#define CT_i64              int64_t
#define READ_none(w, o)     0
#define READ_u32(w, o)      sg_read32(w, o)
#define READ_i32(w, o)      (int32_t) sg_read32(w, o)
#define READ_u64(w, o)      sg_read64(w, o)
#define READ_i64(w, o)      (int64_t) sg_read64(w, o)
#define WRITE_none(w, o, x) (void)(x)
#define WRITE_u32(w, o, x)  sg_write32(w, o, x)
#define WRITE_i32(w, o, x)  sg_write32(w, o, (uint32_t)(x))
#define WRITE_u64(w, o, x)  sg_write64(w, o, x)
#define WRITE_i64(w, o, x)  sg_write64(w, o, (uint64_t)(x))

#define SOP(name, dt, at, bt, fl, ...)                                                   \
	static void exec_##name(struct sg_wave *wave, const struct sg_insn *in)          \
	{                                                                                \
		const struct sg_operand *a_ = &in->o[(fl)&SG_F_NODST ? 0 : 1];           \
		CT_##at A = READ_##at(wave, a_);                                         \
		CT_##bt B = READ_##bt(wave, a_ + 1);                                     \
		CT_##dt OLD = READ_##dt(wave, &in->o[0]), D = 0;                         \
		int32_t IMM = (int16_t)in->raw[0];                                       \
		uint64_t EXEC = sg_exec(wave);                                           \
		uint32_t SCC = wave->scc;                                                \
                                                                                         \
		(void)A, (void)B, (void)OLD, (void)IMM, (void)EXEC, (void)a_;            \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
		if ((fl) & (EXEC_NEW | EXEC_BOTH)) {                                     \
			sg_write64(wave, &in->o[0], (fl)&EXEC_NEW ? EXEC : (uint64_t)D); \
			sg_set_pair(wave, SG_EXEC, (uint64_t)D);                         \
			SCC = D != 0;                                                    \
		} else {                                                                 \
			WRITE_##dt(wave, &in->o[0], D);                                  \
		}                                                                        \
		wave->scc = SCC;                                                         \
	}
#include "salu.def"

#undef SOP
#define SOP(id, dt, at, bt, fl, ...) \
	{ .name = #id,               \
	  .exec = exec_##id,         \
	  .d = SG_##dt,              \
	  .a = SG_##at,              \
	  .b = SG_##bt,              \
	  .flags = (uint16_t)(fl) },

const struct sg_op sg_table_salu[] = {
#include "salu.def"
	{ .name = NULL },
};
