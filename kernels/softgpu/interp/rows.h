/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the *.def tables are written with these types of operands, flags, and functions of
 * single values. The header stands alone, so that others than the interpreter can compute by the
 * rows.
 */
#ifndef SOFTGPU_ROWS_H
#define SOFTGPU_ROWS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Types of operands: size, interpretation of constants, and which modifiers mean what. */
enum sg_type {
	SG_none,
	SG_u16,
	SG_i16,
	SG_f16,
	SG_u32,
	SG_i32,
	SG_f32,
	SG_u64,
	SG_i64,
	SG_f64,
	SG_mask, /* one bit per lane, in a scalar pair */
	SG_p16,  /* packed integer pair of 16 bit */
	SG_bf16,
	SG_ph,  /* packed pair of half floats */
	SG_pb,  /* ... of bf16 */
	SG_pf,  /* packed pair of f32, in two registers */
	SG_mix, /* f32, or half of a register as f16, by op_sel_hi */
	SG_any, /* interpreted by the instruction's own function */
};

/* Flags of rows. */
#define SG_F_COUT    0x001u /* second operand is a lane mask written (carry out) */
#define SG_F_CIN     0x002u /* last operand is a lane mask read (carry in) */
#define SG_F_VCC     0x004u /* reads VCC without naming it */
#define SG_F_ACCUM   0x008u /* destination is also the third source */
#define SG_F_CMPX    0x010u /* also writes EXEC */
#define SG_F_KEEP_HI 0x020u /* 16-bit result leaves the other half of the register alone */
#define SG_F_FLOAT   0x100u /* result depends on rounding and denormal mode */
#define SG_F_NODST   0x200u /* scalar: first operand is a source (compares) */
#define SG_F_HI      0x400u /* 16-bit result goes to the upper half */

static inline bool sg_is64(uint8_t type)
{
	return type == SG_u64 || type == SG_i64 || type == SG_f64 || type == SG_pf;
}

static inline bool sg_is16(uint8_t type)
{
	return type == SG_u16 || type == SG_i16 || type == SG_f16 || type == SG_bf16;
}

/* Returns true if the type is two halves in one register. */
static inline bool sg_is_pair(uint8_t type)
{
	return type == SG_p16 || type == SG_ph || type == SG_pb;
}

static inline uint32_t sg_bits32(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

static inline float sg_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static inline uint64_t sg_bits64(double f)
{
	uint64_t u;

	memcpy(&u, &f, 8);
	return u;
}

static inline double sg_double(uint64_t u)
{
	double f;

	memcpy(&f, &u, 8);
	return f;
}

/* Converts the half in the low 16 bits. NaN becomes quiet and keeps its payload. */
static inline float sg_half_to_float(uint32_t bits)
{
	uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
	float f;

	if (magnitude >= 0x7c00)
		return sg_float(sign | 0x7f800000u | (magnitude & 0x3ff) << 13 |
				(magnitude > 0x7c00 ? 0x400000u : 0));
	/* The exponents' biases differ by 112; the product is exact, subnormal halves too. */
	f = sg_float(magnitude << 13) * 0x1p112f;
	return sg_float(sign | sg_bits32(f));
}

/* Rounds to nearest even, once; overflow becomes infinity. NaN keeps the top of its payload. */
static inline uint32_t sg_double_to_half(double value)
{
	uint64_t bits = sg_bits64(value), mantissa = bits & 0xfffffffffffffull, half;
	uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023, dropped = 42;

	if (value != value)
		return sign | 0x7e00 | (uint32_t)(mantissa >> 42);
	if (exponent > 15)
		return sign | 0x7c00;
	if (exponent >= -14) {
		mantissa |= (uint64_t)(exponent + 15) << 52;
	} else { /* a subnormal half counts units of 2^-24 */
		mantissa |= 1ull << 52;
		dropped = exponent < -25 ? 63 : 28 - exponent;
	}
	half = mantissa >> dropped;
	mantissa &= (1ull << dropped) - 1;
	if (mantissa > 1ull << (dropped - 1) || (mantissa == 1ull << (dropped - 1) && half & 1))
		half++;
	return sign | (uint32_t)half;
}

static inline uint32_t sg_float_to_half(float value)
{
	return sg_double_to_half((double)value);
}

static inline float sg_brain_to_float(uint32_t bits)
{
	return sg_float(bits << 16);
}

/* bf16, to nearest even; NaN stays one, quiet. */
static inline uint32_t sg_float_to_brain(float f)
{
	uint32_t bits = sg_bits32(f);

	return f != f ? (bits >> 16 | 0x40) & 0xffff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* AMD's default NaN is positive, x86's negative. */
static inline float sg_nan32(float r, bool operand_nan)
{
	return r != r && !operand_nan ? sg_float(0x7fc00000u) : r;
}

static inline double sg_nan64(double r, bool operand_nan)
{
	return r != r && !operand_nan ? sg_double(0x7ff8000000000000u) : r;
}

static inline bool sg_signaling32(float f)
{
	return f != f && !(sg_bits32(f) & 0x400000u);
}

static inline float sg_quiet32(float f)
{
	return sg_float(sg_bits32(f) | 0x400000u);
}

static inline bool sg_signaling64(double f)
{
	return f != f && !(sg_bits64(f) & 0x8000000000000u);
}

static inline double sg_quiet64(double f)
{
	return sg_double(sg_bits64(f) | 0x8000000000000u);
}

/* Returns `r`, or for a NaN the first NaN of the operands, made quiet, whatever the compiler makes
 * of the operation. */
static inline float sg_pass32(float r, float a, float b, float c)
{
	float nan = c != c ? sg_quiet32(c) : sg_float(0x7fc00000u);

	nan = b != b ? sg_quiet32(b) : nan;
	nan = a != a ? sg_quiet32(a) : nan;
	return r != r ? nan : r;
}

static inline double sg_pass64(double r, double a, double b, double c)
{
	double nan = c != c ? sg_quiet64(c) : sg_double(0x7ff8000000000000u);

	nan = b != b ? sg_quiet64(b) : nan;
	nan = a != a ? sg_quiet64(a) : nan;
	return r != r ? nan : r;
}

static inline float sg_fma32(float a, float b, float c)
{
	return sg_pass32(__builtin_fmaf(a, b, c), a, b, c);
}

static inline double sg_fma64(double a, double b, double c)
{
	return sg_pass64(__builtin_fma(a, b, c), a, b, c);
}

/*
 * a * b + c of half floats, rounded once: the product is exact in double, and the sum is
 * rounded to odd there, so the narrowing cannot round a second time.
 */
static inline double sg_fma16(float a, float b, float c)
{
	double p = (double)a * (double)b, s = p + (double)c;
	double bb = s - p, err = (p - (s - bb)) + ((double)c - bb);
	uint64_t u = sg_bits64(s);

	if (err != 0 && s == s && !isinf(s) && !(u & 1))
		u += (err > 0) == (s > 0) ? 1u : (uint64_t)-1;
	return sg_double(u);
}

static inline float sg_flush32(float f)
{
	uint32_t u = sg_bits32(f);

	return u & 0x7f800000u ? f : sg_float(u & 0x80000000u);
}

static inline float sg_mad32(float a, float b, float c)
{
	float p = sg_flush32(sg_flush32(a) * sg_flush32(b));

	return sg_nan32(sg_flush32(p + sg_flush32(c)), a != a || b != b || c != c);
}

/* Minimum and maximum as in IEEE mode: a signaling NaN wins, a quiet one loses; -0 < +0. */
static inline float sg_min32(float a, float b)
{
	float r = a < b || (a == b && (sg_bits32(a) >> 31)) ? a : b;

	r = b != b ? (sg_signaling32(b) || a != a ? sg_quiet32(b) : a) : r;
	return a != a && (sg_signaling32(a) || b == b) ? (sg_signaling32(a) ? sg_quiet32(a) : b)
						       : r;
}

static inline float sg_max32(float a, float b)
{
	float r = a > b || (a == b && !(sg_bits32(a) >> 31)) ? a : b;

	r = b != b ? (sg_signaling32(b) || a != a ? sg_quiet32(b) : a) : r;
	return a != a && (sg_signaling32(a) || b == b) ? (sg_signaling32(a) ? sg_quiet32(a) : b)
						       : r;
}

static inline double sg_min64(double a, double b)
{
	double r = a < b || (a == b && (sg_bits64(a) >> 63)) ? a : b;

	r = b != b ? (sg_signaling64(b) || a != a ? sg_quiet64(b) : a) : r;
	return a != a && (sg_signaling64(a) || b == b) ? (sg_signaling64(a) ? sg_quiet64(a) : b)
						       : r;
}

static inline double sg_max64(double a, double b)
{
	double r = a > b || (a == b && !(sg_bits64(a) >> 63)) ? a : b;

	r = b != b ? (sg_signaling64(b) || a != a ? sg_quiet64(b) : a) : r;
	return a != a && (sg_signaling64(a) || b == b) ? (sg_signaling64(a) ? sg_quiet64(a) : b)
						       : r;
}

/* IEEE 754-2019 minimum and maximum: NaN wins, -0 is below 0. */
static inline float sg_minimum32(float a, float b)
{
	float r = a < b || (a == b && (sg_bits32(a) >> 31)) ? a : b;

	return a != a ? sg_quiet32(a) : b != b ? sg_quiet32(b) : r;
}

static inline float sg_maximum32(float a, float b)
{
	float r = a > b || (a == b && !(sg_bits32(a) >> 31)) ? a : b;

	return a != a ? sg_quiet32(a) : b != b ? sg_quiet32(b) : r;
}

static inline float sg_med3(float a, float b, float c)
{
	if (a != a || b != b || c != c)
		return sg_min32(sg_min32(a, b), c);
	return sg_max32(sg_min32(a, b), sg_min32(sg_max32(a, b), c));
}

/* Conversions to integer saturate, NaN gives 0 (MI200 ISA, V_CVT_*). */
static inline int32_t sg_to_i32(double f)
{
	if (f != f)
		return 0;
	return f <= -2147483648.0 ? INT32_MIN : f >= 2147483647.0 ? INT32_MAX : (int32_t)f;
}

static inline uint32_t sg_to_u32(double f)
{
	return f > 0 ? (f >= 4294967295.0 ? UINT32_MAX : (uint32_t)f) : 0;
}

static inline int32_t sg_to_i16(float f)
{
	if (f != f)
		return 0;
	return f <= -32768.0f ? -32768 : f >= 32767.0f ? 32767 : (int32_t)f;
}

static inline uint32_t sg_to_u16(float f)
{
	return f > 0 ? (f >= 65535.0f ? 65535u : (uint32_t)f) : 0;
}

/* Normalized 16-bit integer of `x`, which is held in [least, 1], to the nearest; NaN gives 0. */
static inline int32_t sg_norm16(double x, double least, double scale)
{
	if (x != x)
		return 0;
	return (int32_t)roundeven((x < least ? least : x > 1 ? 1 : x) * scale);
}

/* V_CUBE*: the axis with the greatest magnitude: 2 is z, which wins over y (1), that over x (0). */
static inline int sg_cube_axis(float x, float y, float z)
{
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);

	return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
}

/* V_CMP_CLASS: returns the bit number of a value's class (MI200 ISA: sNaN, qNaN, -inf, -norm, ...).
 */
static inline uint32_t sg_class(bool negative, uint64_t exponent, uint64_t exponent_max,
				uint64_t mantissa, uint64_t quiet_bit)
{
	if (exponent == exponent_max) {
		if (mantissa)
			return mantissa & quiet_bit ? 2 : 1;
		return negative ? 1u << 2 : 1u << 9;
	}
	if (exponent)
		return negative ? 1u << 3 : 1u << 8;
	if (mantissa)
		return negative ? 1u << 4 : 1u << 7;
	return negative ? 1u << 5 : 1u << 6;
}

static inline uint32_t sg_class32(uint32_t u)
{
	return sg_class(u >> 31, u >> 23 & 0xff, 0xff, u & 0x7fffff, 0x400000);
}

static inline uint32_t sg_class64(uint64_t u)
{
	return sg_class(u >> 63, u >> 52 & 0x7ff, 0x7ff, u & 0xfffffffffffffu, 0x8000000000000u);
}

static inline uint32_t sg_class16(uint32_t u)
{
	return sg_class(u >> 15 & 1, u >> 10 & 0x1f, 0x1f, u & 0x3ff, 0x200);
}

static inline uint32_t sg_bitrev(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(x);
}

/* Returns the first bit that differs from the sign, counted from the top; -1 if none does. */
static inline uint32_t sg_ffbh_i32(uint32_t x)
{
	uint32_t y = x ^ (uint32_t)((int32_t)x >> 31);

	return y ? (uint32_t)__builtin_clz(y) : 0xffffffffu;
}

static inline uint32_t sg_sad_u8(uint32_t a, uint32_t b, bool masked)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < 32; i += 8) {
		int32_t d = (int32_t)(a >> i & 0xff) - (int32_t)(b >> i & 0xff);

		if (!masked || (b >> i & 0xff))
			sum += (uint32_t)(d < 0 ? -d : d);
	}
	return sum;
}

/* V_PRNG_B32: returns the random number after `x` (CDNA4 ISA guide). */
static inline uint32_t sg_prng(uint32_t x)
{
	return x << 1 ^ (x >> 31 ? 197 : 0);
}

/* V_PERM_B32: returns bytes of {a, b} chosen by a selector; 8..11 replicate signs, 12 is 0, from 13
 * on 0xff. */
static inline uint32_t sg_perm(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t data = (uint64_t)a << 32 | b;
	uint32_t r = 0;
	int i;

	for (i = 0; i < 32; i += 8) {
		uint32_t s = selector >> i & 0xff, byte;

		if (s >= 13)
			byte = 0xff;
		else if (s == 12)
			byte = 0;
		else if (s >= 8)
			byte = data >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
		else
			byte = (uint32_t)(data >> (8 * s)) & 0xff;
		r |= byte << i;
	}
	return r;
}

#endif
