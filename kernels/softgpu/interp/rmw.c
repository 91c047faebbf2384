/* SPDX-License-Identifier: Apache-2.0 */
/* Read-modify-write on host memory. The CPU may touch the same words, so these are real atomics. */
#include "lanes.h"
#include "rmw.h"

static float flushed(float f, bool flush)
{
	return flush && f != 0 && !(sg_bits32(f) & 0x7f800000u)
		   ? sg_float(sg_bits32(f) & 0x80000000u)
		   : f;
}

static uint32_t add_halves(uint32_t a, uint32_t b)
{
	uint32_t lo = sg_float_to_half(sg_half_to_float(a) + sg_half_to_float(b));
	uint32_t hi = sg_float_to_half(sg_half_to_float(a >> 16) + sg_half_to_float(b >> 16));

	return lo | hi << 16;
}

/* Converts to bf16: the upper half of an f32, rounded to nearest even. */
static uint32_t float_to_brain(float f)
{
	uint32_t bits = sg_bits32(f);

	return f != f ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t add_brain_halves(uint32_t a, uint32_t b)
{
	uint32_t lo = float_to_brain(sg_float(a << 16) + sg_float(b << 16));
	uint32_t hi = float_to_brain(sg_float(a & 0xffff0000u) + sg_float(b & 0xffff0000u));

	return lo | hi << 16;
}

static uint32_t result32(enum sg_rmw op, uint32_t old, uint32_t data, uint32_t other, bool flush)
{
	switch (op) {
	case SG_RMW_ADD:
		return old + data;
	case SG_RMW_SWAP:
		return data;
	case SG_RMW_CMPSWAP:
		return old == other ? data : old;
	case SG_RMW_SUB:
		return old - data;
	case SG_RMW_SMIN:
		return (int32_t)data < (int32_t)old ? data : old;
	case SG_RMW_UMIN:
		return data < old ? data : old;
	case SG_RMW_SMAX:
		return (int32_t)data > (int32_t)old ? data : old;
	case SG_RMW_UMAX:
		return data > old ? data : old;
	case SG_RMW_AND:
		return old & data;
	case SG_RMW_OR:
		return old | data;
	case SG_RMW_XOR:
		return old ^ data;
	case SG_RMW_INC:
		return old >= data ? 0 : old + 1;
	case SG_RMW_DEC:
		return old == 0 || old > data ? data : old - 1;
	case SG_RMW_RSUB:
		return data - old;
	case SG_RMW_MSKOR:
		return (old & ~data) | other;
	case SG_RMW_WRAP:
		return old >= data ? old - data : old + other;
	case SG_RMW_FCMPSWAP:
		return sg_float(old) == sg_float(other) ? data : old;
	case SG_RMW_FADD:
		return sg_bits32(
		    flushed(flushed(sg_float(old), flush) + flushed(sg_float(data), flush), flush));
	case SG_RMW_FMIN:
		return sg_bits32(sg_min32(sg_float(old), sg_float(data)));
	case SG_RMW_FMAX:
		return sg_bits32(sg_max32(sg_float(old), sg_float(data)));
	case SG_RMW_PK_FADD:
		return add_halves(old, data);
	case SG_RMW_PK_BFADD:
		return add_brain_halves(old, data);
	}
	return old;
}

static uint64_t result64(enum sg_rmw op, uint64_t old, uint64_t data, uint64_t other)
{
	switch (op) {
	case SG_RMW_ADD:
		return old + data;
	case SG_RMW_SWAP:
		return data;
	case SG_RMW_CMPSWAP:
		return old == other ? data : old;
	case SG_RMW_SUB:
		return old - data;
	case SG_RMW_SMIN:
		return (int64_t)data < (int64_t)old ? data : old;
	case SG_RMW_UMIN:
		return data < old ? data : old;
	case SG_RMW_SMAX:
		return (int64_t)data > (int64_t)old ? data : old;
	case SG_RMW_UMAX:
		return data > old ? data : old;
	case SG_RMW_AND:
		return old & data;
	case SG_RMW_OR:
		return old | data;
	case SG_RMW_XOR:
		return old ^ data;
	case SG_RMW_INC:
		return old >= data ? 0 : old + 1;
	case SG_RMW_DEC:
		return old == 0 || old > data ? data : old - 1;
	case SG_RMW_RSUB:
		return data - old;
	case SG_RMW_MSKOR:
		return (old & ~data) | other;
	case SG_RMW_FCMPSWAP:
		return sg_double(old) == sg_double(other) ? data : old;
	case SG_RMW_FADD:
		return sg_bits64(sg_double(old) + sg_double(data));
	case SG_RMW_FMIN:
		return sg_bits64(sg_min64(sg_double(old), sg_double(data)));
	case SG_RMW_FMAX:
		return sg_bits64(sg_max64(sg_double(old), sg_double(data)));
	case SG_RMW_WRAP:
	case SG_RMW_PK_FADD:
	case SG_RMW_PK_BFADD:
		break;
	}
	return old;
}

uint64_t sg_rmw(enum sg_rmw op, unsigned size, uint8_t *p, uint64_t data, uint64_t other,
		bool flush)
{
	if (size == 8) {
		uint64_t *q = (uint64_t *)(void *)p, old = __atomic_load_n(q, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n(q, &old, result64(op, old, data, other), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return old;
	}
	{
		uint32_t *u = (uint32_t *)(void *)p, old = __atomic_load_n(u, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n(
		    u, &old, result32(op, old, (uint32_t)data, (uint32_t)other, flush), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return old;
	}
}
