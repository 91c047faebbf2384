/* SPDX-License-Identifier: Apache-2.0 */
/* gfx950's formats of eight, six and four bits by their definition (Open Compute Project, OFP8 and
 * MX). */
#ifndef SOFTGPU_SMALL_H
#define SOFTGPU_SMALL_H

#include <math.h>

struct format {
	const char *name;
	int mantissa, exponent, bias;
	unsigned greatest; // code
	enum { NUMBERS, NAN_ONLY, IEEE } specials;

	int bits() const
	{
		return 1 + exponent + mantissa;
	}
};
static const format fp8 = { "fp8", 3, 4, 7, 0x7e, format::NAN_ONLY },
		    bf8 = { "bf8", 2, 5, 15, 0x7b, format::IEEE },
		    fp6 = { "fp6", 3, 2, 1, 0x1f, format::NUMBERS },
		    bf6 = { "bf6", 2, 3, 3, 0x1f, format::NUMBERS },
		    fp4 = { "fp4", 1, 2, 1, 7, format::NUMBERS };

static double value_of(unsigned code, const format &f)
{
	unsigned size = code & ((1u << (f.bits() - 1)) - 1), low = size & ((1u << f.mantissa) - 1);
	int exponent = (int)(size >> f.mantissa);
	double x = exponent ? ldexp(1 + ldexp(low, -f.mantissa), exponent - f.bias)
			    : ldexp(low, 1 - f.bias - f.mantissa);

	if (size > f.greatest)
		x = f.specials == format::IEEE && size == f.greatest + 1 ? INFINITY : NAN;
	return code >> (f.bits() - 1) & 1 ? -x : x;
}

/* N registers of a lane, for assembly. */
template <int N> struct vec {
	typedef unsigned type __attribute__((ext_vector_type(N)));
	static __device__ void load(type &v, const unsigned *p)
	{
		for (int i = 0; i < N; i++)
			v[i] = p[i];
	}
	static __device__ void store(const type &v, unsigned *p)
	{
		for (int i = 0; i < N; i++)
			p[i] = v[i];
	}
};
template <> struct vec<1> {
	typedef unsigned type;
	static __device__ void load(type &v, const unsigned *p)
	{
		v = *p;
	}
	static __device__ void store(type v, unsigned *p)
	{
		*p = v;
	}
};

#endif
