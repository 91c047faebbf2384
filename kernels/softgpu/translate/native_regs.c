/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the host's registers while a run is translated, and writes the frame around the run. */
#include <stddef.h>

#include "native.h"

#if defined(__x86_64__)

#define ROW_BYTES ((int32_t)sizeof(uint32_t[SG_LANES]))

/* ---- registers <-> memory ---- */

static int find(const struct native *n, enum native_held held, uint64_t key)
{
	int i;

	for (i = 0; i < NATIVE_REGS; i++)
		if (n->reg[i].held == held && n->reg[i].key == key)
			return i;
	return -1;
}

/* Memory has the row of vector register `index`, or gets the active lanes of host register `r`. */
static void store_row(struct native *n, unsigned r, unsigned index)
{
	if (n->masked) {
		x86_rrm(&n->x, VBLENDVPS, NATIVE_TEMP, r, RSI, (int32_t)index * ROW_BYTES);
		x86_byte(&n->x, NATIVE_SKIP << 4);
		r = NATIVE_TEMP;
	}
	x86_rrm(&n->x, VMOVDQU_STORE, r, 0, RSI, (int32_t)index * ROW_BYTES);
}

/* Appends an instruction on al and a byte of a scalar pair: the bits of these eight lanes. */
static void mask_byte(struct native *n, unsigned opcode, unsigned scalar)
{
	x86_byte(&n->x, opcode);
	x86_byte(&n->x, 0x84);
	x86_byte(&n->x, RCX << 3 | RDI);
	x86_u32(&n->x, (uint32_t)(offsetof(struct sg_wave, s) + 4 * scalar));
}

static void store_mask(struct native *n, unsigned r, unsigned scalar)
{
	x86_rrr(&n->x, VMOVMSKPS, RAX, 0, r);
	if (n->masked)
		mask_byte(n, 0x22, SG_EXEC); /* and al, [] */
	mask_byte(n, 0x88, scalar);          /* mov [], al */
}

static void write_back(struct native *n, unsigned i)
{
	struct native_reg *r = &n->reg[i];
	int other;

	if (!r->dirty)
		return;
	r->dirty = false;
	switch (r->held) {
	case HELD_ROW:
		store_row(n, i, (unsigned)r->key);
		break;
	case HELD_MASK:
		store_mask(n, i, (unsigned)r->key);
		break;
	case HELD_PAIR:
	case HELD_PAIR_TOP:
		other = find(n, r->held == HELD_PAIR ? HELD_PAIR_TOP : HELD_PAIR, r->key);
		if (other < 0) {
			n->failed = true;
			break;
		}
		n->reg[other].dirty = false;
		if (r->held == HELD_PAIR_TOP) {
			int swap = other;

			other = (int)i;
			i = (unsigned)swap;
		}
		x86_rrri(&n->x, VSHUFPS, NATIVE_TEMP, i, (unsigned)other, 0x88);
		store_row(n, NATIVE_TEMP, (unsigned)r->key);
		x86_rrri(&n->x, VSHUFPS, NATIVE_TEMP, i, (unsigned)other, 0xdd);
		store_row(n, NATIVE_TEMP, (unsigned)r->key + 1);
		break;
	default:
		break;
	}
}

static void drop(struct native *n, enum native_held held, uint64_t key)
{
	int i = find(n, held, key);

	if (i < 0)
		return;
	n->reg[i].held = HELD_NOTHING;
	n->reg[i].dirty = false;
}

static void evict(struct native *n, unsigned i)
{
	uint64_t key = n->reg[i].key;
	bool pair = n->reg[i].held == HELD_PAIR || n->reg[i].held == HELD_PAIR_TOP;

	write_back(n, i);
	if (pair) {
		drop(n, HELD_PAIR, key);
		drop(n, HELD_PAIR_TOP, key);
	}
	n->reg[i].held = HELD_NOTHING;
}

/* Both halves of a pair are locked together, so evicting one never takes the other from an
 * instruction.
 */
static uint8_t take(struct native *n, enum native_held held, uint64_t key, bool dirty)
{
	int best = -1, i;

	for (i = 0; i < NATIVE_REGS; i++) {
		const struct native_reg *r = &n->reg[i];

		if (r->locked)
			continue;
		if (r->held == HELD_NOTHING) {
			best = i;
			break;
		}
		if (best < 0 || r->used < n->reg[best].used)
			best = i;
	}
	if (best < 0) {
		n->failed = true;
		return 0;
	}
	evict(n, (unsigned)best);
	n->reg[best] = (struct native_reg){ .held = (uint8_t)held,
					    .dirty = dirty,
					    .locked = true,
					    .used = ++n->clock,
					    .key = key };
	return (uint8_t)best;
}

static bool have(struct native *n, enum native_held held, uint64_t key, uint8_t *r)
{
	int i = find(n, held, key);

	if (i < 0)
		return false;
	n->reg[i].locked = true;
	n->reg[i].used = ++n->clock;
	*r = (uint8_t)i;
	return true;
}

/* ---- sources ---- */

uint8_t native_row(struct native *n, unsigned index)
{
	struct native_value p;
	uint8_t r;

	if (have(n, HELD_ROW, index, &r))
		return r;
	if (have(n, HELD_PAIR, index & ~1u, &p.r[0]) &&
	    have(n, HELD_PAIR_TOP, index & ~1u, &p.r[1])) {
		r = take(n, HELD_ROW, index, false);
		x86_rrri(&n->x, VSHUFPS, r, p.r[0], p.r[1], index & 1 ? 0xdd : 0x88);
		return r;
	}
	r = take(n, HELD_ROW, index, false);
	x86_rrm(&n->x, VMOVDQU_LOAD, r, 0, RSI, (int32_t)index * ROW_BYTES);
	return r;
}

static bool is_locked(const struct native *n, enum native_held held, uint64_t key)
{
	int i = find(n, held, key);

	return i >= 0 && n->reg[i].locked;
}

struct native_value native_pair(struct native *n, unsigned index)
{
	struct native_value p = { { 0, 0 } };
	bool low_used, high_used;
	uint8_t low, high;

	if (index & 1) {
		n->failed = true;
		return p;
	}
	if (have(n, HELD_PAIR, index, &p.r[0]) && have(n, HELD_PAIR_TOP, index, &p.r[1]))
		return p;
	low_used = is_locked(n, HELD_ROW, index);
	high_used = is_locked(n, HELD_ROW, index + 1);
	low = native_row(n, index);
	high = native_row(n, index + 1);
	p.r[0] = take(n, HELD_PAIR, index, false);
	p.r[1] = take(n, HELD_PAIR_TOP, index, false);
	x86_rrr(&n->x, VPUNPCKLDQ, p.r[0], low, high);
	x86_rrr(&n->x, VPUNPCKHDQ, p.r[1], low, high);
	n->reg[low].locked = low_used;
	n->reg[high].locked = high_used;
	return p;
}

static void constant(struct native *n, enum x86_op op, unsigned reg, unsigned size, uint64_t value)
{
	if (n->nconstants == NATIVE_CONSTANTS) {
		n->failed = true;
		return;
	}
	n->constant[n->nconstants].at = x86_rip(&n->x, op, reg);
	n->constant[n->nconstants].size = (uint8_t)size;
	n->constant[n->nconstants++].value = value;
}

uint8_t native_word(struct native *n, uint32_t value)
{
	uint8_t r;

	if (have(n, HELD_WORD, value, &r))
		return r;
	r = take(n, HELD_WORD, value, false);
	constant(n, VPBROADCASTD, r, 4, value);
	return r;
}

uint8_t native_quad(struct native *n, uint64_t value)
{
	uint8_t r;

	if (have(n, HELD_QUAD, value, &r))
		return r;
	r = take(n, HELD_QUAD, value, false);
	constant(n, VPBROADCASTQ, r, 8, value);
	return r;
}

uint8_t native_scalar(struct native *n, unsigned index, bool pair)
{
	enum native_held held = pair ? HELD_SCALAR_PAIR : HELD_SCALAR;
	uint8_t r;

	if (have(n, held, index, &r))
		return r;
	r = take(n, held, index, false);
	x86_rrm(&n->x, pair ? VPBROADCASTQ : VPBROADCASTD, r, 0, RDI,
		(int32_t)(offsetof(struct sg_wave, s) + 4 * index));
	return r;
}

uint8_t native_mask(struct native *n, unsigned scalar)
{
	uint8_t r, bits;

	if (have(n, HELD_MASK, scalar, &r))
		return r;
	if (!have(n, HELD_BITS, 0, &bits)) {
		bits = take(n, HELD_BITS, 0, false);
		constant(n, VMOVDQU_LOAD, bits, 32, 0);
	}
	r = take(n, HELD_MASK, scalar, false);
	x86_rrx(&n->x, VPBROADCASTB, r, (int32_t)(offsetof(struct sg_wave, s) + 4 * scalar));
	x86_rrr(&n->x, VPAND, r, r, bits);
	x86_rrr(&n->x, VPCMPEQD, r, r, bits);
	return r;
}

uint8_t native_temp(struct native *n)
{
	return take(n, HELD_TEMP, 0, false);
}

void native_free(struct native *n, uint8_t r)
{
	n->reg[r].held = HELD_NOTHING;
	n->reg[r].locked = false;
}

uint8_t native_word_once(struct native *n, uint32_t value)
{
	bool used = is_locked(n, HELD_WORD, value);
	uint8_t r = native_word(n, value);

	n->reg[r].locked = used;
	return r;
}

/* ---- results ---- */

uint8_t native_set_row(struct native *n, unsigned index)
{
	int pair = find(n, HELD_PAIR, index & ~1u);

	if (pair >= 0) {
		write_back(n, (unsigned)pair);
		drop(n, HELD_PAIR, index & ~1u);
		drop(n, HELD_PAIR_TOP, index & ~1u);
	}
	drop(n, HELD_ROW, index);
	return take(n, HELD_ROW, index, true);
}

struct native_value native_set_pair(struct native *n, unsigned index)
{
	struct native_value p = { { 0, 0 } };

	if (index & 1) {
		n->failed = true;
		return p;
	}
	drop(n, HELD_ROW, index);
	drop(n, HELD_ROW, index + 1);
	drop(n, HELD_PAIR, index);
	drop(n, HELD_PAIR_TOP, index);
	p.r[0] = take(n, HELD_PAIR, index, true);
	p.r[1] = take(n, HELD_PAIR_TOP, index, true);
	return p;
}

uint8_t native_set_mask(struct native *n, unsigned scalar)
{
	unsigned i;

	drop(n, HELD_MASK, scalar);
	for (i = 0; i < n->nmasks && n->mask[i] != scalar; i++)
		;
	if (i == NATIVE_MASKS)
		n->failed = true;
	else if (i == n->nmasks)
		n->mask[n->nmasks++] = (uint8_t)scalar;
	return take(n, HELD_MASK, scalar, true);
}

void native_unlock(struct native *n)
{
	unsigned i;

	for (i = 0; i < NATIVE_REGS; i++) {
		n->reg[i].locked = false;
		if (n->reg[i].held == HELD_TEMP)
			n->reg[i].held = HELD_NOTHING;
	}
}

/* ---- the frame ---- */

void native_begin(struct native *n)
{
	static const uint8_t enter[] = {
		0x55,             /* push rbp */
		0x48, 0x89, 0xe5, /* mov rbp, rsp */
		0x48, 0x81, 0xec, /* sub rsp, the frame's size */
	};
	static const uint8_t align[] = {
		0x48, 0x83, 0xe4, 0xe0, /* and rsp, -32 */
		0x49, 0x89, 0xe3,       /* mov r11, rsp */
		0x31, 0xc9,             /* xor ecx, ecx */
		0x48, 0x89, 0xfa,       /* mov rdx, rdi */
	};
	static const uint8_t test[] = {
		0x84, 0xc0, /* test al, al */
		0x0f, 0x84, /* jz */
	};

	x86_bytes(&n->x, enter, sizeof(enter));
	x86_u32(&n->x, (native_frame_size() + 63) & ~31u);
	x86_bytes(&n->x, align, sizeof(align));
	n->top = n->x.at;
	if (!n->masked)
		return;
	mask_byte(n, 0x8a, SG_EXEC); /* mov al, [] */
	x86_bytes(&n->x, test, sizeof(test));
	n->skip = n->x.at;
	x86_u32(&n->x, 0);
	x86_rrr(&n->x, VPCMPEQD, NATIVE_TEMP, NATIVE_TEMP, NATIVE_TEMP);
	x86_rrm(&n->x, VPXOR, NATIVE_SKIP, NATIVE_TEMP, RDX,
		(int32_t)offsetof(struct sg_wave, lane_mask));
}

static void emit_constants(struct native *n)
{
	unsigned i, j;

	for (i = 0; i < n->nconstants; i++) {
		x86_link(&n->x, n->constant[i].at, n->x.at);
		if (n->constant[i].size < 32)
			x86_bytes(&n->x, &n->constant[i].value, n->constant[i].size);
		for (j = 0; n->constant[i].size == 32 && j < 8; j++)
			x86_u32(&n->x, 1u << j);
	}
}

void native_end(struct native *n)
{
	static const uint8_t next[] = {
		0x48, 0x83, 0xc6, 0x20, /* add rsi, 32 */
		0x48, 0x83, 0xc2, 0x20, /* add rdx, 32 */
		0xff, 0xc1,             /* inc ecx */
		0x83, 0xf9, 0x08,       /* cmp ecx, 8 */
		0x0f, 0x85,             /* jne */
	};
	static const uint8_t leave[] = {
		0xc5, 0xf8, 0x77, /* vzeroupper */
		0xc9,             /* leave */
		0xc3,             /* ret */
	};
	uint8_t *behind, *at;
	unsigned i;

	for (i = 0; i < NATIVE_REGS; i++)
		evict(n, i);
	behind = n->x.at;
	x86_bytes(&n->x, next, sizeof(next));
	at = n->x.at;
	x86_u32(&n->x, 0);
	x86_link(&n->x, at, n->top);
	x86_bytes(&n->x, leave, sizeof(leave));
	if (n->masked) {
		/* None of these lanes is active: nothing but zeros in masks. */
		x86_link(&n->x, n->skip, n->x.at);
		for (i = 0; i < n->nmasks; i++) {
			mask_byte(n, 0xc6, n->mask[i]); /* mov byte [], 0 */
			x86_byte(&n->x, 0);
		}
		x86_byte(&n->x, 0xe9);
		at = n->x.at;
		x86_u32(&n->x, 0);
		x86_link(&n->x, at, behind);
	}
	native_end_colds(n);
	emit_constants(n);
}

#endif
