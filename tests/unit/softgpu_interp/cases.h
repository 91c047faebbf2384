/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pure functions of 64-bit inputs, compiled for the host and for gfx90a: both must give the same
 * bits. Each takes the element's own input `x` and its neighbour's `y`.
 */
#ifndef SOFTGPU_CASES_H
#define SOFTGPU_CASES_H

#include <stdint.h>

#ifdef __HIP__
#define CASE static __device__ inline
#else
#include <math.h>
#include <string.h>
#define CASE static inline
#endif

#define CASES(X)        \
	X(arithmetic64) \
	X(arithmetic32) \
	X(divide)       \
	X(shifts)       \
	X(bits)         \
	X(bytes)        \
	X(halfwords)    \
	X(compare)      \
	X(choose)       \
	X(wide)         \
	X(convert)      \
	X(convert64)    \
	X(float32)      \
	X(float64)      \
	X(rounding)     \
	X(quotient32)   \
	X(quotient64)   \
	X(root64)       \
	X(fused)        \
	X(packed)       \
	X(half)         \
	X(exponent)     \
	X(array)        \
	X(jumps)        \
	X(recursion)    \
	X(pointers)     \
	X(saturate)     \
	X(minmax)       \
	X(structure)

CASE uint32_t bits_of(float f)
{
	union {
		float f;
		uint32_t u;
	} u = { f };

	return f != f ? 0x7fc00000u : u.u;
}

CASE uint64_t bits_of64(double f)
{
	union {
		double f;
		uint64_t u;
	} u = { f };

	return f != f ? 0x7ff8000000000000ull : u.u;
}

CASE float to_float(uint32_t x)
{
	union {
		uint32_t u;
		float f;
	} u = { x };

	return u.f;
}

CASE double to_double(uint64_t x)
{
	union {
		uint64_t u;
		double f;
	} u = { x };

	return u.f;
}

/* A finite float of moderate size, from arbitrary bits. */
CASE float moderate(uint32_t x)
{
	return to_float((x & 0x807fffffu) | ((x >> 23 & 31) + 112) << 23);
}

CASE double moderate64(uint64_t x)
{
	return to_double((x & 0x800fffffffffffffull) | ((x >> 52 & 63) + 990) << 52);
}

CASE uint64_t mix2(uint64_t a, uint64_t b)
{
	return (a ^ (b << 7 | b >> 57)) * 0x9e3779b97f4a7c15ull;
}

CASE uint64_t arithmetic64(uint64_t x, uint64_t y)
{
	return mix2(mix2(x + y, x - y), mix2(x * y, (uint64_t) - (int64_t)x));
}

/*
 * The low 24 bits. clang 21 at -O1 and above multiplies without the masks where two of these are
 * the factors of a 64-bit product (seen in its code: one v_mad_u64_u32 of the whole values), unless
 * it cannot see them.
 */
CASE uint64_t low24(uint32_t x)
{
	x &= 0xffffff;
#if defined(__AMDGCN__) && __clang_major__ >= 21
	asm("" : "+v"(x));
#endif
	return x;
}

CASE uint64_t arithmetic32(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y;
	uint64_t hi = ((uint64_t)a * b >> 32) ^ (uint64_t)((int64_t)(int32_t)a * (int32_t)b >> 32);

	return mix2(mix2(a + b, a - b), mix2(a * b + 7, hi)) + low24(a) * low24(b) + (a << 3) + b +
	       ((a + b) << 5);
}

CASE uint64_t divide(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y | 1;
	int32_t c = (int32_t)(x >> 32), d = (int32_t)(y >> 40) | 1;
	uint64_t e = y >> (x & 31) | 1;

	return mix2(mix2(a / b, a % b),
		    mix2((uint64_t)(int64_t)(c / d), (uint64_t)(int64_t)(c % d))) ^
	       mix2(x / e, x % e) ^ (uint64_t)((int64_t)x / (int64_t)(e >> 1 | 1));
}

CASE uint64_t shifts(uint64_t x, uint64_t y)
{
	uint32_t n = (uint32_t)y & 63, m = (uint32_t)y >> 8 & 31;

	return mix2(x << n, x >> n) ^ (uint64_t)((int64_t)x >> n) ^
	       mix2((uint32_t)x << m, (uint32_t)x >> m) ^ (uint64_t)(int64_t)((int32_t)x >> m) ^
	       ((x << n) | (x >> ((64 - n) & 63)));
}

CASE uint64_t bits(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x | 1, b = (uint32_t)y;
	uint64_t r = 0;

	r += (uint64_t)__builtin_popcountll(x) + (uint64_t)__builtin_popcount(b) * 3u;
	r +=
	    (uint64_t)__builtin_clz(a) * 1000u + (uint64_t)__builtin_ctz(b | 0x80000000u) * 100000u;
	r += (uint64_t)__builtin_clzll(x | 1) << 40;
	r ^= mix2((x & ~y) | (y & 0xff00ff00ff00ff00ull), ~(x ^ y));
	r ^= (a >> (b & 15)) & 0x3ff;
	r ^= (uint64_t)(int64_t)((int32_t)(a << 7) >> 20);
	r ^= ((a & b) | (~a & (uint32_t)(x >> 32))) + (uint64_t)(a ^ b ^ 0x5a5a5a5au);
	return r;
}

CASE uint64_t bytes(uint64_t x, uint64_t y)
{
	uint8_t a[8];
	uint64_t r = 0;
	int i;

	for (i = 0; i < 8; i++)
		a[i] = (uint8_t)(x >> (8 * i)) + (uint8_t)(y >> (8 * (7 - i)));
	for (i = 0; i < 8; i++)
		r = r << 8 | (uint8_t)(a[(i * 3) & 7] ^ (uint8_t)((int8_t)a[i] >> 2));
	return r ^ __builtin_bswap64(x) ^ __builtin_bswap32((uint32_t)y);
}

CASE uint64_t halfwords(uint64_t x, uint64_t y)
{
	uint16_t a = (uint16_t)x, b = (uint16_t)(x >> 16), c = (uint16_t)y, d = (uint16_t)(y >> 16);
	uint16_t e = (uint16_t)(a * b + c), f = (uint16_t)(a - d), g = (uint16_t)(a >> (d & 15));
	int16_t s = (int16_t)a, t = (int16_t)c;
	uint16_t h = (uint16_t)(s < t ? s : t), k = (uint16_t)(a > c ? a : c);
	int16_t j = (int16_t)(s >> (b & 15));

	return ((uint64_t)e << 48 | (uint64_t)f << 32 | (uint64_t)g << 16 | h) ^
	       mix2(k, (uint16_t)j) ^ (uint64_t)(int64_t)(s * t);
}

CASE uint64_t compare(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y;
	float f = to_float(a), g = to_float(b);
	double d = to_double(x), e = to_double(y);
	uint64_t r = 0;

	r = r << 1 | (x < y);
	r = r << 1 | ((int64_t)x < (int64_t)y);
	r = r << 1 | (x >= y);
	r = r << 1 | (a <= b);
	r = r << 1 | ((int32_t)a > (int32_t)b);
	r = r << 1 | (a == (b & 0xff));
	r = r << 1 | (f < g);
	r = r << 1 | !(f < g);
	r = r << 1 | (f <= g);
	r = r << 1 | (f != g);
	r = r << 1 | !(f >= g);
	r = r << 1 | (d > e);
	r = r << 1 | !(d > e);
	r = r << 1 | (d == e);
	r = r << 1 | (d != d || e != e);
	r = r << 1 | (__builtin_isinf(f) != 0);
	r = r << 1 | (__builtin_fabsf(f) < 1.0f);
	r = r << 1 | ((uint16_t)a < (uint16_t)b);
	r = r << 1 | ((int16_t)a >= (int16_t)b);
	return r;
}

CASE uint64_t choose(uint64_t x, uint64_t y)
{
	uint64_t r = x;

	if (x & 1)
		r += y;
	else if (y & 2)
		r ^= y >> 3;
	if ((x >> 8 & 3) == (y >> 8 & 3))
		return r * 3;
	while (r & 0xf0)
		r = r - 0x10 + (r >> 60);
	return r;
}

CASE uint64_t wide(uint64_t x, uint64_t y)
{
	unsigned __int128 p = (unsigned __int128)x * y;
	unsigned __int128 q = p + ((unsigned __int128)y << 64 | x);

	return (uint64_t)(q >> 64) ^ (uint64_t)q;
}

CASE uint64_t convert(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x;
	float f = moderate((uint32_t)y);
	uint64_t r = mix2(bits_of((float)a), bits_of((float)(int32_t)a));

	r ^= mix2((uint64_t)(int64_t)(int32_t)f, (uint32_t)__builtin_fabsf(f));
	r ^= mix2(bits_of((float)x), bits_of((float)(int64_t)x));
	r ^= mix2((uint64_t)(int64_t)(f * 1e6f), (uint64_t)__builtin_fabsf(f * 1e9f));
	return r ^ bits_of((float)(uint8_t)(x >> 8)) ^ bits_of((float)(int16_t)x);
}

CASE uint64_t convert64(uint64_t x, uint64_t y)
{
	double d = moderate64(y);
	uint64_t r = mix2(bits_of64((double)x), bits_of64((double)(int64_t)x));

	r ^= mix2(bits_of64((double)(uint32_t)x), bits_of64((double)(int32_t)y));
	r ^= mix2((uint64_t)(int64_t)(d / 64), (uint32_t)__builtin_fabs(d));
	r ^= mix2((uint64_t)(int64_t)(int32_t)(d / 8), (uint64_t)__builtin_fabs(d * 1e6));
	return r ^ mix2(bits_of((float)d), bits_of64((double)to_float((uint32_t)x)));
}

CASE uint64_t float32(uint64_t x, uint64_t y)
{
	float a = to_float((uint32_t)x), b = to_float((uint32_t)y);

	return mix2(mix2(bits_of(a + b), bits_of(a - b)), mix2(bits_of(a * b), bits_of(-a))) ^
	       bits_of(__builtin_fabsf(a) * 0.5f + 2.0f) ^ bits_of(a * -4.0f - __builtin_fabsf(b));
}

CASE uint64_t float64(uint64_t x, uint64_t y)
{
	double a = to_double(x), b = to_double(y);

	return mix2(mix2(bits_of64(a + b), bits_of64(a - b)), bits_of64(a * b)) ^
	       bits_of64(__builtin_fabs(a) * 0.5 + 2.0) ^ bits_of64(1.0 - a);
}

CASE uint64_t rounding(uint64_t x, uint64_t y)
{
	float a = moderate((uint32_t)x);
	double b = moderate64(y);

	return mix2(mix2(bits_of(__builtin_floorf(a)), bits_of(__builtin_ceilf(a))),
		    mix2(bits_of(__builtin_truncf(a)), bits_of(__builtin_rintf(a)))) ^
	       mix2(mix2(bits_of64(__builtin_floor(b)), bits_of64(__builtin_ceil(b))),
		    mix2(bits_of64(__builtin_trunc(b)), bits_of64(__builtin_rint(b)))) ^
	       bits_of64(__builtin_round(__builtin_fabs(b)));
}

CASE uint64_t quotient32(uint64_t x, uint64_t y)
{
	float a = to_float((uint32_t)x), b = to_float((uint32_t)y);

	return mix2(bits_of(a / b), bits_of(1.0f / moderate((uint32_t)x)));
}

CASE uint64_t quotient64(uint64_t x, uint64_t y)
{
	double a = to_double(x), b = to_double(y);

	return mix2(bits_of64(a / b), bits_of64(1.0 / moderate64(x)));
}

CASE uint64_t root64(uint64_t x, uint64_t y)
{
	double a = to_double(x & 0x7fffffffffffffffull), b = moderate64(y);

	return mix2(bits_of64(__builtin_sqrt(a)), bits_of64(__builtin_sqrt(__builtin_fabs(b))));
}

CASE uint64_t fused(uint64_t x, uint64_t y)
{
	float a = to_float((uint32_t)x), b = to_float((uint32_t)y),
	      c = to_float((uint32_t)(x >> 32));
	double d = to_double(x), e = to_double(y);

	return mix2(bits_of(__builtin_fmaf(a, b, c)), bits_of(__builtin_fmaf(-a, c, b))) ^
	       mix2(bits_of64(__builtin_fma(d, e, 1.5)), bits_of64(__builtin_fma(e, -d, d)));
}

/* Two independent f32 chains side by side: the compiler makes v_pk_* of them. */
CASE uint64_t packed(uint64_t x, uint64_t y)
{
	float a0 = moderate((uint32_t)x), a1 = moderate((uint32_t)(x >> 32));
	float b0 = moderate((uint32_t)y), b1 = moderate((uint32_t)(y >> 32));
	int i;

	for (i = 0; i < 3; i++) {
		a0 = a0 * b0;
		a1 = a1 * b1;
		b0 = a0 + b0;
		b1 = a1 + b1;
		a0 = __builtin_fmaf(a0, 0.5f, b1);
		a1 = __builtin_fmaf(a1, 0.5f, b0);
	}
	return mix2((uint64_t)bits_of(a0) << 32 | bits_of(a1),
		    (uint64_t)bits_of(b0) << 32 | bits_of(b1));
}

CASE uint64_t half_bits(_Float16 h)
{
	union {
		_Float16 h;
		uint16_t u;
	} u = { h };

	return h != h ? 0x7e00 : u.u;
}

CASE uint64_t half(uint64_t x, uint64_t y)
{
	_Float16 a = (_Float16)moderate((uint32_t)x), b = (_Float16)moderate((uint32_t)y);
	_Float16 sum = a + b, product = a * b, difference = a - b;

	return mix2(half_bits(sum) << 16 | half_bits(product), half_bits(difference)) ^
	       bits_of((float)a * (float)b) ^ (uint64_t)(a < b) << 33 ^
	       half_bits((_Float16)to_float((uint32_t)(x >> 20)));
}

CASE uint64_t exponent(uint64_t x, uint64_t y)
{
	float a = moderate((uint32_t)x);
	double b = moderate64(y);
	int n = (int)(x >> 40 & 511) - 256;

	return mix2(bits_of(ldexpf(a, n)), bits_of64(ldexp(b, n * 5)));
}

/*
 * Dynamic indexing keeps these in private memory, or in indexed vector registers. 32-bit elements:
 * for divergent writes to indexed 64-bit elements clang 15 stores both halves in the low register.
 */
CASE uint64_t array(uint64_t x, uint64_t y)
{
	uint32_t a[16], b[24];
	uint64_t r = 0;
	int i;

	for (i = 0; i < 16; i++)
		a[i] = (uint32_t)x * (uint32_t)(i + 1);
	for (i = 0; i < 24; i++)
		b[i] = (uint32_t)y + (uint32_t)i;
	for (i = 0; i < 20; i++) {
		a[(x >> i) & 15] += b[(y >> i) % 24];
		b[(x >> (i + 7)) % 24] ^= a[(y >> (2 * i)) & 15];
	}
	for (i = 0; i < 16; i++)
		r = mix2(r, a[i]);
	return r ^ b[x % 24];
}

CASE uint64_t jumps(uint64_t x, uint64_t y)
{
	uint64_t r = y;
	int i;

	for (i = 0; i < 12; i++, x >>= 3)
		switch (x & 7) {
		case 0:
			r += 3;
			break;
		case 1:
			r *= 5;
			break;
		case 2:
			r ^= r >> 11;
			break;
		case 3:
			if (r & 4)
				continue;
			r -= 77;
			break;
		case 4:
			r = ~r;
			/* fallthrough */
		case 5:
			r += x;
			break;
		default:
			if (i > 9)
				return r;
			r <<= 1;
		}
	return r;
}

#ifdef __HIP__
__device__ __attribute__((noinline))
#else
__attribute__((noinline)) static
#endif
uint64_t
descend(uint64_t x, uint32_t n)
{
	uint64_t local[4] = { x, x + n, x ^ n, x * 3 };

	if (n == 0)
		return x;
	local[n & 3] += descend(local[x & 3] >> 1, n - 1);
	return local[n & 3] ^ local[(n + 1) & 3];
}

CASE uint64_t recursion(uint64_t x, uint64_t y)
{
	return descend(x, (uint32_t)y & 7) ^ descend(y, (uint32_t)x & 3);
}

/* Generic pointers to private memory, chosen at run time: flat accesses. */
CASE uint64_t pointers(uint64_t x, uint64_t y)
{
	uint64_t a[2] = { x, y }, b[2] = { y * 3, x * 5 };
	uint64_t *volatile p = x & 1 ? a : b;
	uint8_t *q = (uint8_t *)p;

	p[y & 1] += 17;
	q[x >> 4 & 15] ^= 0x5a;
	q[y >> 4 & 15] += 3;
	return a[0] ^ a[1] * 3 ^ b[0] * 5 ^ b[1] * 7;
}

CASE uint64_t saturate(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y, s, d;
	int32_t t, u;

	s = a + b < a ? 0xffffffffu : a + b;
	d = a < b ? 0 : a - b;
	if (__builtin_add_overflow((int32_t)a, (int32_t)b, &t))
		t = 0;
	if (__builtin_sub_overflow((int32_t)a, (int32_t)b, &u))
		u = 1;
	return mix2((uint64_t)s << 32 | d, (uint64_t)(uint32_t)t << 32 | (uint32_t)u);
}

CASE uint64_t minmax(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x, b = (uint32_t)y, c = (uint32_t)(x >> 32);
	float f = to_float(a), g = to_float(b);
	int32_t lo = (int32_t)a < (int32_t)b ? (int32_t)a : (int32_t)b;
	uint32_t hi = a > b ? a : b;

	lo = lo < (int32_t)c ? lo : (int32_t)c;
	hi = hi > c ? hi : c;
	return mix2((uint32_t)lo, hi) ^ (x < y ? x : y) ^ ((int64_t)x > (int64_t)y ? x : y) ^
	       mix2(bits_of(f < g ? f : g), bits_of(f > g ? f : g));
}

struct sample {
	uint8_t tag;
	uint32_t word;
	double value;
	int16_t s[3];
};

CASE uint64_t structure(uint64_t x, uint64_t y)
{
	struct sample v[3];
	struct sample w;
	int i;

	for (i = 0; i < 3; i++) {
		v[i].tag = (uint8_t)(x >> i);
		v[i].word = (uint32_t)(y >> i);
		v[i].value = moderate64(x + (uint64_t)i);
		v[i].s[0] = (int16_t)x;
		v[i].s[1] = (int16_t)(y >> 3);
		v[i].s[2] = (int16_t)i;
	}
	w = v[x % 3];
	return mix2(w.tag, w.word) ^ bits_of64(w.value) ^ (uint64_t)(int64_t)(w.s[y % 3] * w.s[1]);
}

#endif
