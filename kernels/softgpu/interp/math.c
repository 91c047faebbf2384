/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building blocks of the compiler's division, square root and trigonometric expansions.
 * V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP, V_TRIG_PREOP_F64: pseudo code of the MI200 ISA guide;
 * V_DIV_FMAS scales by 2^64 (2^128) towards the side the quotient left (CDNA3 guide's wording).
 */
#include "lanes.h"

static int exponent32(float f)
{
	return (int)(sg_bits32(f) >> 23 & 0xff);
}

static int exponent64(double f)
{
	return (int)(sg_bits64(f) >> 52 & 0x7ff);
}

static bool denormal32(float f)
{
	return f != 0 && exponent32(f) == 0;
}

static bool denormal64(double f)
{
	return f != 0 && exponent64(f) == 0;
}

/*
 * Scales `a`, with denominator `b` and numerator `c`. If 1/b and c/b are denormal, the guide's
 * pseudo code scales the (huge) denominator up, which would overflow; down is what works out.
 */
float sg_div_scale32(float a, float b, float c, uint32_t *vcc)
{
	*vcc = 0;
	if (b == 0 || c == 0)
		return sg_float(0x7fc00000u);
	if (exponent32(c) - exponent32(b) >= 96) {
		*vcc = 1;
		return a == b ? ldexpf(a, 64) : a;
	}
	if (denormal32(b))
		return ldexpf(a, 64);
	if (denormal32(1.0f / b) && denormal32(c / b)) {
		*vcc = 1;
		return a == b ? ldexpf(a, -64) : a;
	}
	if (denormal32(1.0f / b))
		return ldexpf(a, -64);
	if (denormal32(c / b)) {
		*vcc = 1;
		return a == c ? ldexpf(a, 64) : a;
	}
	if (exponent32(c) <= 23)
		return ldexpf(a, 64);
	return a;
}

double sg_div_scale64(double a, double b, double c, uint32_t *vcc)
{
	*vcc = 0;
	if (b == 0 || c == 0)
		return sg_double(0x7ff8000000000000u);
	if (exponent64(c) - exponent64(b) >= 768) {
		*vcc = 1;
		return a == b ? ldexp(a, 128) : a;
	}
	if (denormal64(b))
		return ldexp(a, 128);
	if (denormal64(1.0 / b) && denormal64(c / b)) {
		*vcc = 1;
		return a == b ? ldexp(a, -128) : a;
	}
	if (denormal64(1.0 / b))
		return ldexp(a, -128);
	if (denormal64(c / b)) {
		*vcc = 1;
		return a == c ? ldexp(a, 128) : a;
	}
	if (exponent64(c) <= 53)
		return ldexp(a, 128);
	return a;
}

/* The scaled result is rounded once: sums are rounded to odd in the wider type first. */
float sg_div_fmas32(float a, float b, float c, uint32_t vcc)
{
	double p, s, bb, err;
	uint64_t u;

	if (!vcc)
		return sg_fma32(a, b, c);
	p = (double)a * (double)b;
	s = p + (double)c;
	if (s != s || isinf(s))
		return (float)s;
	bb = s - p;
	err = (p - (s - bb)) + ((double)c - bb);
	u = sg_bits64(s);
	if (err != 0 && !(u & 1))
		u += (err > 0) == (s > 0) ? 1u : (uint64_t)-1;
	return (float)ldexp(sg_double(u), exponent32(c) > 127 ? 64 : -64);
}

double sg_div_fmas64(double a, double b, double c, uint32_t vcc)
{
	__float128 p, s, bb, err;
	unsigned __int128 u;
	int i;

	if (!vcc)
		return sg_fma64(a, b, c);
	p = (__float128)a * (__float128)b;
	s = p + (__float128)c;
	if (s != s || isinf((double)s))
		return (double)s;
	bb = s - p;
	err = (p - (s - bb)) + ((__float128)c - bb);
	memcpy(&u, &s, sizeof(u));
	if (err != 0 && !(u & 1))
		u = (err > 0) == (s > 0) ? u + 1 : u - 1;
	memcpy(&s, &u, sizeof(u));
	for (i = 0; i < 2; i++)
		s *= exponent64(c) > 1023 ? 0x1p64 : 0x1p-64;
	return (double)s;
}

/*
 * Corrects quotient `a` of denominator `b` and numerator `c`. A quotient that overflowed on the way
 * arrives as infinity or NaN; where the guide tests the denominator's exponent for that, the
 * quotient's is meant (the denominator's infinity is handled before).
 */
float sg_div_fixup32(float a, float b, float c)
{
	bool negative = (sg_bits32(b) ^ sg_bits32(c)) >> 31;
	float r;

	if (c != c)
		return sg_quiet32(c);
	if (b != b)
		return sg_quiet32(b);
	if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
		return sg_float(0xffc00000u);
	if (b == 0 || isinf(c))
		r = INFINITY;
	else if (isinf(b) || c == 0)
		r = 0;
	else if (exponent32(c) - exponent32(b) < -150)
		r = 0;
	else if (exponent32(a) == 255)
		r = INFINITY;
	else
		r = fabsf(a);
	return negative ? -r : r;
}

double sg_div_fixup64(double a, double b, double c)
{
	bool negative = (sg_bits64(b) ^ sg_bits64(c)) >> 63;
	double r;

	if (c != c)
		return sg_quiet64(c);
	if (b != b)
		return sg_quiet64(b);
	if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
		return sg_double(0xfff8000000000000u);
	if (b == 0 || isinf(c))
		r = INFINITY;
	else if (isinf(b) || c == 0)
		r = 0;
	else if (exponent64(c) - exponent64(b) < -1075)
		r = 0;
	else if (exponent64(a) == 2047)
		r = INFINITY;
	else
		r = fabs(a);
	return negative ? -r : r;
}

float sg_div_fixup16(float a, float b, float c)
{
	bool negative = (sg_bits32(b) ^ sg_bits32(c)) >> 31;
	float r;

	if (c != c)
		return sg_quiet32(c);
	if (b != b)
		return sg_quiet32(b);
	if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
		return sg_float(0xffc00000u);
	if (b == 0 || isinf(c))
		r = INFINITY;
	else if (isinf(b) || c == 0)
		r = 0;
	else
		r = fabsf(a);
	return negative ? -r : r;
}

/* Bits 1200..0 of 2/pi as a fraction (bit 1200 is worth 1/2), most significant word first. */
static const uint32_t two_over_pi[] = {
#include "two_over_pi.def"
};

double sg_trig_preop(double a, uint32_t segment)
{
	unsigned shift = (segment & 31) * 53;
	uint64_t bits = 0;
	int exponent = exponent64(a), scale;
	unsigned i;

	if (exponent > 1077)
		shift += (unsigned)(exponent - 1077);
	for (i = 0; i < 53; i++) {
		unsigned at = shift + i;
		uint32_t bit = at < 1201 ? two_over_pi[at / 32] >> (31 - at % 32) & 1 : 0;

		bits = bits << 1 | bit;
	}
	scale = -53 - (int)shift;
	if (exponent >= 1968)
		scale += 128;
	return ldexp((double)bits, scale);
}

/* Sine and cosine take turns; beyond 256 turns the hardware gives 0 and 1 (MI200 ISA). */
float sg_sin_turns(float a)
{
	double x = a;

	if (a != a || isinf(a))
		return sg_float(0x7fc00000u);
	if (fabsf(a) > 256.0f)
		return 0.0f;
	return (float)sin((x - trunc(x)) * 6.283185307179586476925);
}

float sg_cos_turns(float a)
{
	double x = a;

	if (a != a || isinf(a))
		return sg_float(0x7fc00000u);
	if (fabsf(a) > 256.0f)
		return 1.0f;
	return (float)cos((x - trunc(x)) * 6.283185307179586476925);
}

/* Converts f32 to f16, towards zero. */
uint32_t sg_half_rtz(float a)
{
	uint32_t h = sg_float_to_half(a);

	if (a == a && fabsf(sg_half_to_float(h)) > fabsf(a))
		h--;
	return h;
}
