/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes x86-64 instructions with VEX prefixes (Intel SDM volume 2, "VEX" and chapter 3 to 5),
 * as far as native.c needs them. Vector instructions are 256 bits wide.
 */
#ifndef SOFTGPU_NATIVE_X86_H
#define SOFTGPU_NATIVE_X86_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct x86 {
	uint8_t *start, *at, *end;
	bool full; /* something did not fit; what was written is of no use */
};

/* Numbers of general registers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

/* An opcode: prefix (0 none, 1 66, 2 F3, 3 F2), map (1 0F, 2 0F38, 3 0F3A), W, opcode byte. */
#define X86(prefix, map, w, opcode) \
	((uint32_t)(prefix) | (uint32_t)(map) << 2 | (uint32_t)(w) << 7 | (uint32_t)(opcode) << 8)

enum x86_op {
	VMOVDQU_LOAD = X86(2, 1, 0, 0x6f),
	VMOVDQU_STORE = X86(2, 1, 0, 0x7f),
	VPADDD = X86(1, 1, 0, 0xfe),
	VPSUBD = X86(1, 1, 0, 0xfa),
	VPADDQ = X86(1, 1, 0, 0xd4),
	VPSUBQ = X86(1, 1, 0, 0xfb),
	VPAND = X86(1, 1, 0, 0xdb),
	VPANDN = X86(1, 1, 0, 0xdf),
	VPOR = X86(1, 1, 0, 0xeb),
	VPXOR = X86(1, 1, 0, 0xef),
	VPMULLD = X86(1, 2, 0, 0x40),
	VPMULUDQ = X86(1, 1, 0, 0xf4),
	VPMULDQ = X86(1, 2, 0, 0x28),
	VPCMPEQD = X86(1, 1, 0, 0x76),
	VPCMPGTD = X86(1, 1, 0, 0x66),
	VPCMPEQQ = X86(1, 2, 0, 0x29),
	VPCMPGTQ = X86(1, 2, 0, 0x37),
	VPMINUD = X86(1, 2, 0, 0x3b),
	VPMAXUD = X86(1, 2, 0, 0x3f),
	VPMINSD = X86(1, 2, 0, 0x39),
	VPMAXSD = X86(1, 2, 0, 0x3d),
	VPSLLVD = X86(1, 2, 0, 0x47),
	VPSLLVQ = X86(1, 2, 1, 0x47),
	VPSRLVD = X86(1, 2, 0, 0x45),
	VPSRLVQ = X86(1, 2, 1, 0x45),
	VPSRAVD = X86(1, 2, 0, 0x46),
	VPSHIFTD = X86(1, 1, 0, 0x72), /* by an immediate; which one is in the reg field */
	VPSHIFTQ = X86(1, 1, 0, 0x73),
	VPUNPCKLDQ = X86(1, 1, 0, 0x62),
	VPUNPCKHDQ = X86(1, 1, 0, 0x6a),
	VSHUFPS = X86(0, 1, 0, 0xc6),
	VPERMQ = X86(1, 3, 1, 0x00),
	VINSERTI128 = X86(1, 3, 0, 0x38),
	VEXTRACTI128 = X86(1, 3, 0, 0x39),
	VPBROADCASTD = X86(1, 2, 0, 0x58),
	VPBROADCASTQ = X86(1, 2, 0, 0x59),
	VPBROADCASTB = X86(1, 2, 0, 0x78),
	VBLENDVPS = X86(1, 3, 0, 0x4a),
	VPBLENDD = X86(1, 3, 0, 0x02),
	VADDPS = X86(0, 1, 0, 0x58),
	VADDPD = X86(1, 1, 0, 0x58),
	VMULPS = X86(0, 1, 0, 0x59),
	VMULPD = X86(1, 1, 0, 0x59),
	VSUBPS = X86(0, 1, 0, 0x5c),
	VSUBPD = X86(1, 1, 0, 0x5c),
	VDIVPS = X86(0, 1, 0, 0x5e),
	VDIVPD = X86(1, 1, 0, 0x5e),
	VMINPS = X86(0, 1, 0, 0x5d),
	VMINPD = X86(1, 1, 0, 0x5d),
	VMAXPS = X86(0, 1, 0, 0x5f),
	VMAXPD = X86(1, 1, 0, 0x5f),
	VSQRTPS = X86(0, 1, 0, 0x51),
	VSQRTPD = X86(1, 1, 0, 0x51),
	VFMADD231PS = X86(1, 2, 0, 0xb8),
	VFMADD231PD = X86(1, 2, 1, 0xb8),
	VCMPPS = X86(0, 1, 0, 0xc2),
	VCMPPD = X86(1, 1, 0, 0xc2),
	VTESTPS = X86(1, 2, 0, 0x0e),
	VPTEST = X86(1, 2, 0, 0x17),
	VMOVMSKPS = X86(0, 1, 0, 0x50),
	VCVTDQ2PS = X86(0, 1, 0, 0x5b),
	VCVTTPS2DQ = X86(2, 1, 0, 0x5b),
	VCVTPS2PD = X86(0, 1, 0, 0x5a),
	VCVTPD2PS = X86(1, 1, 0, 0x5a),
	VCVTTPD2DQ = X86(1, 1, 0, 0xe6),
	VROUNDPS = X86(1, 3, 0, 0x08),
	VROUNDPD = X86(1, 3, 0, 0x09),
};

static inline void x86_byte(struct x86 *x, unsigned byte)
{
	if (x->at == x->end)
		x->full = true;
	else
		*x->at++ = (uint8_t)byte;
}

static inline void x86_bytes(struct x86 *x, const void *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		x86_byte(x, ((const uint8_t *)from)[i]);
}

static inline void x86_u32(struct x86 *x, uint32_t value)
{
	x86_bytes(x, &value, 4);
}

static inline void x86_vex(struct x86 *x, enum x86_op op, unsigned reg, unsigned first,
			   unsigned index, unsigned base)
{
	uint32_t o = op;

	x86_byte(x, 0xc4);
	x86_byte(x, (reg & 8 ? 0 : 0x80) | (index & 8 ? 0 : 0x40) | (base & 8 ? 0 : 0x20) |
			(o >> 2 & 31));
	x86_byte(x, (o & 0x80) | (~first & 15) << 3 | 4 | (o & 3));
	x86_byte(x, o >> 8 & 0xff);
}

/* op reg, first, last: all vector registers; `first` is 0 where the instruction has two operands.
 */
static inline void x86_rrr(struct x86 *x, enum x86_op op, unsigned reg, unsigned first,
			   unsigned last)
{
	x86_vex(x, op, reg, first, 0, last);
	x86_byte(x, 0xc0 | (reg & 7) << 3 | (last & 7));
}

static inline void x86_rrri(struct x86 *x, enum x86_op op, unsigned reg, unsigned first,
			    unsigned last, unsigned immediate)
{
	x86_rrr(x, op, reg, first, last);
	x86_byte(x, immediate);
}

/* op reg, first, [base + offset]; the base is neither rsp nor r12. */
static inline void x86_rrm(struct x86 *x, enum x86_op op, unsigned reg, unsigned first,
			   unsigned base, int32_t offset)
{
	x86_vex(x, op, reg, first, 0, base);
	x86_byte(x, 0x80 | (reg & 7) << 3 | (base & 7));
	x86_u32(x, (uint32_t)offset);
}

/* Appends: op reg, [rdi + rcx + offset] */
static inline void x86_rrx(struct x86 *x, enum x86_op op, unsigned reg, int32_t offset)
{
	x86_vex(x, op, reg, 0, RCX, RDI);
	x86_byte(x, 0x84 | (reg & 7) << 3);
	x86_byte(x, RCX << 3 | RDI);
	x86_u32(x, (uint32_t)offset);
}

/* op reg, [rip + what is filled in later]; returns where the distance goes. */
static inline uint8_t *x86_rip(struct x86 *x, enum x86_op op, unsigned reg)
{
	uint8_t *at;

	x86_vex(x, op, reg, 0, 0, 0);
	x86_byte(x, 0x05 | (reg & 7) << 3);
	at = x->at;
	x86_u32(x, 0);
	return at;
}

/* Sets the distance of four bytes at `at`, which counts from its own end, to reach `target`. */
static inline void x86_link(struct x86 *x, uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + 4));

	if (!x->full)
		memcpy(at, &distance, 4);
}

#endif
