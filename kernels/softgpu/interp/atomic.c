/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics of FLAT, GLOBAL and MUBUF. What the memory behind a page can't do is silently not done
 * and reads as 0 (docs/memory-model.md#atomics-on-memory).
 */
#include "address.h"
#include "check.h"
#include "l2.h"
#include "rmw.h"

/* Page state 0 is LDS or private memory, where everything works. */
bool sg_rmw_dropped(enum sg_rmw op, unsigned state)
{
	if (!(state & SOFTGPU_PAGE_FINE))
		return state && op >= SG_RMW_FADD && softgpu_quirk(SOFTGPU_QUIRK_COARSE_FP_LOST);
	if ((state & SOFTGPU_PAGE_HOST) && !softgpu_config.xgmi_cpu && !softgpu_config.pcie_atomics)
		return true;
	if (op >= SG_RMW_FADD)
		return softgpu_config.drop_fine_fp_atomics &&
		       !softgpu_quirk(SOFTGPU_QUIRK_FINE_FP_WORKS);
	if (!(state & SOFTGPU_PAGE_HOST))
		return false;
	if (op < SG_RMW_SUB)
		return softgpu_quirk(SOFTGPU_QUIRK_HOST_INT_ADD_LOST);
	return !softgpu_config.xgmi_cpu && !softgpu_quirk(SOFTGPU_QUIRK_HOST_INT_OTHER_WORKS);
}

static uint64_t lane_value(const struct sg_wave *wave, unsigned row, unsigned lane, unsigned size)
{
	uint64_t x = wave->v[row][lane];

	return size == 8 ? (uint64_t)wave->v[row + 1][lane] << 32 | x : x;
}

/* Executes a row with arg = operation | size << 8, c = space. */
static void atomic(struct sg_wave *wave, const struct sg_insn *in)
{
	enum sg_rmw op = in->op->arg & 0xff;
	unsigned size = in->op->arg >> 8, words = size / 4;
	bool buffer = in->op->c == SG_BUFFER, returns = in->glc;
	unsigned v = buffer || returns ? 1 : 0, dn = buffer ? 0 : v + 1, s = buffer ? 2 : v + 2;
	const struct sg_operand *data = &in->o[dn], *dst = &in->o[0];
	struct sg_place place = { 0 };
	struct sg_access access;
	uint64_t m;

	if (data->kind != SG_K_VECTOR || data->count != (op == SG_RMW_CMPSWAP ? 2 : 1) * words ||
	    (returns && !buffer && dst->count != words)) {
		sg_unsupported(wave, in, "data operand");
		return;
	}
	if (!sg_addresses(wave, in, in->op->c, v, s, size, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m), state = 0;
		uint64_t old = 0, value = lane_value(wave, data->index, l, size), other = 0;
		uint8_t *p = NULL;
		bool dropped = true;

		if (op == SG_RMW_CMPSWAP)
			other = lane_value(wave, data->index + words, l, size);
		if (!(access.outside >> l & 1)) { /* all or nothing (MI200 ISA, "Range Checking") */
			p = sg_access_pointer(wave, &access, l, size, &state);
			if (wave->stop)
				return;
			if (state & SOFTGPU_PAGE_READ) {
				sg_write_fault(wave, access.address[l], size);
				return;
			}
		}
		if (p) {
			dropped = sg_rmw_dropped(op, state);
			if (state && sg_has_l2(wave))
				sg_l2_leave(wave, access.address[l], size);
			/* gfx90a's L2 adds f32 without denormals (docs/memory-model.md#compilers);
			 * gfx942's with them (LLVM, FeatureMemoryAtomicFAddF32DenormalSupport). */
			if (!dropped)
				old = sg_rmw(op, size, p, value, other,
					     state && size == 4 &&
						 softgpu_config.processor == SOFTGPU_GFX90A);
			if (!dropped && state && !(state & SOFTGPU_PAGE_FINE) && op < SG_RMW_FADD &&
			    softgpu_quirk(SOFTGPU_QUIRK_DEVICE_INT_WRONG))
				old = sg_rmw(op, size, p, value, other, false);
			if (softgpu_config.atomic_log && (state & SOFTGPU_PAGE_MAPPED))
				sg_log_atomic(wave, in, access.address[l], dropped, &place);
			if (state)
				sg_note(wave, access.address[l], SG_ATOMIC);
		}
		if (returns) {
			wave->v[dst->index][l] = (uint32_t)old;
			if (size == 8)
				wave->v[dst->index + 1][l] = (uint32_t)(old >> 32);
		}
	}
	if (softgpu_config.atomic_log)
		sg_log_flush();
}

static bool touch(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	unsigned v = in->op->c == SG_BUFFER || in->glc ? 1 : 0;

	touched->kind = SG_ATOMIC;
	touched->size = in->op->arg >> 8;
	touched->flat = in->op->c == SG_FLAT;
	return sg_touch_addresses(wave, in, v, in->op->c == SG_BUFFER ? 2 : v + 2, touched);
}

#define ROW(prefix, s, text, op, size)                                                 \
	{                                                                              \
		.name = prefix "atomic_" text, .exec = atomic, .touch = touch, .c = s, \
		.arg = (op) | (size) << 8                                              \
	}
#define BOTH(prefix, s, text, op) ROW(prefix, s, text, op, 4), ROW(prefix, s, text "_x2", op, 8)
#define ROWS(prefix, s)                                                                           \
	BOTH(prefix, s, "swap", SG_RMW_SWAP), BOTH(prefix, s, "cmpswap", SG_RMW_CMPSWAP),         \
	    BOTH(prefix, s, "add", SG_RMW_ADD), BOTH(prefix, s, "sub", SG_RMW_SUB),               \
	    BOTH(prefix, s, "smin", SG_RMW_SMIN), BOTH(prefix, s, "umin", SG_RMW_UMIN),           \
	    BOTH(prefix, s, "smax", SG_RMW_SMAX), BOTH(prefix, s, "umax", SG_RMW_UMAX),           \
	    BOTH(prefix, s, "and", SG_RMW_AND), BOTH(prefix, s, "or", SG_RMW_OR),                 \
	    BOTH(prefix, s, "xor", SG_RMW_XOR), BOTH(prefix, s, "inc", SG_RMW_INC),               \
	    BOTH(prefix, s, "dec", SG_RMW_DEC), ROW(prefix, s, "add_f32", SG_RMW_FADD, 4),        \
	    ROW(prefix, s, "pk_add_f16", SG_RMW_PK_FADD, 4),                                      \
	    ROW(prefix, s, "pk_add_bf16", SG_RMW_PK_BFADD, 4),                                    \
	    ROW(prefix, s, "add_f64", SG_RMW_FADD, 8), ROW(prefix, s, "min_f64", SG_RMW_FMIN, 8), \
	    ROW(prefix, s, "max_f64", SG_RMW_FMAX, 8)

const struct sg_op sg_table_atomic[] = {
	ROWS("global_", SG_GLOBAL),
	ROWS("flat_", SG_FLAT),
	ROWS("buffer_", SG_BUFFER),
	{ .name = NULL },
};
