/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalar memory: loads, stores, atomics; one access a wave, whatever EXEC says. Beyond
 * num_records of a buffer loads give 0, stores and atomics vanish.
 */
#include "check.h"
#include "l2.h"
#include "rmw.h"

/* Returns the offset operand: immediate, scalar register, or both ("s4 offset:0x10"). */
static uint64_t scalar_offset(const struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t offset = (uint64_t)(int64_t)in->offset;

	if (in->nops > 2) {
		if (in->o[2].kind == SG_K_CONST)
			offset += (uint64_t)(int64_t)(int32_t)in->o[2].value;
		else
			offset += sg_read32(wave, &in->o[2]);
	}
	return offset;
}

static void load(struct sg_wave *wave, const struct sg_insn *in, uint64_t address)
{
	unsigned n = in->op->arg, state;
	uint8_t *p = sg_global(wave, address & ~(uint64_t)3, 4 * n, &state);

	if (!p)
		return;
	sg_note(wave, address, SG_READ);
	if (in->o[0].kind != SG_K_SCALAR || in->o[0].index + n > SG_SCALARS) {
		sg_unsupported(wave, in, "destination of scalar load");
		return;
	}
	if (sg_has_l2(wave))
		sg_l2_read(wave,
			   &(struct sg_line_access){ .address = address & ~(uint64_t)3,
						     .memory = p,
						     .size = 4 * n,
						     .state = state,
						     .scalar = true },
			   &wave->s[in->o[0].index]);
	else
		memcpy(&wave->s[in->o[0].index], p, 4 * n);
}

static void s_load(struct sg_wave *wave, const struct sg_insn *in)
{
	load(wave, in, sg_read64(wave, &in->o[1]) + scalar_offset(wave, in));
}

/* One lane stands for the wave. A load for no lane may be one that the code would have skipped. */
static bool touch(struct sg_wave *wave, const struct sg_insn *in, uint64_t address,
		  struct sg_touched *touched)
{
	uint64_t exec = sg_exec(wave);
	unsigned n = in->op->arg;

	if (!exec || in->o[0].kind != SG_K_SCALAR || in->o[0].index + n > SG_SCALARS)
		return false;
	touched->kind = SG_READ;
	touched->scalar = true;
	touched->size = 4 * n;
	touched->active = exec & -exec;
	touched->address[0][__builtin_ctzll(exec)] = address & ~(uint64_t)3;
	return true;
}

static bool touch_load(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	touched->base = sg_read64(wave, &in->o[1]);
	return touch(wave, in, touched->base + scalar_offset(wave, in), touched);
}

struct buffer {
	uint64_t base, bytes;
};

static struct buffer scalar_buffer(const struct sg_wave *wave, const struct sg_insn *in)
{
	const uint32_t *v = &wave->s[in->o[1].index];
	uint32_t stride = v[1] >> 16 & 0x3fff;

	return (struct buffer){
		(uint64_t)(v[1] & 0xffff) << 32 | v[0],
		stride ? (uint64_t)stride * v[2] : v[2],
	};
}

static bool touch_buffer(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	struct buffer buffer = scalar_buffer(wave, in);
	uint64_t offset = scalar_offset(wave, in) & ~(uint64_t)3;

	return offset + 4 * in->op->arg <= buffer.bytes &&
	       touch(wave, in, buffer.base + offset, touched);
}

static void s_buffer_load(struct sg_wave *wave, const struct sg_insn *in)
{
	struct buffer buffer = scalar_buffer(wave, in);
	uint64_t base = buffer.base, bytes = buffer.bytes, offset = scalar_offset(wave, in);
	unsigned i, n = in->op->arg;

	offset &= ~(uint64_t)3;
	if (offset + 4 * n <= bytes) {
		load(wave, in, base + offset);
		return;
	}
	/* Beyond num_records reads give 0, dword by dword. */
	for (i = 0; i < n; i++) {
		const uint8_t *p;

		wave->s[in->o[0].index + i] = 0;
		if (offset + 4 * i + 4 > bytes)
			continue;
		p = sg_global(wave, base + offset + 4 * i, 4, NULL);
		if (!p)
			return;
		memcpy(&wave->s[in->o[0].index + i], p, 4);
	}
}

/*
 * Address of `size` bytes that a store or an atomic changes; false: nothing is to be done, or the
 * wave stopped. Row's c: 1 where the base is a buffer.
 */
static bool target(struct sg_wave *wave, const struct sg_insn *in, unsigned size, uint64_t *address,
		   uint8_t **p, unsigned *state)
{
	uint64_t offset = scalar_offset(wave, in) & ~(uint64_t)3;

	if (in->op->c) {
		struct buffer buffer = scalar_buffer(wave, in);

		if (offset + size > buffer.bytes)
			return false;
		*address = buffer.base + offset;
	} else {
		*address = (sg_read64(wave, &in->o[1]) & ~(uint64_t)3) + offset;
	}
	sg_memory_refresh(wave->worker);
	*p = sg_global(wave, *address, size, state);
	if (*p && *state & SOFTGPU_PAGE_READ) {
		sg_write_fault(wave, *address, size);
		return false;
	}
	return *p != NULL;
}

static bool data_ok(struct sg_wave *wave, const struct sg_insn *in, unsigned registers)
{
	if (in->nops >= 2 && in->o[0].kind == SG_K_SCALAR && in->o[0].count == registers)
		return true;
	sg_unsupported(wave, in, "data operand");
	return false;
}

/* Executes a row whose arg is the number of dwords. */
static void store(struct sg_wave *wave, const struct sg_insn *in)
{
	unsigned n = in->op->arg, state;
	uint64_t address;
	uint8_t *p;

	if (!data_ok(wave, in, n) || !target(wave, in, 4 * n, &address, &p, &state))
		return;
	sg_note(wave, address, SG_WRITE);
	memcpy(p, &wave->s[in->o[0].index], 4 * n);
}

/* Executes a row with arg = operation | size << 8. */
static void atomic(struct sg_wave *wave, const struct sg_insn *in)
{
	enum sg_rmw op = in->op->arg & 0xff;
	unsigned size = in->op->arg >> 8, words = size / 4, at = in->o[0].index, state;
	uint64_t address, old = 0, data, other = 0;
	struct sg_place place = { 0 };
	bool dropped;
	uint8_t *p;

	if (!data_ok(wave, in, op == SG_RMW_CMPSWAP ? 2 * words : words))
		return;
	data = size == 8 ? sg_pair(wave, at) : wave->s[at];
	if (op == SG_RMW_CMPSWAP)
		other = size == 8 ? sg_pair(wave, at + 2) : wave->s[at + 1];
	if (target(wave, in, size, &address, &p, &state)) {
		dropped = sg_rmw_dropped(op, state);
		if (!dropped)
			old = sg_rmw(op, size, p, data, other, false);
		if (softgpu_config.atomic_log) {
			sg_log_atomic(wave, in, address, dropped, &place);
			sg_log_flush();
		}
		sg_note(wave, address, SG_ATOMIC);
	}
	if (!in->glc || wave->stop)
		return;
	wave->s[at] = (uint32_t)old;
	if (size == 8)
		wave->s[at + 1] = (uint32_t)(old >> 32);
}

#define LOADS(n, suffix)                                                                  \
	{ .name = "s_load_dword" suffix, .exec = s_load, .touch = touch_load, .arg = n }, \
	{                                                                                 \
		.name = "s_buffer_load_dword" suffix, .exec = s_buffer_load,              \
		.touch = touch_buffer, .arg = n                                           \
	}

#define STORES(n, suffix)                                                               \
	{ .name = "s_store_dword" suffix, .exec = store, .arg = n },                    \
	{                                                                               \
		.name = "s_buffer_store_dword" suffix, .exec = store, .arg = n, .c = 1, \
	}
#define ATOMIC(prefix, buffer, text, op)                                                      \
	{ .name = prefix text, .exec = atomic, .arg = (op) | 4 << 8, .c = buffer },           \
	{                                                                                     \
		.name = prefix text "_x2", .exec = atomic, .arg = (op) | 8 << 8, .c = buffer, \
	}
#define ATOMICS(prefix, buffer)                                                                   \
	ATOMIC(prefix, buffer, "swap", SG_RMW_SWAP),                                              \
	    ATOMIC(prefix, buffer, "cmpswap", SG_RMW_CMPSWAP),                                    \
	    ATOMIC(prefix, buffer, "add", SG_RMW_ADD), ATOMIC(prefix, buffer, "sub", SG_RMW_SUB), \
	    ATOMIC(prefix, buffer, "smin", SG_RMW_SMIN),                                          \
	    ATOMIC(prefix, buffer, "umin", SG_RMW_UMIN),                                          \
	    ATOMIC(prefix, buffer, "smax", SG_RMW_SMAX),                                          \
	    ATOMIC(prefix, buffer, "umax", SG_RMW_UMAX),                                          \
	    ATOMIC(prefix, buffer, "and", SG_RMW_AND), ATOMIC(prefix, buffer, "or", SG_RMW_OR),   \
	    ATOMIC(prefix, buffer, "xor", SG_RMW_XOR), ATOMIC(prefix, buffer, "inc", SG_RMW_INC), \
	    ATOMIC(prefix, buffer, "dec", SG_RMW_DEC)

const struct sg_op sg_table_smem[] = {
	LOADS(1, ""),
	LOADS(2, "x2"),
	LOADS(4, "x4"),
	LOADS(8, "x8"),
	LOADS(16, "x16"),
	STORES(1, ""),
	STORES(2, "x2"),
	STORES(4, "x4"),
	ATOMICS("s_atomic_", 0),
	ATOMICS("s_buffer_atomic_", 1),
	{ .name = NULL },
};
