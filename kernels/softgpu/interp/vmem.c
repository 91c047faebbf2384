/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of FLAT, GLOBAL, SCRATCH and MUBUF. */
#include "address.h"
#include "check.h"
#include "l2.h"
#include "move.h"

/* Row's arg: bytes per lane, and how they meet the register. */
#define BYTES(arg) ((arg)&0x1fu)
#define SIGNED     0x20u
/*
 * Half a register: the other half becomes 0. On GPUs whose registers have ECC a load writes all of
 * a register (LLVM review D112635 for gfx90a; Tensile's `HasEccHalf`, gfx90a to gfx950: its kernels
 * join halves with v_or_b32).
 */
#define D16    0x40u /* into the low half */
#define D16_HI 0x80u /* into, or from, the high half */

static void load_narrow(uint32_t *to, const uint8_t *p, unsigned arg)
{
	uint32_t x;
	uint16_t h;

	if (BYTES(arg) == 1) {
		x = arg & SIGNED ? (uint32_t)(int8_t)*p : *p;
	} else {
		memcpy(&h, p, 2);
		x = arg & SIGNED ? (uint32_t)(int16_t)h : h;
	}
	*to = arg & D16 ? x & 0xffff : arg & D16_HI ? x << 16 : x;
}

/* Loads what the caches show of `size` bytes at `p`. */
static void cached_load(struct sg_wave *wave, const struct sg_insn *in, uint64_t address,
			const uint8_t *p, unsigned size, unsigned state, uint8_t *to)
{
	sg_l2_read(wave,
		   &(struct sg_line_access){ .address = address,
					     .memory = (uint8_t *)(uintptr_t)p,
					     .size = size,
					     .state = state,
					     .sc1 = in->sc1 },
		   to);
}

/*
 * Into LDS: lane l's value, extended to a dword, goes to M0 + offset + 4 * l, where `offset` is the
 * instruction's, which counts for the address in memory, too (after LLVM's
 * llvm.amdgcn.global.load.lds; not compared with hardware). Three and four dwords are 16 bytes
 * apart (CDNA4 ISA guide, "Memory Buffer Load to LDS"; LLVM AMDGPUUsage, llvm.amdgcn.load.to.lds).
 * Of M0 16 bits count, gfx950's greater LDS has 18. Beyond the group's LDS a dword vanishes.
 */
static void load_to_lds(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned arg = in->op->arg, size = BYTES(arg), words = (size + 3) / 4, state, i;
	bool wide = softgpu_config.processor == SOFTGPU_GFX950;
	uint32_t base = (wave->s[SG_M0] & (wide ? 0x3ffff : 0xffff)) + (uint32_t)in->offset;
	struct sg_access access;
	uint64_t m;

	if (size == 8 || (size > 8 && !wide) || arg & (D16 | D16_HI)) {
		sg_unsupported(wave, in, "load of this size into LDS");
		return;
	}
	if (!sg_addresses(wave, in, in->op->c, 0, 1, size, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint32_t at = base + (words > 1 ? 16 : 4) * l, value[4] = { 0 };
		uint8_t bytes[16];

		if (!(access.outside >> l & 1)) {
			const uint8_t *p = sg_access_pointer(wave, &access, l, size, &state);

			if (wave->stop)
				return;
			if (p && state)
				sg_note(wave, access.address[l], SG_READ);
			if (p && state && sg_has_l2(wave)) {
				cached_load(wave, in, access.address[l], p, size, state, bytes);
				p = bytes;
			}
			if (p && size < 4)
				load_narrow(value, p, arg);
			else if (p)
				memcpy(value, p, size);
		} else if (access.inside[l]) {
			sg_unsupported(wave, in, "load into LDS that is partly out of range");
			return;
		}
		for (i = 0; i < words; i++) {
			uint8_t *to = sg_lds(wave, at + 4 * i, 4);

			if (to)
				memcpy(to, &value[i], 4);
		}
	}
}

static void load(struct sg_wave *wave, const struct sg_insn *in)
{
	static const uint8_t zero[16];
	unsigned arg = in->op->arg, size = BYTES(arg), words = (size + 3) / 4, l, i, state;
	uint32_t(*d)[SG_LANES] = &wave->v[in->o[0].index];
	struct sg_access access;
	struct sg_reach reach;
	uint64_t m;

	if (in->lds) {
		load_to_lds(wave, in);
		return;
	}
	if (in->o[0].kind != SG_K_VECTOR || in->o[0].count != words) {
		sg_unsupported(wave, in, "destination operand");
		return;
	}
	if (!(arg & (D16 | D16_HI)) && !sg_has_l2(wave) &&
	    sg_reach(wave, in, in->op->c, 1, 2, size, &reach)) {
		sg_gather(wave, d, reach.base, reach.offset, size, arg & SIGNED);
		return;
	}
	if (!sg_addresses(wave, in, in->op->c, 1, 2, size, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		const uint8_t *p = zero;
		uint8_t part[16], seen[16];
		unsigned inside;

		l = (unsigned)__builtin_ctzll(m);
		inside = access.outside >> l & 1 ? access.inside[l] : size;
		if (inside) {
			p = sg_access_pointer(wave, &access, l, inside, &state);
			if (wave->stop)
				return;
			if (!p)
				p = zero;
			else if (state)
				sg_note(wave, access.address[l], SG_READ);
			if (state && p != zero && sg_has_l2(wave)) {
				cached_load(wave, in, access.address[l], p, inside, state, seen);
				p = seen;
			}
		}
		if (inside && inside < size) {
			memset(part, 0, sizeof(part));
			memcpy(part, p, inside);
			p = part;
		}
		if (size < 4) {
			load_narrow(&d[0][l], p, arg);
		} else if (words == 1) {
			memcpy(&d[0][l], p, 4);
		} else if (words == 2) {
			uint64_t x;

			memcpy(&x, p, 8); /* one access: device code polls 64-bit values */
			d[0][l] = (uint32_t)x;
			d[1][l] = (uint32_t)(x >> 32);
		} else if (words == 4) {
			sg_quad x = sg_load_quad(p);

			for (i = 0; i < 4; i++)
				d[i][l] = x[i];
		} else {
			for (i = 0; i < words; i++)
				memcpy(&d[i][l], p + 4 * i, 4);
		}
	}
}

bool sg_read_lane(struct sg_wave *wave, const struct sg_insn *in, const struct sg_access *access,
		  unsigned lane, unsigned size, uint8_t *to)
{
	const uint8_t *p;
	unsigned state;

	memset(to, 0, size);
	if (access->outside >> lane & 1)
		return true;
	p = sg_access_pointer(wave, access, lane, size, &state);
	if (!p)
		return !wave->stop;
	if (state)
		sg_note(wave, access->address[lane], SG_READ);
	if (state && sg_has_l2(wave))
		cached_load(wave, in, access->address[lane], p, size, state, to);
	else
		memcpy(to, p, size);
	return true;
}

bool sg_write_lane(struct sg_wave *wave, const struct sg_insn *in, const struct sg_access *access,
		   unsigned lane, unsigned size, const uint8_t *from)
{
	unsigned state;
	uint8_t *p;

	if (access->outside >> lane & 1)
		return true;
	p = sg_access_pointer(wave, access, lane, size, &state);
	if (!p)
		return !wave->stop;
	if (state & SOFTGPU_PAGE_READ) {
		sg_write_fault(wave, access->address[lane], size);
		return false;
	}
	if (state)
		sg_note(wave, access->address[lane], SG_WRITE);
	if (state && sg_has_l2(wave))
		sg_l2_write(wave,
			    &(struct sg_line_access){ .address = access->address[lane],
						      .memory = p,
						      .size = size,
						      .state = state,
						      .sc1 = in->sc1 },
			    from);
	else
		memcpy(p, from, size);
	return true;
}

static void store_lane(uint32_t (*d)[SG_LANES], unsigned l, uint8_t *p, unsigned arg)
{
	unsigned size = BYTES(arg), i;
	uint32_t x = d[0][l];
	uint64_t q;

	if (arg & D16_HI)
		x >>= 16;
	switch (size) {
	case 1:
	case 2:
	case 4:
		memcpy(p, &x, size);
		break;
	case 8:
		q = (uint64_t)d[1][l] << 32 | x;
		memcpy(p, &q, 8);
		break;
	case 16:
		sg_store_quad(p, (sg_quad){ d[0][l], d[1][l], d[2][l], d[3][l] });
		break;
	default:
		for (i = 0; i < size / 4; i++)
			memcpy(p + 4 * i, &d[i][l], 4);
	}
}

static void store(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned arg = in->op->arg, size = BYTES(arg), l, state;
	bool buffer = in->op->c == SG_BUFFER;
	const struct sg_operand *data = &in->o[buffer ? 0 : 1];
	const uint32_t(*rows)[SG_LANES] = (const uint32_t(*)[SG_LANES]) & wave->v[data->index];
	struct sg_access access;
	struct sg_reach reach;
	uint64_t m;

	if (data->kind != SG_K_VECTOR || data->count != (size + 3) / 4) {
		sg_unsupported(wave, in, "data operand");
		return;
	}
	if (!(arg & D16_HI) && !sg_has_l2(wave) &&
	    sg_reach(wave, in, in->op->c, buffer ? 1 : 0, 2, size, &reach) &&
	    !(reach.state & SOFTGPU_PAGE_READ)) {
		sg_scatter(wave, rows, reach.base, reach.offset, size);
		return;
	}
	if (!sg_addresses(wave, in, in->op->c, buffer ? 1 : 0, 2, size, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		uint8_t *p, *memory = NULL, bytes[16];
		unsigned inside;

		l = (unsigned)__builtin_ctzll(m);
		inside = access.outside >> l & 1 ? access.inside[l] : size;
		if (!inside)
			continue;
		p = sg_access_pointer(wave, &access, l, inside, &state);
		if (wave->stop)
			return;
		if (state & SOFTGPU_PAGE_READ) {
			sg_write_fault(wave, access.address[l], inside);
			return;
		}
		if (p && state)
			sg_note(wave, access.address[l], SG_WRITE);
		if (p && state && sg_has_l2(wave)) {
			memory = p;
			p = bytes;
		}
		if (p && inside < size)
			/* Only accesses of several dwords are partly in range. */
			for (unsigned i = 0; i < inside / 4; i++)
				memcpy(p + 4 * i, &rows[i][l], 4);
		else if (p)
			switch (arg) {
			case 4:
				memcpy(p, &wave->v[data->index][l], 4);
				break;
			default:
				store_lane(&wave->v[data->index], l, p, arg);
			}
		if (memory)
			sg_l2_write(wave,
				    &(struct sg_line_access){ .address = access.address[l],
							      .memory = memory,
							      .size = inside,
							      .state = state,
							      .sc1 = in->sc1 },
				    bytes);
	}
}

static bool touch(struct sg_wave *wave, const struct sg_insn *in, enum sg_access_kind kind,
		  unsigned v, struct sg_touched *touched)
{
	if (in->lds || in->op->c == SG_SCRATCH)
		return false;
	touched->kind = kind;
	touched->size = BYTES(in->op->arg);
	touched->flat = in->op->c == SG_FLAT;
	return sg_touch_addresses(wave, in, v, 2, touched);
}

static bool touch_load(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	return touch(wave, in, SG_READ, 1, touched);
}

static bool touch_store(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	return touch(wave, in, SG_WRITE, in->op->c == SG_BUFFER ? 1 : 0, touched);
}

#define LOAD(prefix, s, text, bits)                                                     \
	{                                                                               \
		.name = prefix "load_" text, .exec = load, .touch = touch_load, .c = s, \
		.arg = bits                                                             \
	}
#define STORE(prefix, s, text, bits)                                                       \
	{                                                                                  \
		.name = prefix "store_" text, .exec = store, .touch = touch_store, .c = s, \
		.arg = bits                                                                \
	}
#define TO_LDS(prefix, s, text, bits)                                                     \
	{                                                                                 \
		.name = prefix "load_lds_" text, .exec = load_to_lds, .c = s, .arg = bits \
	}
#define LDS_ROWS(prefix, s)                                                            \
	TO_LDS(prefix, s, "dword", 4), TO_LDS(prefix, s, "ubyte", 1),                  \
	    TO_LDS(prefix, s, "sbyte", 1 | SIGNED), TO_LDS(prefix, s, "ushort", 2),    \
	    TO_LDS(prefix, s, "sshort", 2 | SIGNED), TO_LDS(prefix, s, "dwordx3", 12), \
	    TO_LDS(prefix, s, "dwordx4", 16)
#define ROWS(prefix, s)                                                                         \
	LOAD(prefix, s, "dword", 4), LOAD(prefix, s, "dwordx2", 8),                             \
	    LOAD(prefix, s, "dwordx3", 12), LOAD(prefix, s, "dwordx4", 16),                     \
	    LOAD(prefix, s, "ubyte", 1), LOAD(prefix, s, "sbyte", 1 | SIGNED),                  \
	    LOAD(prefix, s, "ushort", 2), LOAD(prefix, s, "sshort", 2 | SIGNED),                \
	    LOAD(prefix, s, "ubyte_d16", 1 | D16), LOAD(prefix, s, "ubyte_d16_hi", 1 | D16_HI), \
	    LOAD(prefix, s, "sbyte_d16", 1 | SIGNED | D16),                                     \
	    LOAD(prefix, s, "sbyte_d16_hi", 1 | SIGNED | D16_HI),                               \
	    LOAD(prefix, s, "short_d16", 2 | D16), LOAD(prefix, s, "short_d16_hi", 2 | D16_HI), \
	    STORE(prefix, s, "dword", 4), STORE(prefix, s, "dwordx2", 8),                       \
	    STORE(prefix, s, "dwordx3", 12), STORE(prefix, s, "dwordx4", 16),                   \
	    STORE(prefix, s, "byte", 1), STORE(prefix, s, "short", 2),                          \
	    STORE(prefix, s, "byte_d16_hi", 1 | D16_HI),                                        \
	    STORE(prefix, s, "short_d16_hi", 2 | D16_HI)

const struct sg_op sg_table_vmem[] = {
	ROWS("global_", SG_GLOBAL),
	ROWS("flat_", SG_FLAT),
	ROWS("scratch_", SG_SCRATCH),
	ROWS("buffer_", SG_BUFFER),
	LDS_ROWS("global_", SG_GLOBAL),
	LDS_ROWS("scratch_", SG_SCRATCH),
	{ .name = NULL },
};
