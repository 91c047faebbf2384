// SPDX-License-Identifier: Apache-2.0
// gfx950's conversions to and from eight, six and four bits, with scales, against the formats' definitions: all codes, all f16
// and bf16 values, and f32 values, their neighbours and middles. Stochastic rounding against AMD's model in HIP's own header.
#include <hip/hip_ext_ocp.h>
#include "program.h"
#include "small.h"

// The code nearest to x, the even one of two; beyond the greatest number by half a step or more what the format has there.
static unsigned nearest(double x, const format &f)
{
	unsigned sign = signbit(x) ? 1u << (f.bits() - 1) : 0, best = 0;
	double size = fabs(x), greatest = value_of(f.greatest, f), step = greatest - value_of(f.greatest - 1, f);

	if (x != x)
		return f.specials == format::NUMBERS ? sign | f.greatest : 0x100;
	if (size > greatest + step / 2 || (size == greatest + step / 2 && (f.greatest & 1 || f.specials == format::NUMBERS))) {
		if (f.specials == format::NUMBERS)
			return sign | f.greatest;
		return f.specials == format::IEEE ? sign | (f.greatest + 1) : 0x100;
	}
	for (unsigned c = 1; c <= f.greatest; c++) {
		double d = fabs(value_of(c, f) - size), b = fabs(value_of(best, f) - size);

		if (d < b || (d == b && !(c & 1)))
			best = c;
	}
	return sign | best;
}

// 0x100 stands for any NaN.
static bool same_code(unsigned got, unsigned want, const format &f)
{
	return want == 0x100 ? value_of(got, f) != value_of(got, f) : got == want;
}

enum wide { W_f32, W_f16, W_bf16 };

static double from_wide(unsigned x, wide w)
{
	float f;
	_Float16 h;
	unsigned short u = (unsigned short)x;

	if (w == W_f16) {
		memcpy(&h, &u, 2);
		return (double)h;
	}
	x = w == W_bf16 ? x << 16 : x;
	memcpy(&f, &x, 4);
	return f;
}

// Is `got` the nearest to x that the type has? By its neighbours, for bf16; the host's own conversions otherwise.
static bool same_wide(unsigned got, double x, wide w)
{
	double g = from_wide(got, w);
	float f = (float)x;
	_Float16 h = (_Float16)x;
	unsigned u = 0;

	if (x != x)
		return g != g;
	if (signbit(g) != signbit(x))
		return false;
	if (w == W_f32)
		return memcmp(&f, &got, 4) == 0;
	if (w == W_f16) {
		memcpy(&u, &h, 2);
		return got == u;
	}
	double low = from_wide(got - ((got & 0x7fff) != 0), w), high = from_wide(got + 1, w), d = fabs(fabs(g) - fabs(x));
	if (isinf(x) || isinf(g))
		return isinf(g) && fabs(x) >= 3.3961775292304597e38; // the greatest number and half a step
	if (isinf(high))
		high = 3.402823669209385e38 * 2;
	return (d < fabs(fabs(low) - fabs(x)) || low == g || (d == fabs(fabs(low) - fabs(x)) && !(got & 1))) &&
	       (d < fabs(fabs(high) - fabs(x)) || (d == fabs(fabs(high) - fabs(x)) && !(got & 1)));
}

// ---- kernels: each lane has S words, a scale and a random number, and gets D words that were 0x5a5a5a5a ----

#define SAME_DESTINATION 0x5a5a5a5au
// Operands: %0 result, %1 source, %2 scale, %3 random number, %4 second source.
#define KERNEL(id, text, S, D, ...)                                                                                        \
	__global__ void id(const unsigned *in, const unsigned *second, const unsigned *scale, const unsigned *random, unsigned *out) \
	{                                                                                                                  \
		unsigned i = blockIdx.x * 64 + threadIdx.x;                                                                \
		vec<S>::type s, t;                                                                                         \
		vec<D>::type d;                                                                                            \
		vec<S>::load(s, in + S * i);                                                                               \
		vec<S>::load(t, second + S * i);                                                                           \
		vec<D>::load(d, out + D * i);                                                                              \
		asm volatile("v_cvt_scalef32_" text : "+&v"(d) : "v"(s), "v"(scale[i]), "v"(random[i]), "v"(t));            \
		vec<D>::store(d, out + D * i);                                                                             \
	}
typedef void (*kernel)(const unsigned *, const unsigned *, const unsigned *, const unsigned *, unsigned *);

// X(id, text, words of the source, of the result, format, wide type, elements, bit where the source starts, the result)
#define BYTES1(X, wide, f)                                                          \
	X(wide##_##f##_0, #wide "_" #f " %0, %1, %2", 1, 1, f, wide, 1, 0, 0)                  \
	X(wide##_##f##_1, #wide "_" #f " %0, %1, %2 op_sel:[1,0,0]", 1, 1, f, wide, 1, 8, 0)   \
	X(wide##_##f##_2, #wide "_" #f " %0, %1, %2 op_sel:[0,1,0]", 1, 1, f, wide, 1, 16, 0)  \
	X(wide##_##f##_3, #wide "_" #f " %0, %1, %2 op_sel:[1,1,0]", 1, 1, f, wide, 1, 24, 0)
#define PAIR8(X, wide, f, D)                                                                 \
	X(pk_##wide##_##f##_0, "pk_" #wide "_" #f " %0, %1, %2", 1, D, f, wide, 2, 0, 0)     \
	X(pk_##wide##_##f##_1, "pk_" #wide "_" #f " %0, %1, %2 op_sel:[1,0,0]", 1, D, f, wide, 2, 16, 0)
#define PAIR4(X, wide, D)                                                                    \
	X(pk_##wide##_fp4_0, "pk_" #wide "_fp4 %0, %1, %2", 1, D, fp4, wide, 2, 0, 0)        \
	X(pk_##wide##_fp4_1, "pk_" #wide "_fp4 %0, %1, %2 op_sel:[1,0,0]", 1, D, fp4, wide, 2, 8, 0)  \
	X(pk_##wide##_fp4_2, "pk_" #wide "_fp4 %0, %1, %2 op_sel:[0,1,0]", 1, D, fp4, wide, 2, 16, 0) \
	X(pk_##wide##_fp4_3, "pk_" #wide "_fp4 %0, %1, %2 op_sel:[1,1,0]", 1, D, fp4, wide, 2, 24, 0)
#define MANY(X, wide, f, D) X(pk32_##wide##_##f, "pk32_" #wide "_" #f " %0, %1, %2", 6, D, f, wide, 32, 0, 0)
#define WIDENINGS(X)                                                                                       \
	BYTES1(X, f32, fp8) BYTES1(X, f32, bf8) BYTES1(X, f16, fp8) BYTES1(X, f16, bf8)                    \
	X(f16_fp8_high, "f16_fp8 %0, %1, %2 op_sel:[1,1,1]", 1, 1, fp8, f16, 1, 24, 16)                    \
	X(f16_bf8_high, "f16_bf8 %0, %1, %2 op_sel:[0,0,1]", 1, 1, bf8, f16, 1, 0, 16)                     \
	PAIR8(X, f32, fp8, 2) PAIR8(X, f32, bf8, 2) PAIR8(X, f16, fp8, 1) PAIR8(X, f16, bf8, 1)            \
	PAIR8(X, bf16, fp8, 1) PAIR8(X, bf16, bf8, 1) PAIR4(X, f32, 2) PAIR4(X, f16, 1) PAIR4(X, bf16, 1)  \
	MANY(X, f32, fp6, 32) MANY(X, f16, fp6, 16) MANY(X, bf16, fp6, 16)                                 \
	MANY(X, f32, bf6, 32) MANY(X, f16, bf6, 16) MANY(X, bf16, bf6, 16)
#define TO8(X, wide, f, args)                                                                      \
	X(pk_##f##_##wide##_0, "pk_" #f "_" #wide " %0, " args, 1, 1, f, wide, 2, 0, 0)            \
	X(pk_##f##_##wide##_1, "pk_" #f "_" #wide " %0, " args HIGH_##wide, 1, 1, f, wide, 2, 0, 16)
#define HIGH_f32  " op_sel:[0,0,0,1]"
#define HIGH_f16  " op_sel:[0,0,1]"
#define HIGH_bf16 " op_sel:[0,0,1]"
#define NARROWINGS(X)                                                                              \
	TO8(X, f32, fp8, "%1, %4, %2") TO8(X, f16, fp8, "%1, %2") TO8(X, bf16, fp8, "%1, %2")      \
	TO8(X, f32, bf8, "%1, %4, %2") TO8(X, f16, bf8, "%1, %2") TO8(X, bf16, bf8, "%1, %2")      \
	X(pk_fp4_f32_0, "pk_fp4_f32 %0, %1, %4, %2", 1, 1, fp4, f32, 2, 0, 0)                      \
	X(pk_fp4_f32_3, "pk_fp4_f32 %0, %1, %4, %2 op_sel:[0,0,1,1]", 1, 1, fp4, f32, 2, 0, 24)    \
	X(pk_fp4_f16_1, "pk_fp4_f16 %0, %1, %2 op_sel:[0,0,1,0]", 1, 1, fp4, f16, 2, 0, 8)         \
	X(pk_fp4_bf16_2, "pk_fp4_bf16 %0, %1, %2 op_sel:[0,0,0,1]", 1, 1, fp4, bf16, 2, 0, 16)     \
	X(pk32_fp6_f16, "pk32_fp6_f16 %0, %1, %2", 16, 6, fp6, f16, 32, 0, 0)                      \
	X(pk32_fp6_bf16, "pk32_fp6_bf16 %0, %1, %2", 16, 6, fp6, bf16, 32, 0, 0)                   \
	X(pk32_bf6_f16, "pk32_bf6_f16 %0, %1, %2", 16, 6, bf6, f16, 32, 0, 0)                      \
	X(pk32_bf6_bf16, "pk32_bf6_bf16 %0, %1, %2", 16, 6, bf6, bf16, 32, 0, 0)                   \
	X(two_fp6_f32, "2xpk16_fp6_f32 %0, %1, %4, %2", 16, 6, fp6, f32, 32, 0, 0)                 \
	X(two_bf6_f32, "2xpk16_bf6_f32 %0, %1, %4, %2", 16, 6, bf6, f32, 32, 0, 0)
#define RANDOM8(X, wide, f)                                                                                       \
	X(sr_##f##_##wide##_0, "sr_" #f "_" #wide " %0, %1, %3, %2", 1, 1, f, wide, 1, 0, 0)                      \
	X(sr_##f##_##wide##_2, "sr_" #f "_" #wide " %0, %1, %3, %2 op_sel:[0,0,0,1]", 1, 1, f, wide, 1, 0, 16)
#define RANDOM6(X, wide, S)                                                                                       \
	X(sr_pk32_fp6_##wide, "sr_pk32_fp6_" #wide " %0, %1, %3, %2", S, 6, fp6, wide, 32, 0, 0)                  \
	X(sr_pk32_bf6_##wide, "sr_pk32_bf6_" #wide " %0, %1, %3, %2", S, 6, bf6, wide, 32, 0, 0)
#define ROUNDINGS(X)                                                                                              \
	RANDOM8(X, f32, fp8) RANDOM8(X, f16, fp8) RANDOM8(X, bf16, fp8)                                           \
	RANDOM8(X, f32, bf8) RANDOM8(X, f16, bf8) RANDOM8(X, bf16, bf8)                                           \
	X(sr_pk_fp4_f32, "sr_pk_fp4_f32 %0, %1, %3, %2 op_sel:[0,0,1,0]", 2, 1, fp4, f32, 2, 0, 8)                \
	X(sr_pk_fp4_f16, "sr_pk_fp4_f16 %0, %1, %3, %2", 1, 1, fp4, f16, 2, 0, 0)                                 \
	X(sr_pk_fp4_bf16, "sr_pk_fp4_bf16 %0, %1, %3, %2 op_sel:[0,0,1,1]", 1, 1, fp4, bf16, 2, 0, 24)            \
	RANDOM6(X, f32, 32) RANDOM6(X, f16, 16) RANDOM6(X, bf16, 16)

#define K(id, text, S, D, f, w, n, from, to) KERNEL(kernel_##id, text, S, D)
WIDENINGS(K)
NARROWINGS(K)
ROUNDINGS(K)

struct row {
	const char *name;
	kernel run;
	int S, D;
	const format *f;
	wide w;
	int n, from, to;
};
#define R(id, text, S, D, f, w, n, from, to) { #id, kernel_##id, S, D, &f, W_##w, n, from, to },
static const row widenings[] = { WIDENINGS(R) };
static const row narrowings[] = { NARROWINGS(R) };
static const row roundings[] = { ROUNDINGS(R) };

// ---- running a row ----

static unsigned bits_at(const unsigned *p, int at, int count)
{
	unsigned x = 0;

	for (int i = 0; i < count; i++, at++)
		x |= (p[at / 32] >> (at % 32) & 1) << i;
	return x;
}

static void set_bits(unsigned *p, int at, int count, unsigned x)
{
	for (int i = 0; i < count; i++, at++)
		p[at / 32] = (p[at / 32] & ~(1u << (at % 32))) | (x >> i & 1) << (at % 32);
}

static const unsigned scales[] = { 0, 1, 20, 100, 118, 126, 127, 128, 131, 140, 160, 230, 254, 255 };
#define SCALES (sizeof(scales) / sizeof(*scales))

// The scale's other bits, sign and mantissa, do not count.
static unsigned scale_word(size_t lane)
{
	return scales[lane % SCALES] << 23 | (hash32((uint32_t)lane) & 0x807fffff);
}

static double scale_value(size_t lane)
{
	unsigned e = scales[lane % SCALES];

	return e == 255 ? NAN : ldexp(1, (int)e - 127);
}

struct result {
	std::vector<unsigned> words, random;
};

static result execute(const row &r, const std::vector<unsigned> &in, const std::vector<unsigned> &second)
{
	size_t lanes = in.size() / (size_t)r.S;
	std::vector<unsigned> scale(lanes), random(lanes), out(lanes * (size_t)r.D, SAME_DESTINATION);

	for (size_t i = 0; i < lanes; i++) {
		scale[i] = scale_word(i);
		random[i] = i % 5 ? hash32((uint32_t)i * 3 + 1) : i % 2 ? ~0u : 0;
	}
	device<unsigned> a(in), b(second), s(scale), x(random), d(out);
	r.run<<<(unsigned)(lanes / 64), 64>>>(a, b, s, x, d);
	return { d.get(), random };
}

static bool widening(void)
{
	for (const row &r : widenings) {
		int bits = r.f->bits();
		size_t lanes = 64 * 56; // all codes with all scales: 256 * 14
		std::vector<unsigned> in(lanes * (size_t)r.S);

		for (size_t l = 0; l < lanes; l++)
			for (int i = 0; i < r.S * 32 / bits; i++)
				set_bits(&in[l * (size_t)r.S], i * bits, bits, (unsigned)(l / SCALES + (size_t)i * 37));
		std::vector<unsigned> got = execute(r, in, in).words;
		for (size_t l = 0; l < lanes; l++) {
			const unsigned *d = &got[l * (size_t)r.D];
			int size = r.w == W_f32 ? 32 : 16;

			for (int i = 0; i < r.n; i++) {
				unsigned code = bits_at(&in[l * (size_t)r.S], r.from + i * bits, bits);
				unsigned x = bits_at(d, r.to + i * size, size);

				if (!same_wide(x, value_of(code, *r.f) * scale_value(l), r.w)) {
					printf("# %s: element %d, code %#x, scale %u: %#x (%g), expected %g\n", r.name, i, code, scales[l % SCALES], x,
					       from_wide(x, r.w), value_of(code, *r.f) * scale_value(l));
					return false;
				}
			}
			if (r.n * size < 32 && bits_at(d, 16 - r.to, 16) != (SAME_DESTINATION & 0xffff))
				return printf("# %s: the other half changed\n", r.name), false;
		}
	}
	return true;
}

// Values that lie on, beside and between those of the format, times the scale; else anything.
static unsigned input(const row &r, size_t lane, int i)
{
	uint32_t h = hash32((uint32_t)(lane * 64 + (size_t)i));
	double scale = scale_value(lane), x;
	unsigned u = 0;
	float f;

	if (r.w != W_f32 || h % 4 == 0)
		return (unsigned)(r.w == W_f32 ? hash32(h) : (uint32_t)(lane / SCALES * 32 + (uint32_t)i * 2053) & 0xffff);
	x = value_of(h >> 8 & 0xff, *r.f);
	if (h % 4 == 1)
		x = (x + value_of((h >> 8 & 0xff) + 1, *r.f)) / 2;
	f = (float)(x * (scale == scale ? scale : 1));
	if (h % 4 == 2)
		f = nextafterf(f, h & 0x100000 ? INFINITY : -INFINITY);
	memcpy(&u, &f, 4);
	return u;
}

static void make_inputs(const row &r, size_t lanes, std::vector<unsigned> *in, std::vector<unsigned> *second)
{
	int size = r.w == W_f32 ? 32 : 16, each = r.S * 32 / size;

	in->assign(lanes * (size_t)r.S, 0);
	second->assign(lanes * (size_t)r.S, 0);
	for (size_t l = 0; l < lanes; l++)
		for (int i = 0; i < each; i++) {
			set_bits(&(*in)[l * (size_t)r.S], i * size, size, input(r, l, i));
			set_bits(&(*second)[l * (size_t)r.S], i * size, size, input(r, l, i + 32));
		}
}

// Element i of what a lane converts: of two sources in turns where there are two.
static unsigned element(const row &r, const std::vector<unsigned> &in, const std::vector<unsigned> &second, size_t lane, int i)
{
	int size = r.w == W_f32 ? 32 : 16, each = r.S * 32 / size;
	bool two = each < r.n;

	return bits_at(&(two && i % 2 ? second : in)[lane * (size_t)r.S], (two ? i / 2 : i) * size, size);
}

static bool rest_kept(const row &r, const unsigned *d)
{
	for (int i = 0; i < 32 && r.n * r.f->bits() < 32; i++)
		if ((i < r.to || i >= r.to + r.n * r.f->bits()) && (d[0] >> i & 1) != (SAME_DESTINATION >> i & 1))
			return printf("# %s: other bits changed\n", r.name), false;
	return true;
}

static bool narrowing(void)
{
	for (const row &r : narrowings) {
		size_t lanes = r.n == 32 ? 64 * 500 : 64 * 1000;
		std::vector<unsigned> in, second;

		make_inputs(r, lanes, &in, &second);
		std::vector<unsigned> got = execute(r, in, second).words;
		for (size_t l = 0; l < lanes; l++) {
			const unsigned *d = &got[l * (size_t)r.D];

			for (int i = 0; i < r.n; i++) {
				double x = from_wide(element(r, in, second, l, i), r.w), scale = scale_value(l);
				unsigned code = bits_at(d, r.to + i * r.f->bits(), r.f->bits());
				unsigned want = nearest(x != x ? x : scale != scale ? copysign(NAN, x) : x / scale, *r.f);

				if (!same_code(code, want, *r.f)) {
					printf("# %s: element %d, %a, scale %u: %#x, expected %#x\n", r.name, i, x, scales[l % SCALES], code, want);
					return false;
				}
			}
			if (!rest_kept(r, d))
				return false;
		}
	}
	return true;
}

// AMD's own model of rounding with a random number; it saturates, where the instruction depends on MODE.FP16_OVFL.
template <class T> static unsigned modelled(T x, unsigned random, int scale, const format &f)
{
	using fcbx::Encoding;
	int8_t e = (int8_t)scale;

	return &f == &fp8   ? fcbx::from_float_sr<T, Encoding::E4M3Mx, true>(x, random, e)
	       : &f == &bf8 ? fcbx::from_float_sr<T, Encoding::E5M2Mx, true>(x, random, e)
	       : &f == &fp6 ? fcbx::from_float_sr<T, Encoding::E2M3, true>(x, random, e)
	       : &f == &bf6 ? fcbx::from_float_sr<T, Encoding::E3M2, true>(x, random, e)
			    : fcbx::from_float_sr<T, Encoding::E2M1, true>(x, random, e);
}

static unsigned modelled_bits(unsigned bits, wide w, unsigned random, int scale, const format &f)
{
	unsigned short u = (unsigned short)bits;
	float x;
	_Float16 h;
	__bf16 b;

	memcpy(&x, &bits, 4);
	memcpy(&h, &u, 2);
	memcpy(&b, &u, 2);
	return w == W_f32 ? modelled(x, random, scale, f) : w == W_f16 ? modelled(h, random, scale, f) : modelled(b, random, scale, f);
}

static bool rounding(void)
{
	size_t compared = 0;

	for (const row &r : roundings) {
		size_t lanes = r.n == 32 ? 64 * 200 : 64 * 1000;
		std::vector<unsigned> in, second;

		make_inputs(r, lanes, &in, &second);
		result got = execute(r, in, second);
		for (size_t l = 0; l < lanes; l++) {
			const unsigned *d = &got.words[l * (size_t)r.D];
			unsigned random = got.random[l];

			for (int i = 0; i < r.n; i++) {
				unsigned source = element(r, in, second, l, i);
				double x = from_wide(source, r.w), scale = scale_value(l), size = fabs(x / scale);
				unsigned code = bits_at(d, r.to + i * r.f->bits(), r.f->bits());
				unsigned want = modelled_bits(source, r.w, random, (int)scales[l % SCALES] - 127, *r.f);

				// The model's results beyond the greatest number and for tiny sources are not the instruction's.
				bool comparable = x == x && scale == scale && size < value_of(r.f->greatest, *r.f) && size > ldexp(1, -20);

				if (comparable && code != want) {
					printf("# %s: element %d, %a, scale %u, random %#x: %#x, modelled %#x\n", r.name, i, x, scales[l % SCALES], random,
					       code, want);
					return false;
				}
				compared += comparable;
				random = random << 1 ^ (random >> 31 ? 197 : 0);
			}
			if (!rest_kept(r, d))
				return false;
		}
	}
	printf("# %zu roundings compared\n", compared);
	return compared > 100000;
}

// ---- without scale ----

__global__ void unscaled(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * 64 + threadIdx.x, a = SAME_DESTINATION, b = SAME_DESTINATION, c, d;

	if (i >= n)
		return;
	asm volatile("v_cvt_pk_fp8_f32 %0, %1, -%1 op_sel:[0,0,1]" : "+v"(a) : "v"(in[i]));
	asm volatile("v_cvt_pk_bf8_f32 %0, %1, |%1|" : "+v"(b) : "v"(in[i]));
	asm volatile("v_cvt_f32_fp8_sdwa %0, %1 src0_sel:BYTE_1" : "=v"(c) : "v"(in[i]));
	asm volatile("v_cvt_f32_bf8 %0, %1" : "=v"(d) : "v"(in[i]));
	out[4 * i] = a;
	out[4 * i + 1] = b;
	out[4 * i + 2] = c;
	out[4 * i + 3] = d;
}

static bool plain(void)
{
	std::vector<unsigned> in(64 * 400);
	row r = { "", nullptr, 1, 1, &fp8, W_f32, 1, 0, 0 };

	for (size_t i = 0; i < in.size(); i++) {
		r.f = i & 1 ? &fp8 : &bf8;
		in[i] = i < 65536 / 4 ? (uint32_t)i * 4 + (uint32_t)i % 4 : input(r, i * SCALES + 6, 0);
	}
	device<unsigned> from(in), to(4 * in.size());
	unscaled<<<(unsigned)in.size() / 64, 64>>>(from, to, (unsigned)in.size());
	std::vector<unsigned> got = to.get();
	for (size_t i = 0; i < in.size(); i++) {
		double x = from_wide(in[i], W_f32);
		const unsigned *d = &got[4 * i];

		if (!same_code(d[0] >> 16 & 0xff, nearest(x, fp8), fp8) || !same_code(d[0] >> 24, nearest(-x, fp8), fp8) ||
		    (d[0] & 0xffff) != 0x5a5a || !same_code(d[1] & 0xff, nearest(x, bf8), bf8) ||
		    !same_code(d[1] >> 8 & 0xff, nearest(fabs(x), bf8), bf8) || d[1] >> 16 != 0x5a5a ||
		    !same_wide(d[2], value_of(in[i] >> 8 & 0xff, fp8), W_f32) || !same_wide(d[3], value_of(in[i] & 0xff, bf8), W_f32)) {
			printf("# %#x (%a): %#x %#x %#x %#x\n", in[i], x, d[0], d[1], d[2], d[3]);
			return false;
		}
	}
	return true;
}

static const program programs[] = {
	{ "widening", widening },
	{ "narrowing", narrowing },
	{ "stochastic rounding", rounding },
	{ "without scale", plain },
	{},
};
MAIN(programs)
