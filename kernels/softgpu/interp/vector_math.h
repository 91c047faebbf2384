/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libm that the rows' bodies need, in a form that compilers vectorize: for
 * arguments in the ranges given only, without contraction, so that every machine gets the same
 * bits. The f32 functions compute in double to some 1e-14 and round once.
 */
#ifndef SOFTGPU_VECTOR_MATH_H
#define SOFTGPU_VECTOR_MATH_H

#include "lanes.h"

static inline uint32_t sg_exponent32(float f)
{
	return sg_bits32(f) >> 23 & 0xff;
}

static inline uint32_t sg_exponent64(double f)
{
	return (uint32_t)(sg_bits64(f) >> 52) & 0x7ff;
}

/* Returns 2^n for -1022 <= n <= 1023. */
static inline double sg_power(int32_t n)
{
	return sg_double((uint64_t)(uint32_t)(n + 1023) << 52);
}

/* Nearest integer of |x| < 2^31, as the low bits of the sum's. */
#define SG_ROUNDER 0x1.8p52

/* Returns 2^a. `a` is anything but NaN. */
static inline float sg_exp2_fast(float a)
{
	double x = a < -200.0f ? -200.0 : a > 200.0f ? 200.0 : (double)a, t = x + SG_ROUNDER;
	double f = (x - (t - SG_ROUNDER)) * 0x1.62e42fefa39efp-1, p; /* ln 2 */

	/* The exponential series. */
	p = 1.0 / 479001600;
	p = p * f + 1.0 / 39916800;
	p = p * f + 1.0 / 3628800;
	p = p * f + 1.0 / 362880;
	p = p * f + 1.0 / 40320;
	p = p * f + 1.0 / 5040;
	p = p * f + 1.0 / 720;
	p = p * f + 1.0 / 120;
	p = p * f + 1.0 / 24;
	p = p * f + 1.0 / 6;
	p = p * f + 0.5;
	p = p * f + 1.0;
	p = p * f + 1.0;
	return (float)(p * sg_double((sg_bits64(t) << 52) + (1023ull << 52)));
}

/* Returns the binary logarithm of `a`, which is positive, normal and finite. */
static inline float sg_log2_fast(float a)
{
	uint32_t u = sg_bits32(a);
	int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23; /* mantissa between sqrt(1/2) and sqrt(2) */
	double m = sg_float(u - ((uint32_t)e << 23)), s = (m - 1.0) / (m + 1.0), z = s * s, p;

	/* log m = 2 artanh s */
	p = 1.0 / 19;
	p = p * z + 1.0 / 17;
	p = p * z + 1.0 / 15;
	p = p * z + 1.0 / 13;
	p = p * z + 1.0 / 11;
	p = p * z + 1.0 / 9;
	p = p * z + 1.0 / 7;
	p = p * z + 1.0 / 5;
	p = p * z + 1.0 / 3;
	p = p * z + 1.0;
	return (float)((double)e + p * s * 0x1.71547652b82fep+1); /* 2 / ln 2 */
}

/* Sine of A turns, `quarters` ahead; |A| <= 256. */
static inline float sg_sine_fast(float a, uint32_t quarters)
{
	double x = (double)a * 4.0, t = x + SG_ROUNDER, r = x - (t - SG_ROUNDER), z, s, c, v;
	uint64_t n = sg_bits64(t) + quarters;

	r *= 0x1.921fb54442d18p+0; /* pi / 2 */
	z = r * r;
	s = -1.0 / 1307674368000.0;
	s = s * z + 1.0 / 6227020800.0;
	s = s * z - 1.0 / 39916800;
	s = s * z + 1.0 / 362880;
	s = s * z - 1.0 / 5040;
	s = s * z + 1.0 / 120;
	s = s * z - 1.0 / 6;
	s = s * z * r + r;
	c = 1.0 / 20922789888000.0;
	c = c * z - 1.0 / 87178291200.0;
	c = c * z + 1.0 / 479001600;
	c = c * z - 1.0 / 3628800;
	c = c * z + 1.0 / 40320;
	c = c * z - 1.0 / 720;
	c = c * z + 1.0 / 24;
	c = c * z - 0.5;
	c = c * z + 1.0;
	v = n & 1 ? c : s;
	return (float)(n & 2 ? -v : v);
}

/* Computes for any A and B: the product is exact, so it is rounded once. */
static inline float sg_ldexp32_fast(float a, int32_t b)
{
	return (float)((double)a * sg_power(b < -400 ? -400 : b > 400 ? 400 : b));
}

#endif
