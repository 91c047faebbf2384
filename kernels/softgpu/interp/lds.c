/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LDS: loads, stores, atomics, and the data-share unit's lane permutations. Beyond the group's
 * LDS reads give 0 and writes vanish (MI200 ISA, "LDS Out-of-Range").
 */
#include "check.h"
#include "move.h"
#include "rmw.h"

/* Row's arg of loads and stores. */
#define BYTES(arg) ((arg)&0x1fu)
#define SIGNED     0x20u
#define D16        0x40u
#define D16_HI     0x80u
#define TWO        0x100u /* two elements, at offset0 and offset1 times the element's size */
#define ST64       0x200u /* ... times 64 elements */

static bool plain(struct sg_wave *wave, const struct sg_insn *in)
{
	if (!in->gds)
		return true;
	sg_unsupported(wave, in, "global data share");
	return false;
}

static uint32_t offset16(const struct sg_insn *in)
{
	return in->raw[0] & 0xffff;
}

/* Returns the offset, which is added to the address in 32 bits: compilers fold constants into
 * offsets of negative bases. */
static uint32_t offset_of(const struct sg_insn *in, unsigned arg, unsigned element)
{
	if (!(arg & TWO))
		return offset16(in);
	return (in->raw[0] >> (8 * element) & 0xff) * BYTES(arg) * (arg & ST64 ? 64 : 1);
}

static void put(uint32_t (*d)[SG_LANES], unsigned l, const uint8_t *p, unsigned arg)
{
	unsigned size = BYTES(arg), i;
	uint32_t x = 0;

	if (size < 4) {
		if (p)
			memcpy(&x, p, size);
		if (arg & SIGNED)
			x = size == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
		if (arg & D16)
			x &= 0xffff;
		else if (arg & D16_HI)
			x <<= 16;
		d[0][l] = x;
		return;
	}
	for (i = 0; i < size / 4; i++) {
		x = 0;
		if (p)
			memcpy(&x, p + 4 * i, 4);
		d[i][l] = x;
	}
}

/* The LDS address of all lanes' element `e` minus what `address` holds; NULL: some are outside. */
static uint8_t *whole(struct sg_wave *wave, const struct sg_insn *in, const uint32_t *address,
		      unsigned arg, unsigned e)
{
	uint32_t size = BYTES(arg), limit = wave->group->lds_size, offset = offset_of(in, arg, e);
	uint32_t least, greatest;

	if (!sg_exec(wave) || arg & (D16 | D16_HI) || limit < offset + size)
		return NULL;
	sg_bounds(wave, address, NULL, &least, &greatest);
	return greatest <= limit - offset - size ? wave->group->lds + offset : NULL;
}

static void read(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned arg = in->op->arg, size = BYTES(arg), elements = arg & TWO ? 2 : 1, e;
	uint32_t address[SG_LANES];
	uint64_t exec = sg_exec(wave), m;

	if (!plain(wave, in))
		return;
	if (elements == 1) {
		const uint32_t *from = wave->v[in->o[1].index];
		const uint8_t *p = whole(wave, in, from, arg, 0);

		if (p) {
			sg_gather(wave, &wave->v[in->o[0].index], p, from, size, arg & SIGNED);
			return;
		}
	}
	memcpy(address, wave->v[in->o[1].index], sizeof(address));
	for (e = 0; e < elements; e++) {
		uint32_t(*d)[SG_LANES] = &wave->v[in->o[0].index + e * ((size + 3) / 4)];
		uint32_t offset = offset_of(in, arg, e);
		const uint8_t *all = whole(wave, in, address, arg, e);

		if (all) {
			sg_gather(wave, d, all, address, size, false);
			continue;
		}
		for (m = exec; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);

			put(d, l, sg_lds(wave, address[l] + offset, size), arg);
		}
	}
}

static void write(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned arg = in->op->arg, size = BYTES(arg), elements = arg & TWO ? 2 : 1, e, i;
	const uint32_t *address = wave->v[in->o[0].index];
	uint64_t m;

	if (!plain(wave, in))
		return;
	for (e = 0; e < elements; e++) {
		uint32_t(*d)[SG_LANES] = &wave->v[in->o[1 + e].index];
		uint32_t offset = offset_of(in, arg, e);
		uint8_t *all = whole(wave, in, address, arg, e);

		if (all) {
			sg_scatter(wave, (const uint32_t(*)[SG_LANES])d, all, address, size);
			continue;
		}
		for (m = sg_exec(wave); m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);
			uint8_t *p = sg_lds(wave, address[l] + offset, size);
			uint32_t x = d[0][l];

			if (!p)
				continue;
			if (size < 4) {
				if (arg & D16_HI)
					x >>= 16;
				memcpy(p, &x, size);
				continue;
			}
			for (i = 0; i < size / 4; i++)
				memcpy(p + 4 * i, &d[i][l], 4);
		}
	}
}

/* Notes what the row's elements at address operand `n` are about to access. */
static bool touch(struct sg_wave *wave, const struct sg_insn *in, enum sg_access_kind kind,
		  unsigned n, struct sg_touched *touched)
{
	unsigned arg = kind == SG_ATOMIC ? in->op->arg >> 8 : in->op->arg;

	if (in->gds || in->o[n].kind != SG_K_VECTOR)
		return false;
	touched->kind = kind;
	touched->lds = true;
	touched->size = BYTES(arg);
	touched->elements = kind != SG_ATOMIC && arg & TWO ? 2 : 1;
	touched->active = sg_exec(wave);
	for (unsigned e = 0; e < touched->elements; e++) {
		uint32_t offset = kind == SG_ATOMIC ? offset16(in) : offset_of(in, arg, e);

		for (unsigned l = 0; l < SG_LANES; l++)
			touched->address[e][l] = wave->v[in->o[n].index][l] + offset;
	}
	return true;
}

static bool touch_read(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	return touch(wave, in, SG_READ, 1, touched);
}

static bool touch_write(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	return touch(wave, in, SG_WRITE, 0, touched);
}

static bool touch_atomic(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	return touch(wave, in, SG_ATOMIC, in->op->flags & SG_F_NODST ? 0 : 1, touched);
}

/* ---- atomics; row: arg = operation | size << 8, d: 1 when it returns the old value ---- */

static uint64_t lane_value(const struct sg_wave *wave, const struct sg_operand *o, unsigned lane,
			   unsigned size)
{
	uint64_t x = wave->v[o->index][lane];

	return size == 8 ? (uint64_t)wave->v[o->index + 1][lane] << 32 | x : x;
}

static void atomic(struct sg_wave *wave, const struct sg_insn *in)
{
	enum sg_rmw op = in->op->arg & 0xff;
	unsigned size = in->op->arg >> 8, n = in->op->flags & SG_F_NODST ? 0 : 1;
	uint64_t m;

	if (!plain(wave, in))
		return;
	if (op == SG_RMW_FCMPSWAP && size == 4 && !(wave->mode & 0x20)) {
		sg_unsupported(wave, in, "comparison of flushed denormals");
		return;
	}
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint64_t data = lane_value(wave, &in->o[n + 1], l, size), other = 0, old = 0;
		uint8_t *p = sg_lds(wave, wave->v[in->o[n].index][l] + offset16(in), size);

		if (op == SG_RMW_CMPSWAP || op == SG_RMW_FCMPSWAP) {
			/* Here the compare value comes first. */
			other = data;
			data = lane_value(wave, &in->o[n + 2], l, size);
		} else if (op == SG_RMW_MSKOR || op == SG_RMW_WRAP) {
			other = lane_value(wave, &in->o[n + 2], l, size);
		}
		if (p)
			old = sg_rmw(op, size, p, data, other,
				     op == SG_RMW_FADD && size == 4 && !(wave->mode & 0x20));
		if (n) {
			wave->v[in->o[0].index][l] = (uint32_t)old;
			if (size == 8)
				wave->v[in->o[0].index + 1][l] = (uint32_t)(old >> 32);
		}
	}
}

/* Two exchanges at offset0 and offset1; row's arg as for loads. */
static void exchange2(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned arg = in->op->arg, size = BYTES(arg), e;
	uint64_t exec = sg_exec(wave), m;
	uint32_t address[SG_LANES];

	if (!plain(wave, in))
		return;
	memcpy(address, wave->v[in->o[1].index], sizeof(address));
	for (m = exec; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint64_t data[2], old[2] = { 0, 0 };

		for (e = 0; e < 2; e++)
			data[e] = lane_value(wave, &in->o[2 + e], l, size);
		for (e = 0; e < 2; e++) {
			uint8_t *p = sg_lds(wave, address[l] + offset_of(in, arg, e), size);
			unsigned row = in->o[0].index + e * size / 4;

			if (p)
				old[e] = sg_rmw(SG_RMW_SWAP, size, p, data[e], 0, false);
			wave->v[row][l] = (uint32_t)old[e];
			if (size == 8)
				wave->v[row + 1][l] = (uint32_t)(old[e] >> 32);
		}
	}
}

/* Loads or stores a dword a lane, at offset + M0[15:0] + 4 * lane. */
static void add_thread(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t *d = wave->v[in->o[0].index], base = offset16(in) + (wave->s[SG_M0] & 0xffff);
	uint64_t m;

	if (!plain(wave, in))
		return;
	for (m = sg_exec(wave); m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint8_t *p = sg_lds(wave, base + 4 * l, 4);

		if (!in->op->arg)
			d[l] = 0;
		if (p && in->op->arg)
			memcpy(p, &d[l], 4);
		else if (p)
			memcpy(&d[l], p, 4);
	}
}

/* ---- lane permutations ---- */

static void bpermute(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t address[SG_LANES], data[SG_LANES];
	uint64_t exec = sg_exec(wave);
	unsigned l;

	memcpy(address, wave->v[in->o[1].index], sizeof(address));
	memcpy(data, wave->v[in->o[2].index], sizeof(data));
	for (l = 0; l < SG_LANES; l++) {
		unsigned from = (address[l] + offset16(in)) / 4 % SG_LANES;

		if (exec >> l & 1)
			wave->v[in->o[0].index][l] = exec >> from & 1 ? data[from] : 0;
	}
}

static void permute(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t result[SG_LANES] = { 0 };
	uint64_t exec = sg_exec(wave);
	unsigned l;

	for (l = 0; l < SG_LANES; l++)
		if (exec >> l & 1)
			result[(wave->v[in->o[1].index][l] + offset16(in)) / 4 % SG_LANES] =
			    wave->v[in->o[2].index][l];
	for (l = 0; l < SG_LANES; l++)
		if (exec >> l & 1)
			wave->v[in->o[0].index][l] = result[l];
}

static void swizzle(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t data[SG_LANES], offset = offset16(in);
	uint64_t exec = sg_exec(wave);
	unsigned l;

	if (offset >= 0xe000) {
		sg_unsupported(wave, in, "FFT swizzle");
		return;
	}
	memcpy(data, wave->v[in->o[1].index], sizeof(data));
	for (l = 0; l < SG_LANES; l++) {
		unsigned at = l & 31, from;

		if (offset >= 0xc000) { /* rotate; offset[10]: to the right */
			unsigned mask = offset & 31, n = offset >> 5 & 31;
			unsigned moved = (offset >> 10 & 1 ? at - n : at + n) & 31;

			from = (at & mask) | (moved & ~mask & 31);
		} else if (offset & 0x8000) {
			from = (at & ~3u) | (offset >> (2 * (at & 3)) & 3);
		} else {
			from = (((at & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) &
			       31;
		}
		from |= l & 32;
		if (exec >> l & 1)
			wave->v[in->o[0].index][l] = exec >> from & 1 ? data[from] : 0;
	}
}

/* Counter at M0-less offset: add or subtract the number of active lanes, return the old value. */
static void append(struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave), m;
	uint32_t old = 0, now, count = (uint32_t)__builtin_popcountll(exec);
	uint8_t *p = sg_lds(wave, offset16(in) + (wave->s[SG_M0] >> 16), 4);

	if (!plain(wave, in))
		return;
	if (p) {
		memcpy(&old, p, 4);
		now = in->op->arg ? old - count : old + count;
		memcpy(p, &now, 4);
	}
	for (m = exec; m; m &= m - 1)
		wave->v[in->o[0].index][__builtin_ctzll(m)] = old;
}

static void nothing(struct sg_wave *wave, const struct sg_insn *in)
{
	(void)wave;
	(void)in;
}

#define READ(text, bits)                                                               \
	{                                                                              \
		.name = "ds_read" text, .exec = read, .touch = touch_read, .arg = bits \
	}
#define WRITE(text, bits)                                                                 \
	{                                                                                 \
		.name = "ds_write" text, .exec = write, .touch = touch_write, .arg = bits \
	}
#define BOTH(text, rtn, op, size)                                         \
	{ .name = "ds_" text,                                             \
	  .exec = atomic,                                                 \
	  .touch = touch_atomic,                                          \
	  .flags = SG_F_NODST,                                            \
	  .arg = (op) | (size) << 8 },                                    \
	{                                                                 \
		.name = "ds_" rtn, .exec = atomic, .touch = touch_atomic, \
		.arg = (op) | (size) << 8                                 \
	}
#define INT(name, type32, type64, op)                      \
	BOTH(name "_" type32, name "_rtn_" type32, op, 4), \
	    BOTH(name "_" type64, name "_rtn_" type64, op, 8)

const struct sg_op sg_table_lds[] = {
	READ("_b32", 4),
	READ("_b64", 8),
	READ("_b96", 12),
	READ("_b128", 16),
	READ("_u8", 1),
	READ("_i8", 1 | SIGNED),
	READ("_u16", 2),
	READ("_i16", 2 | SIGNED),
	READ("_u8_d16", 1 | D16),
	READ("_u8_d16_hi", 1 | D16_HI),
	READ("_i8_d16", 1 | SIGNED | D16),
	READ("_i8_d16_hi", 1 | SIGNED | D16_HI),
	READ("_u16_d16", 2 | D16),
	READ("_u16_d16_hi", 2 | D16_HI),
	READ("2_b32", 4 | TWO),
	READ("2_b64", 8 | TWO),
	READ("2st64_b32", 4 | TWO | ST64),
	READ("2st64_b64", 8 | TWO | ST64),
	WRITE("_b8", 1),
	WRITE("_b16", 2),
	WRITE("_b32", 4),
	WRITE("_b64", 8),
	WRITE("_b96", 12),
	WRITE("_b128", 16),
	WRITE("_b8_d16_hi", 1 | D16_HI),
	WRITE("_b16_d16_hi", 2 | D16_HI),
	WRITE("2_b32", 4 | TWO),
	WRITE("2_b64", 8 | TWO),
	WRITE("2st64_b32", 4 | TWO | ST64),
	WRITE("2st64_b64", 8 | TWO | ST64),
	INT("add", "u32", "u64", SG_RMW_ADD),
	INT("sub", "u32", "u64", SG_RMW_SUB),
	INT("rsub", "u32", "u64", SG_RMW_RSUB),
	INT("inc", "u32", "u64", SG_RMW_INC),
	INT("dec", "u32", "u64", SG_RMW_DEC),
	INT("min", "i32", "i64", SG_RMW_SMIN),
	INT("max", "i32", "i64", SG_RMW_SMAX),
	INT("min", "u32", "u64", SG_RMW_UMIN),
	INT("max", "u32", "u64", SG_RMW_UMAX),
	INT("and", "b32", "b64", SG_RMW_AND),
	INT("or", "b32", "b64", SG_RMW_OR),
	INT("xor", "b32", "b64", SG_RMW_XOR),
	INT("mskor", "b32", "b64", SG_RMW_MSKOR),
	INT("cmpst", "b32", "b64", SG_RMW_CMPSWAP),
	INT("add", "f32", "f64", SG_RMW_FADD),
	INT("min", "f32", "f64", SG_RMW_FMIN),
	INT("max", "f32", "f64", SG_RMW_FMAX),
	INT("cmpst", "f32", "f64", SG_RMW_FCMPSWAP),
	BOTH("pk_add_f16", "pk_add_rtn_f16", SG_RMW_PK_FADD, 4),
	BOTH("pk_add_bf16", "pk_add_rtn_bf16", SG_RMW_PK_BFADD, 4),
	{ .name = "ds_wrap_rtn_b32", .exec = atomic, .arg = SG_RMW_WRAP | 4 << 8 },
	{ .name = "ds_read_addtid_b32", .exec = add_thread, .arg = 0 },
	{ .name = "ds_write_addtid_b32", .exec = add_thread, .arg = 1 },
	{ .name = "ds_wrxchg_rtn_b32", .exec = atomic, .arg = SG_RMW_SWAP | 4 << 8 },
	{ .name = "ds_wrxchg_rtn_b64", .exec = atomic, .arg = SG_RMW_SWAP | 8 << 8 },
	{ .name = "ds_wrxchg2_rtn_b32", .exec = exchange2, .arg = 4 | TWO },
	{ .name = "ds_wrxchg2_rtn_b64", .exec = exchange2, .arg = 8 | TWO },
	{ .name = "ds_wrxchg2st64_rtn_b32", .exec = exchange2, .arg = 4 | TWO | ST64 },
	{ .name = "ds_wrxchg2st64_rtn_b64", .exec = exchange2, .arg = 8 | TWO | ST64 },
	{ .name = "ds_bpermute_b32", .exec = bpermute },
	{ .name = "ds_permute_b32", .exec = permute },
	{ .name = "ds_swizzle_b32", .exec = swizzle },
	{ .name = "ds_append", .exec = append, .arg = 0 },
	{ .name = "ds_consume", .exec = append, .arg = 1 },
	{ .name = "ds_nop", .exec = nothing },
	{ .name = NULL },
};
