/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight-bit floating-point formats of gfx942, "FNUZ": no infinity, no negative zero, and one
 * NaN, 0x80 (composable_kernel, ck_tile/core/numeric/float8.hpp). fp8 has 4 bits of exponent with
 * a bias of 8 and 3 of mantissa, bf8 5 with a bias of 16 and 2.
 */
#ifndef SOFTGPU_FP8_H
#define SOFTGPU_FP8_H

#include "lanes.h"

#define SG_FP8_NAN      0x80u
#define SG_FP8_GREATEST 0x7fu

enum sg_fp8 { SG_FP8, SG_BF8 };

static inline unsigned sg_fp8_mantissa(enum sg_fp8 format)
{
	return format == SG_FP8 ? 3 : 2;
}

static inline int sg_fp8_bias(enum sg_fp8 format)
{
	return format == SG_FP8 ? 8 : 16;
}

/* The value of the low eight bits of `x`; exact. */
static inline float sg_fp8_to_float(uint32_t x, enum sg_fp8 format)
{
	unsigned bits = sg_fp8_mantissa(format);
	uint32_t mantissa = x & ((1u << bits) - 1), exponent = (x & 0x7f) >> bits;
	float f;

	if ((x & 0xff) == SG_FP8_NAN)
		return sg_float(0x7fc00000u);
	if (exponent)
		mantissa |= 1u << bits;
	else
		exponent = 1;
	f = __builtin_ldexpf((float)mantissa, (int)exponent - sg_fp8_bias(format) - (int)bits);
	return x & 0x80 ? -f : f;
}

/*
 * The nearest value, ties to even; with `random` not NULL its upper bits are added to what is cut
 * off instead (stochastic rounding). Beyond the greatest value: NaN, or with `saturate` the
 * greatest one.
 */
static inline uint32_t sg_float_to_fp8(float f, enum sg_fp8 format, const uint32_t *random,
				       bool saturate)
{
	uint32_t bits = sg_bits32(f), sign = bits >> 24 & 0x80, code;
	unsigned kept = sg_fp8_mantissa(format), shift = 23 - kept;
	int exponent = (int)(bits >> 23 & 0xff) - 127, least = 1 - sg_fp8_bias(format);
	uint64_t mantissa = bits & 0x7fffffu;

	if (f != f)
		return SG_FP8_NAN;
	if (exponent == 128)
		return saturate ? sign | SG_FP8_GREATEST : SG_FP8_NAN;
	if (exponent < -126)
		return 0; /* f32 denormals are far below the least value of both formats */
	mantissa |= 0x800000u;
	if (random) {
		mantissa += *random >> (32 - shift);
		if (mantissa >> 24) {
			mantissa >>= 1;
			exponent++;
		}
	}
	if (exponent < least)
		shift += (unsigned)(least - exponent);
	if (shift > 25)
		return 0;
	if (!random)
		mantissa += ((uint64_t)1 << (shift - 1)) - 1 + (mantissa >> shift & 1);
	code = (uint32_t)(mantissa >> shift);
	/* The leading one is there for a normal value, and counts as one step of the exponent. */
	if (exponent >= least)
		code += (uint32_t)(exponent - least) << kept;
	if (code > SG_FP8_GREATEST)
		return saturate ? sign | SG_FP8_GREATEST : SG_FP8_NAN;
	return code ? sign | code : 0;
}

#endif
