/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, waits, hardware registers, messages: SOPP and what steers a wave. */
#include <time.h>

#include "interp.h"
#include "l2.h"

/* wave->pc already points behind the instruction. */
static void jump(struct sg_wave *wave, const struct sg_insn *in, bool taken)
{
	if (taken)
		wave->pc += (uint64_t)((int64_t)(int16_t)in->raw[0] * 4);
}

static void branch(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, true);
}

static void cbranch_scc0(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, !wave->scc);
}

static void cbranch_scc1(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, wave->scc);
}

static void cbranch_vccz(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, !sg_pair(wave, SG_VCC));
}

static void cbranch_vccnz(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, sg_pair(wave, SG_VCC));
}

static void cbranch_execz(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, !sg_exec(wave));
}

static void cbranch_execnz(struct sg_wave *wave, const struct sg_insn *in)
{
	jump(wave, in, sg_exec(wave));
}

static void call_b64(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_write64(wave, &in->o[0], wave->pc);
	jump(wave, in, true);
}

static void getpc(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_write64(wave, &in->o[0], wave->pc);
}

static void setpc(struct sg_wave *wave, const struct sg_insn *in)
{
	wave->pc = sg_read64(wave, &in->o[0]);
}

static void swappc(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t to = sg_read64(wave, &in->o[1]);

	sg_write64(wave, &in->o[0], wave->pc);
	wave->pc = to;
}

/* Memory operations complete at once here, so waits and operations of other caches than L1 and L2
 * have nothing to do. */
static void nothing(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)wave;
	(void)in;
}

static void write_back_l2(struct sg_wave *wave, const struct sg_insn *in)
{
	if (in->sc1 && sg_has_l2(wave))
		sg_l2_write_back(wave);
}

static void invalidate_l2(struct sg_wave *wave, const struct sg_insn *in)
{
	if ((in->glc || in->sc1) && sg_has_l2(wave))
		sg_l2_invalidate(wave, in->sc1);
}

static void endpgm(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)in;
	wave->stop = SG_ENDED;
}

static void barrier(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)in;
	wave->stop = SG_BARRIER;
}

static void sleep_turn(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)in;
	wave->stop = SG_YIELD;
}

static void trap(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned id = in->raw[0] & 0xff;

	/* llvm.debugtrap is trap 3, a no-op unless a debugger listens (LUG, trap handler ABI). */
	if (id == 3)
		return;
	if (id == 2)
		sg_trap(wave, in);
	else
		sg_unsupported(wave, in, "trap");
}

void (*softgpu_interrupt)(unsigned gpu, uint32_t message);

static void sendmsg(struct sg_wave *wave, const struct sg_insn *in)
{
	/* Message 1 is an interrupt. */
	if ((in->raw[0] & 0xf) != 1)
		sg_unsupported(wave, in, "message not supported");
	else if (softgpu_interrupt)
		softgpu_interrupt(wave->run->dispatch.gpu, wave->s[SG_M0] & 0xffffff);
}

/* ---- hardware registers: simm16 = id[5:0], offset[10:6], size - 1 [15:11] ---- */

enum {
	HWREG_MODE = 1,
	HWREG_TRAPSTS = 3,
	HWREG_HW_ID = 4,
	HWREG_SH_MEM_BASES = 15,
	HWREG_XCC_ID = 20, /* gfx942 */
};

static bool hwreg_read(const struct sg_wave *wave, unsigned id, uint32_t *value)
{
	unsigned cu = (unsigned)(wave->group->linear % 8);

	switch (id) {
	case HWREG_MODE:
		*value = wave->mode;
		return true;
	case HWREG_TRAPSTS:
		*value = 0;
		return true;
	case HWREG_HW_ID:
		/* wave slot [3:0], SIMD [5:4], CU [11:8] of one shader engine. */
		*value = (wave->index / 4 & 15) | (wave->index & 3) << 4 | cu << 8;
		return true;
	case HWREG_XCC_ID:
		*value = wave->group->xcd;
		return softgpu_config.processor != SOFTGPU_GFX90A;
	case HWREG_SH_MEM_BASES:
		/* Top 16 bits of the private and the shared aperture. */
		*value = SG_PRIVATE_BASE_HI >> 16 | (SG_SHARED_BASE_HI >> 16) << 16;
		return true;
	default:
		return false;
	}
}

static void getreg(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned simm = in->raw[0] & 0xffff, offset = simm >> 6 & 31, size = (simm >> 11 & 31) + 1;
	uint32_t value;

	if (!hwreg_read(wave, simm & 63, &value)) {
		sg_unsupported(wave, in, "hardware register not supported");
		return;
	}
	value >>= offset;
	if (size < 32)
		value &= (1u << size) - 1;
	sg_write32(wave, &in->o[0], value);
}

static void set_hwreg(struct sg_wave *wave, const struct sg_insn *in, uint32_t value)
{
	unsigned simm = in->raw[0] & 0xffff, offset = simm >> 6 & 31, size = (simm >> 11 & 31) + 1;
	uint32_t mask = (size < 32 ? (1u << size) - 1 : ~0u) << offset;

	if ((simm & 63) != HWREG_MODE) {
		sg_unsupported(wave, in, "hardware register not supported");
		return;
	}
	wave->mode = (wave->mode & ~mask) | (value << offset & mask);
}

static void setreg(struct sg_wave *wave, const struct sg_insn *in)
{
	set_hwreg(wave, in, sg_read32(wave, &in->o[1]));
}

static void setreg_imm32(struct sg_wave *wave, const struct sg_insn *in)
{
	set_hwreg(wave, in, in->raw[1]);
}

/* ---- indexed vector registers ---- */

static void gpr_idx_on(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t index = sg_read32(wave, &in->o[0]) & 0xff;

	/* SOPC: the second source field is the mode, which the text spells gpr_idx(...). */
	wave->s[SG_M0] = (wave->s[SG_M0] & 0xffff0f00u) | index | (in->raw[0] >> 8 & 15) << 12;
	wave->mode |= SG_MODE_GPR_IDX;
}

static void gpr_idx_off(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)in;
	wave->mode &= ~SG_MODE_GPR_IDX;
}

static void gpr_idx_mode(struct sg_wave *wave, const struct sg_insn *in)
{
	wave->s[SG_M0] = (wave->s[SG_M0] & 0xffff0fffu) | (in->raw[0] & 15) << 12;
}

static void gpr_idx_idx(struct sg_wave *wave, const struct sg_insn *in)
{
	wave->s[SG_M0] = (wave->s[SG_M0] & ~0xffu) | (sg_read32(wave, &in->o[0]) & 0xff);
}

/* S_MOVREL*: M0 is added to the source's or the destination's register number. */
static void movrel(struct sg_wave *wave, const struct sg_insn *in)
{
	bool wide = in->op->arg & 1, to = in->op->arg & 2;
	struct sg_operand o[2] = { in->o[0], in->o[1] };
	struct sg_operand *moved = &o[to ? 0 : 1];
	uint64_t index = (uint64_t)moved->index + wave->s[SG_M0];

	if (moved->kind != SG_K_SCALAR || index + (wide ? 2 : 1) > SG_FLAT_SCRATCH) {
		sg_unsupported(wave, in, "indexed scalar register outside of the file");
		return;
	}
	moved->index = (uint16_t)index;
	if (wide)
		sg_write64(wave, &o[0], sg_read64(wave, &o[1]));
	else
		sg_write32(wave, &o[0], sg_read32(wave, &o[1]));
}

/* ---- clocks ---- */

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void memtime(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_write64(wave, &in->o[0], nanoseconds() * 17 / 10); /* 1.7 GHz core clock */
}

static void memrealtime(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_write64(wave, &in->o[0], nanoseconds() / 10); /* 100 MHz reference clock */
}

const struct sg_op sg_table_sopp[] = {
	{ .name = "s_branch", .exec = branch },
	{ .name = "s_cbranch_scc0", .exec = cbranch_scc0 },
	{ .name = "s_cbranch_scc1", .exec = cbranch_scc1 },
	{ .name = "s_cbranch_vccz", .exec = cbranch_vccz },
	{ .name = "s_cbranch_vccnz", .exec = cbranch_vccnz },
	{ .name = "s_cbranch_execz", .exec = cbranch_execz },
	{ .name = "s_cbranch_execnz", .exec = cbranch_execnz },
	{ .name = "s_cbranch_cdbgsys", .exec = nothing },
	{ .name = "s_cbranch_cdbguser", .exec = nothing },
	{ .name = "s_call_b64", .exec = call_b64 },
	{ .name = "s_getpc_b64", .exec = getpc },
	{ .name = "s_setpc_b64", .exec = setpc },
	{ .name = "s_swappc_b64", .exec = swappc },
	{ .name = "s_endpgm", .exec = endpgm },
	{ .name = "s_endpgm_saved", .exec = endpgm },
	{ .name = "s_barrier", .exec = barrier },
	{ .name = "s_sleep", .exec = sleep_turn },
	{ .name = "s_trap", .exec = trap },
	{ .name = "s_sendmsg", .exec = sendmsg },
	{ .name = "s_getreg_b32", .exec = getreg },
	{ .name = "s_setreg_b32", .exec = setreg },
	{ .name = "s_setreg_imm32_b32", .exec = setreg_imm32 },
	{ .name = "s_set_gpr_idx_on", .exec = gpr_idx_on },
	{ .name = "s_set_gpr_idx_off", .exec = gpr_idx_off },
	{ .name = "s_set_gpr_idx_mode", .exec = gpr_idx_mode },
	{ .name = "s_set_gpr_idx_idx", .exec = gpr_idx_idx },
	{ .name = "s_movrels_b32", .exec = movrel, .arg = 0 },
	{ .name = "s_movrels_b64", .exec = movrel, .arg = 1 },
	{ .name = "s_movreld_b32", .exec = movrel, .arg = 2 },
	{ .name = "s_movreld_b64", .exec = movrel, .arg = 3 },
	{ .name = "s_memtime", .exec = memtime },
	{ .name = "s_memrealtime", .exec = memrealtime },
	{ .name = "s_nop", .exec = nothing },
	{ .name = "s_waitcnt", .exec = nothing },
	{ .name = "s_waitcnt_depctr", .exec = nothing },
	{ .name = "s_setprio", .exec = nothing },
	{ .name = "s_wakeup", .exec = nothing },
	{ .name = "s_icache_inv", .exec = nothing },
	{ .name = "s_dcache_inv", .exec = nothing },
	{ .name = "s_dcache_inv_vol", .exec = nothing },
	{ .name = "s_dcache_discard", .exec = nothing },
	{ .name = "s_dcache_discard_x2", .exec = nothing },
	{ .name = "s_dcache_wb", .exec = nothing },
	{ .name = "s_dcache_wb_vol", .exec = nothing },
	{ .name = "s_incperflevel", .exec = nothing },
	{ .name = "s_decperflevel", .exec = nothing },
	{ .name = "s_ttracedata", .exec = nothing },
	{ .name = "s_inst_prefetch", .exec = nothing },
	{ .name = "buffer_wbinvl1", .exec = nothing },
	{ .name = "buffer_wbinvl1_vol", .exec = nothing },
	{ .name = "buffer_wbl2", .exec = write_back_l2 },
	{ .name = "buffer_invl2", .exec = nothing },
	{ .name = "buffer_inv", .exec = invalidate_l2 },
	{ .name = "v_nop", .exec = nothing },
	{ .name = "v_clrexcp", .exec = nothing },
	{ .name = NULL },
};
