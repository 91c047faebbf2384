/* SPDX-License-Identifier: Apache-2.0 */
/* Code out of line, for operands with which the host's instructions give another result. */
#include <stddef.h>

#include "native.h"

#if defined(__x86_64__)

/* General registers that are kept while something is called; rcx counts eights of lanes. */
static const uint8_t general[] = { RDI, RSI, RDX, RCX };
#define COUNTER 3

/* Beside a row's address: EXEC is not all ones; operands of 64 bits are rows of words. */
#define MASKED 1u
#define ROWS   2u

/* The code's stack frame for calls, at r11. */
struct frame {
	uint32_t a[16], b[16], c[16], d[16];
	uint32_t cin[8], cout[8];
	uint32_t spare[3][8];
	uint32_t saved[16][8];
	uint64_t general[4];
};

/* Copies eight lanes of an operand, or of a result, from the order of the frame's words. */
static void spread(uint32_t w[2][SG_LANES], unsigned first, const uint32_t *f, bool wide, bool rows)
{
	unsigned l;

	for (l = 0; l < 8; l++) {
		unsigned at = (l >> 1 & 1) * 8 + ((l & 1) | l >> 2 << 1) * 2;

		w[0][first + l] = wide && !rows ? f[at] : f[l];
		w[1][first + l] = !wide ? 0 : rows ? f[8 + l] : f[at + 1];
	}
}

static void gather(uint32_t *f, uint32_t w[2][SG_LANES], unsigned first, bool wide, bool rows)
{
	unsigned l;

	for (l = 0; l < 8; l++) {
		unsigned at = (l >> 1 & 1) * 8 + ((l & 1) | l >> 2 << 1) * 2;

		f[wide && !rows ? at : l] = w[0][first + l];
		if (wide)
			f[rows ? 8 + l : at + 1] = w[1][first + l];
	}
}

/*
 * Executes the row's function on eight lanes of its operands. Translated code calls it. `what` is
 * the row, and how the lanes are passed.
 */
static void call(struct frame *f, uintptr_t what)
{
	const struct sg_op *op = (const struct sg_op *)(what & ~(uintptr_t)(MASKED | ROWS));
	uint32_t all[SG_LANES];
	uint32_t a[2][SG_LANES] = { { 0 } }, b[2][SG_LANES] = { { 0 } }, c[2][SG_LANES] = { { 0 } };
	uint32_t d[2][SG_LANES] = { { 0 } }, cin[SG_LANES] = { 0 }, cout[SG_LANES];
	struct sg_lanes io = { d[0], d[1], a[0], a[1], b[0], b[1], c[0], c[1], cin, cout, NULL };
	unsigned first = 8 * (unsigned)f->general[COUNTER], l;

	spread(a, first, f->a, sg_is64(op->a), what & ROWS);
	spread(b, first, f->b, sg_is64(op->b), what & ROWS);
	spread(c, first, f->c, sg_is64(op->c), what & ROWS);
	for (l = 0; l < 8; l++)
		cin[first + l] = f->cin[l] & 1;
	memset(all, 0xff, sizeof(all));
	io.mask = what & MASKED ? all : NULL;
	op->lane(&io);
	gather(f->d, d, first, sg_is64(op->d), what & ROWS);
	if (op->flags & SG_F_COUT)
		for (l = 0; l < 8; l++)
			f->cout[l] = 0u - cout[first + l];
}

/* Save everything, call, restore. r10 has the second argument. */
static uint8_t *emit_call(struct native *n)
{
	static const uint8_t arguments[] = {
		0x4c, 0x89, 0xdf,       /* mov rdi, r11 */
		0x4c, 0x89, 0xd6,       /* mov rsi, r10 */
		0xc5, 0xf8, 0x77,       /* vzeroupper */
		0x48, 0x83, 0xec, 0x18, /* sub rsp, 24 */
		0x48, 0xb8,             /* mov rax, ... */
	};
	static const uint8_t behind[] = {
		0xff, 0xd0,                   /* call rax */
		0x4c, 0x8d, 0x5c, 0x24, 0x20, /* lea r11, [rsp + 32] */
	};
	static const uint8_t leave[] = {
		0x48, 0x83, 0xc4, 0x18, /* add rsp, 24 */
		0xc3,                   /* ret */
	};
	uint8_t *start = n->x.at;
	uint64_t target = (uint64_t)(uintptr_t)call;
	unsigned i, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < 16; i++)
			x86_rrm(&n->x, pass ? VMOVDQU_LOAD : VMOVDQU_STORE, i, 0, R11,
				(int32_t)(offsetof(struct frame, saved) + 32 * i));
		for (i = 0; i < sizeof(general); i++) {
			x86_byte(&n->x, 0x49);
			x86_byte(&n->x, pass ? 0x8b : 0x89);
			x86_byte(&n->x, 0x80u | (unsigned)general[i] << 3 | (R11 & 7));
			x86_u32(&n->x, (uint32_t)(offsetof(struct frame, general) + 8 * i));
		}
		if (pass)
			break;
		x86_bytes(&n->x, arguments, sizeof(arguments));
		x86_bytes(&n->x, &target, 8);
		x86_bytes(&n->x, behind, sizeof(behind));
	}
	x86_bytes(&n->x, leave, sizeof(leave));
	return start;
}

static void frame_move(struct native *n, enum x86_op op, unsigned r, size_t offset)
{
	x86_rrm(&n->x, op, r, 0, R11, (int32_t)offset);
}

static void frame_store(struct native *n, uint8_t type, const struct native_value *v, size_t offset)
{
	if (!type)
		return;
	frame_move(n, VMOVDQU_STORE, v->r[0], offset);
	if (sg_is64(type))
		frame_move(n, VMOVDQU_STORE, v->r[1], offset + 32);
}

static void emit_jump(struct native *n, const uint8_t *target)
{
	uint8_t *at;

	x86_byte(&n->x, 0xe9);
	at = n->x.at;
	x86_u32(&n->x, 0);
	x86_link(&n->x, at, target);
}

/*
 * Replaces NaN in d by the first operand's NaN, made quiet, or by the GPU's own if no operand is
 * one. `t` are three registers that are free.
 */
static void emit_nan(struct native *n, const struct native_cold *c, unsigned half, const uint8_t *t)
{
	const uint8_t source[] = { c->a.r[half], c->b.r[half], c->c.r[half] };
	const uint8_t type[] = { c->op->a, c->op->b, c->op->c };
	bool wide = sg_is64(c->op->d);
	enum x86_op cmp = wide ? VCMPPD : VCMPPS, shift = wide ? VPSHIFTQ : VPSHIFTD;
	uint8_t x = t[0], quiet = t[1], q = t[2], d = c->d.r[half];
	unsigned i;

	/* Sign 0, exponent and the highest bit of the mantissa 1; and the latter alone. */
	x86_rrr(&n->x, VPCMPEQD, quiet, quiet, quiet);
	x86_rrri(&n->x, shift, 2, x, quiet, wide ? 52 : 23);
	x86_rrri(&n->x, shift, 6, x, x, wide ? 51 : 22);
	x86_rrri(&n->x, shift, 2, quiet, quiet, wide ? 63 : 31);
	x86_rrri(&n->x, shift, 6, quiet, quiet, wide ? 51 : 22);
	for (i = 3; i-- > 0;) {
		if (!type[i])
			continue;
		x86_rrri(&n->x, cmp, NATIVE_TEMP, source[i], source[i], 3);
		x86_rrr(&n->x, VPOR, q, source[i], quiet);
		x86_rrr(&n->x, VBLENDVPS, x, x, q);
		x86_byte(&n->x, NATIVE_TEMP << 4);
	}
	x86_rrri(&n->x, cmp, NATIVE_TEMP, d, d, 3);
	x86_rrr(&n->x, VBLENDVPS, d, d, x);
	x86_byte(&n->x, NATIVE_TEMP << 4);
}

static bool uses(const struct native_cold *c, unsigned r)
{
	const struct native_value *v[] = { &c->a, &c->b, &c->c, &c->d };
	unsigned i;

	for (i = 0; i < 4; i++)
		if (v[i]->r[0] == r || v[i]->r[1] == r)
			return true;
	return false;
}

static void emit_nans(struct native *n, const struct native_cold *c)
{
	uint8_t t[3];
	unsigned i, k = 0;

	for (i = 0; i < NATIVE_REGS && k < 3; i++)
		if (!uses(c, i))
			t[k++] = (uint8_t)i;
	for (i = 0; i < 3; i++)
		frame_move(n, VMOVDQU_STORE, t[i], offsetof(struct frame, spare) + 32 * i);
	emit_nan(n, c, 0, t);
	if (sg_is64(c->op->d))
		emit_nan(n, c, 1, t);
	for (i = 0; i < 3; i++)
		frame_move(n, VMOVDQU_LOAD, t[i], offsetof(struct frame, spare) + 32 * i);
}

static void emit_cold(struct native *n, const struct native_cold *c, const uint8_t *target)
{
	uint64_t what =
	    (uint64_t)(uintptr_t)c->op | (n->masked ? MASKED : 0) | (c->rows ? ROWS : 0);
	uint8_t *at;

	x86_link(&n->x, c->jump, n->x.at);
	if (c->nan) {
		emit_nans(n, c);
		emit_jump(n, c->back);
		return;
	}
	frame_store(n, c->op->a, &c->a, offsetof(struct frame, a));
	frame_store(n, c->op->b, &c->b, offsetof(struct frame, b));
	frame_store(n, c->op->c, &c->c, offsetof(struct frame, c));
	if (c->op->flags & (SG_F_CIN | SG_F_VCC))
		frame_move(n, VMOVDQU_STORE, c->cin, offsetof(struct frame, cin));
	x86_byte(&n->x, 0x49); /* mov r10, what */
	x86_byte(&n->x, 0xba);
	x86_bytes(&n->x, &what, 8);
	x86_byte(&n->x, 0xe8); /* call */
	at = n->x.at;
	x86_u32(&n->x, 0);
	x86_link(&n->x, at, target);
	frame_move(n, VMOVDQU_LOAD, c->d.r[0], offsetof(struct frame, d));
	if (sg_is64(c->op->d))
		frame_move(n, VMOVDQU_LOAD, c->d.r[1], offsetof(struct frame, d) + 32);
	if (c->op->flags & SG_F_COUT)
		frame_move(n, VMOVDQU_LOAD, c->cout, offsetof(struct frame, cout));
	emit_jump(n, c->back);
}

unsigned native_frame_size(void)
{
	return sizeof(struct frame);
}

void native_cold(struct native *n, uint8_t hard, const struct native_cold *cold)
{
	struct native_cold *c = &n->cold[n->ncolds];

	if (n->ncolds == NATIVE_COLDS) {
		n->failed = true;
		return;
	}
	n->ncolds++;
	*c = *cold;
	/* Zero: no sign bit is set; carry: none is where lanes are active. */
	x86_rrr(&n->x, VTESTPS, n->masked ? NATIVE_SKIP : hard, 0, hard);
	x86_byte(&n->x, 0x0f);
	x86_byte(&n->x, n->masked ? 0x83 : 0x85); /* jnc, jnz */
	c->jump = n->x.at;
	x86_u32(&n->x, 0);
	c->back = n->x.at;
}

void native_end_colds(struct native *n)
{
	const uint8_t *target;
	unsigned i;

	if (!n->ncolds)
		return;
	target = emit_call(n);
	for (i = 0; i < n->ncolds; i++)
		emit_cold(n, &n->cold[i], target);
}

#endif
