/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point formats of at most eight bits.
 *
 * gfx942's eight bits are "FNUZ": no infinity, no negative zero, and one NaN, 0x80
 * (composable_kernel, ck_tile/core/numeric/float8.hpp). gfx950's are those of the Open Compute
 * Project, and it has six and four bits, which have neither infinity nor NaN (AMD Instinct CDNA4
 * ISA guide, "BF8 / FP8 and Smaller Formats and Conversions").
 */
#ifndef SOFTGPU_SMALL_FLOAT_H
#define SOFTGPU_SMALL_FLOAT_H

#include "lanes.h"

/* The formats by the names that instructions give them. */
enum sg_small { SG_FP8, SG_BF8, SG_FP6, SG_BF6, SG_FP4 };

enum sg_small_specials {
	SG_SMALL_FINITE, /* numbers alone */
	SG_SMALL_FNUZ,   /* one NaN in the place of -0 */
	SG_SMALL_NAN,    /* all ones is NaN */
	SG_SMALL_IEEE,   /* the greatest exponent is for infinity and NaN */
};

struct sg_small_format {
	uint8_t mantissa, exponent; /* bits */
	uint8_t bias;
	uint8_t specials; /* enum sg_small_specials */
};

static inline const struct sg_small_format *sg_small_format(enum sg_small format)
{
	static const struct sg_small_format fnuz[] = {
		[SG_FP8] = { 3, 4, 8, SG_SMALL_FNUZ },
		[SG_BF8] = { 2, 5, 16, SG_SMALL_FNUZ },
	};
	static const struct sg_small_format open[] = {
		[SG_FP8] = { 3, 4, 7, SG_SMALL_NAN },    [SG_BF8] = { 2, 5, 15, SG_SMALL_IEEE },
		[SG_FP6] = { 3, 2, 1, SG_SMALL_FINITE }, [SG_BF6] = { 2, 3, 3, SG_SMALL_FINITE },
		[SG_FP4] = { 1, 2, 1, SG_SMALL_FINITE },
	};

	return softgpu_config.processor == SOFTGPU_GFX950 ? &open[format] : &fnuz[format];
}

static inline unsigned sg_small_bits(const struct sg_small_format *f)
{
	return 1u + f->exponent + f->mantissa;
}

/* Returns the code of the greatest number, without sign. */
static inline uint32_t sg_small_greatest(const struct sg_small_format *f)
{
	uint32_t ones = (1u << (f->exponent + f->mantissa)) - 1;

	switch (f->specials) {
	case SG_SMALL_NAN:
		return ones - 1;
	case SG_SMALL_IEEE:
		return ones - (1u << f->mantissa);
	default:
		return ones;
	}
}

/* Returns the value of the lowest bits of `x`; exact. A NaN has the sign of the code, except
 * FNUZ's. */
static inline double sg_small_value(uint32_t x, const struct sg_small_format *f)
{
	unsigned top = sg_small_bits(f) - 1;
	uint32_t code = x & ((1u << top) - 1), mantissa = x & ((1u << f->mantissa) - 1);
	int exponent = (int)(code >> f->mantissa);
	bool negative = x >> top & 1;
	double value = sg_double(0x7ff8000000000000u);

	if (f->specials == SG_SMALL_FNUZ && negative && !code)
		return value;
	if (f->specials == SG_SMALL_IEEE && code == sg_small_greatest(f) + 1)
		value = sg_double(0x7ff0000000000000u);
	else if (code <= sg_small_greatest(f))
		value = __builtin_ldexp(exponent ? mantissa | 1u << f->mantissa : mantissa,
					(exponent ? exponent : 1) - f->bias - f->mantissa);
	return negative ? sg_double(sg_bits64(value) | (uint64_t)1 << 63) : value;
}

/* The rounding of numbers that do not fit into the mantissa. */
struct sg_small_rounding {
	enum { SG_SMALL_NEAREST, SG_SMALL_CUT, SG_SMALL_STOCHASTIC } how; /* ties to even */
	/* Stochastic: the upper bits of `random` are added to as many bits as a source of
	 * `mantissa` bits has more than the result; what is below these is cut off first. */
	unsigned mantissa;
	uint32_t random;
};

/* Returns the code of NaN or infinity, or of a number beyond the greatest. */
static inline uint32_t sg_small_special(double x, const struct sg_small_format *f, bool saturate)
{
	uint32_t ones = (1u << (f->exponent + f->mantissa)) - 1;
	uint32_t sign = sg_bits64(x) >> 63 ? ones + 1 : 0;

	if (f->specials == SG_SMALL_FINITE || (x == x && saturate))
		return sign | sg_small_greatest(f);
	if (f->specials == SG_SMALL_FNUZ)
		return ones + 1;
	if (f->specials == SG_SMALL_NAN)
		return sign | ones;
	return sign | (x == x ? sg_small_greatest(f) + 1 : ones - 1);
}

/*
 * Returns the code of `x` in the format. A number beyond the greatest, infinity too, becomes the
 * greatest number with `saturate` and in formats without special values, otherwise infinity, or NaN
 * in a format without infinity. NaN becomes the greatest number in formats without it (HIP 7.2,
 * amd_hip_ocp_host.hpp, which also has that NaN in bf8 is 0x7e).
 */
static inline uint32_t sg_small_code(double x, const struct sg_small_format *f, bool saturate,
				     const struct sg_small_rounding *rounding)
{
	double size = __builtin_fabs(x), steps;
	int exponent, least = 1 - f->bias;
	uint32_t sign = sg_bits64(x) >> 63 ? 1u << (f->exponent + f->mantissa) : 0, code;

	if (size - size != 0)
		return sg_small_special(x, f, saturate);
	if (size == 0)
		return f->specials == SG_SMALL_FNUZ ? 0 : sign;
	exponent = __builtin_ilogb(size);
	if (exponent > f->bias + 2)
		return sg_small_special(x, f, saturate);
	if (exponent < least)
		exponent = least;
	steps = __builtin_ldexp(size, f->mantissa - exponent);
	if (rounding->how == SG_SMALL_NEAREST) {
		steps = roundeven(steps);
	} else if (rounding->how == SG_SMALL_STOCHASTIC) {
		int cut = (int)rounding->mantissa - f->mantissa;

		steps =
		    __builtin_floor(__builtin_ldexp(steps, cut)) + (rounding->random >> (32 - cut));
		steps = __builtin_ldexp(steps, -cut);
	}
	/* The leading one is there for a normal value, and counts as one step of the exponent. */
	code = (uint32_t)steps + ((uint32_t)(exponent - least) << f->mantissa);
	if (code > sg_small_greatest(f))
		return sg_small_special(x, f, saturate);
	return code || f->specials != SG_SMALL_FNUZ ? sign | code : 0;
}

/* Returns the value of the low eight bits of `x` as f32; exact. */
static inline float sg_fp8_to_float(uint32_t x, enum sg_small format)
{
	return (float)sg_small_value(x, sg_small_format(format));
}

#endif
