// SPDX-License-Identifier: Apache-2.0
// Instructions that gfx950 has beyond gfx942, against host arithmetic.
#include "program.h"

static uint32_t hard(uint32_t i)
{
	static const uint32_t values[] = { 0,	       0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00001u,
					   0x3f808000u, 0x3f818000u, 0x3f807fffu, 0x00000001u, 0x7f7fffffu, 0x80000001u };

	return i % 3 ? hash32(i) : values[i / 3 % (sizeof(values) / sizeof(*values))];
}

static std::vector<unsigned> operands(unsigned seed)
{
	std::vector<unsigned> v(64 * 16);

	for (unsigned i = 0; i < v.size(); i++)
		v[i] = hard(i * 7 + seed * 1013);
	return v;
}

#define THREE(name, text)                                                                                  \
	__global__ void name(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d)         \
	{                                                                                                  \
		unsigned i = blockIdx.x * 64 + threadIdx.x, r;                                             \
		asm volatile(text : "=&v"(r) : "v"(a[i]), "v"(b[i]), "v"(c[i]));                            \
		d[i] = r;                                                                                  \
	}
THREE(majority, "v_bitop3_b32 %0, %1, %2, %3 bitop3:0xe8")
THREE(odd, "v_bitop3_b32 %0, %1, %2, %3 bitop3:0x5a")
THREE(chosen, "v_bitop3_b32 %0, %1, %2, %3 bitop3:0xca")
THREE(one, "v_bitop3_b32 %0, %1, %2, %3 bitop3:0x13")
THREE(minimum, "v_minimum3_f32 %0, %1, %2, %3")
THREE(maximum, "v_maximum3_f32 %0, %1, %2, %3")
THREE(brain, "v_cvt_pk_bf16_f32 %0, %1, %2")
THREE(brain_signs, "v_cvt_pk_bf16_f32 %0, -%1, |%2|")

THREE(next_random, "v_prng_b32 %0, %1")
THREE(shifted, "v_ashr_pk_i8_i32 %0, %1, %2, %3")
THREE(shifted_unsigned, "v_ashr_pk_u8_i32 %0, %1, %2, %3")
THREE(f32_to_f16, "v_cvt_pk_f16_f32 %0, %1, %2")
THREE(minimum16, "v_pk_minimum3_f16 %0, %1, %2, %3")
THREE(maximum16, "v_pk_maximum3_f16 %0, %1, %2, %3 op_sel:[0,1,0] op_sel_hi:[1,0,1]")
THREE(dot, "v_dot2_f32_bf16 %0, %1, %2, %3")
THREE(dot_constant, "v_dot2_f32_bf16 %0, %1, 2.0, %3")
// These keep part of the result, or add to it.
THREE(dot_added, "v_mov_b32 %0, %3\n\tv_dot2c_f32_bf16 %0, %1, %2")
THREE(shifted_high, "v_mov_b32 %0, %1\n\tv_ashr_pk_i8_i32 %0, %1, %2, %3 op_sel:[0,0,0,1]")
THREE(half_bits, "v_mov_b32 %0, %1\n\tv_bitop3_b16 %0, %1, %2, %3 bitop3:0xca op_sel:[1,0,1,1]")
THREE(half_added, "v_mov_b32 %0, %1\n\tv_add_i16 %0, %2, %3 op_sel:[0,1,1]")

static float as_float(unsigned u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static unsigned as_bits(float f)
{
	unsigned u;

	memcpy(&u, &f, 4);
	return u;
}

static unsigned extreme(unsigned a, unsigned b, bool greatest)
{
	float x = as_float(a), y = as_float(b);

	if (x != x || y != y)
		return (x != x ? a : b) | 0x400000u;
	if (x == y)
		return greatest ? a & b : a | b; // equal, or zeros of both signs
	return (x < y) == greatest ? b : a;
}

// The nearest of the two neighbours, the even one of equally near ones.
static unsigned nearest(unsigned bits)
{
	double x = as_float(bits), low = as_float(bits & 0xffff0000u), high = as_float((bits & 0xffff0000u) + 0x10000u);

	if (x != x)
		return bits >> 16 | 0x40;
	if (fabs(x) > 3.3895313892515355e38) // beyond the greatest finite value
		high = copysign(3.402823669209385e38, x);
	if (fabs(x - low) == fabs(high - x))
		return (bits >> 16) + (bits >> 16 & 1);
	return (bits >> 16) + (x == x && fabs(x) <= 3.5e38 && fabs(high - x) < fabs(x - low));
}

template <class F> static bool agree(const char *name, void (*kernel)(const unsigned *, const unsigned *, const unsigned *, unsigned *), F host, unsigned mask = ~0u)
{
	std::vector<unsigned> a = operands(1), b = operands(2), c = operands(3);
	device<unsigned> da(a), db(b), dc(c), dd(a.size());

	kernel<<<(unsigned)a.size() / 64, 64>>>(da, db, dc, dd);
	std::vector<unsigned> got = dd.get();
	for (size_t i = 0; i < a.size(); i++)
		if ((got[i] ^ host(a[i], b[i], c[i])) & mask) {
			printf("# %s(%#x, %#x, %#x): %#x, expected %#x\n", name, a[i], b[i], c[i], got[i], host(a[i], b[i], c[i]));
			return false;
		}
	return true;
}

static bool bits(void)
{
	return agree("majority", majority, [](unsigned a, unsigned b, unsigned c) { return (a & b) | (a & c) | (b & c); }) &
	       agree("odd", odd, [](unsigned a, unsigned, unsigned c) { return a ^ c; }) &
	       agree("chosen", chosen, [](unsigned a, unsigned b, unsigned c) { return (a & b) | (~a & c); }) &
	       agree("one", one, [](unsigned a, unsigned b, unsigned c) {
		       unsigned d = 0;
		       for (unsigned i = 0; i < 32; i++)
			       d |= (0x13u >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
		       return d;
	       });
}

static bool extremes(void)
{
	return agree("minimum", minimum, [](unsigned a, unsigned b, unsigned c) { return extreme(extreme(a, b, false), c, false); }) &
	       agree("maximum", maximum, [](unsigned a, unsigned b, unsigned c) { return extreme(extreme(a, b, true), c, true); });
}

static bool conversion(void)
{
	return agree("brain", brain, [](unsigned a, unsigned b, unsigned) { return nearest(a) | nearest(b) << 16; }) &
	       agree("brain_signs", brain_signs, [](unsigned a, unsigned b, unsigned) {
		       return nearest(a ^ 0x80000000u) | nearest(b & 0x7fffffff) << 16;
	       });
}

static unsigned saturated(unsigned x, unsigned by, int least, int most)
{
	int n = (int)x >> (by & 31);

	return (unsigned)(n < least ? least : n > most ? most : n) & 0xff;
}

static bool shifts(void)
{
	auto low = [](unsigned a, unsigned b, unsigned c) { return saturated(a, c, -128, 127) | saturated(b, c, -128, 127) << 8; };

	return agree("random", next_random, [](unsigned a, unsigned, unsigned) { return a << 1 ^ (a >> 31 ? 197 : 0); }) &
	       agree("shifted", shifted, [&](unsigned a, unsigned b, unsigned c) { return low(a, b, c); }, 0xffff) &
	       agree("shifted_high", shifted_high, [&](unsigned a, unsigned b, unsigned c) { return (a & 0xffff) | low(a, b, c) << 16; }) &
	       agree("shifted_unsigned", shifted_unsigned, [](unsigned a, unsigned b, unsigned c) { return saturated(a, c, 0, 255) | saturated(b, c, 0, 255) << 8; }, 0xffff) &
	       agree("half_added", half_added, [](unsigned a, unsigned b, unsigned c) { return (a & 0xffff) | (b + (c >> 16)) << 16; }) &
	       agree("half_bits", half_bits, [](unsigned a, unsigned b, unsigned c) {
		       unsigned x = a >> 16, y = b, z = c >> 16;

		       return (a & 0xffff) | ((x & y) | (~x & z)) << 16;
	       });
}

static float half_value(unsigned u)
{
	unsigned short bits = (unsigned short)u;
	_Float16 h;

	memcpy(&h, &bits, 2);
	return (float)h;
}

static unsigned half_bits_of(double x)
{
	_Float16 h = (_Float16)x;
	unsigned short bits;

	memcpy(&bits, &h, 2);
	return bits;
}

static unsigned extreme16(unsigned a, unsigned b, unsigned c, bool greatest)
{
	unsigned x = extreme(extreme(as_bits(half_value(a)), as_bits(half_value(b)), greatest), as_bits(half_value(c)), greatest);

	return half_bits_of(as_float(x));
}

static double dot_of(unsigned a, unsigned b, double start)
{
	float sum = (float)start;

	sum += as_float(a << 16) * as_float(b << 16);
	return (float)(sum + as_float(a & 0xffff0000u) * as_float(b & 0xffff0000u));
}

static unsigned number(float f)
{
	return f != f ? 0x7fc00000u : as_bits(f);
}

static bool halves(void)
{
	return agree("f32_to_f16", f32_to_f16, [](unsigned a, unsigned b, unsigned) { return half_bits_of(as_float(a)) | half_bits_of(as_float(b)) << 16; }) &
	       agree("minimum16", minimum16, [](unsigned a, unsigned b, unsigned c) { return extreme16(a, b, c, false) | extreme16(a >> 16, b >> 16, c >> 16, false) << 16; }) &
	       agree("maximum16", maximum16, [](unsigned a, unsigned b, unsigned c) { return extreme16(a, b >> 16, c, true) | extreme16(a >> 16, b, c >> 16, true) << 16; }) &
	       agree("dot", dot, [](unsigned a, unsigned b, unsigned c) { return number((float)dot_of(a, b, 0) + as_float(c)); }) &
	       agree("dot_constant", dot_constant, [](unsigned a, unsigned, unsigned c) { return number((float)dot_of(a, 0x4000, 0) + as_float(c)); }) &
	       agree("dot_added", dot_added, [](unsigned a, unsigned b, unsigned c) { return number((float)dot_of(a, b, as_float(c))); });
}

__global__ void widen(unsigned *plain, unsigned *negative)
{
	unsigned x = blockIdx.x * 64 + threadIdx.x, r;

	asm volatile("v_cvt_f32_bf16 %0, %1" : "=v"(r) : "v"(x | 0xabcd0000u));
	plain[x] = r;
	asm volatile("v_cvt_f32_bf16 %0, -%1" : "=v"(r) : "v"(x));
	negative[x] = r;
}

static bool all_bf16(void)
{
	device<unsigned> plain(65536), negative(65536);

	widen<<<1024, 64>>>(plain, negative);
	std::vector<unsigned> a = plain.get(), b = negative.get();
	for (unsigned x = 0; x < 65536; x++)
		if (a[x] != x << 16 || b[x] != (x ^ 0x8000) << 16)
			return printf("# %#x: %#x, %#x\n", x, a[x], b[x]), false;
	return true;
}

__global__ void swap_rows(unsigned *p)
{
	unsigned l = threadIdx.x, a = l, b = 100 + l, c = l, d = 100 + l;

	asm volatile("v_permlane16_swap_b32 %0, %1\n\tv_permlane32_swap_b32 %2, %3" : "+v"(a), "+v"(b), "+v"(c), "+v"(d));
	p[l] = a;
	p[64 + l] = b;
	p[128 + l] = c;
	p[192 + l] = d;
}

static bool rows(void)
{
	device<unsigned> p(256);

	swap_rows<<<1, 64>>>(p);
	std::vector<unsigned> got = p.get();
	for (unsigned l = 0; l < 64; l++) {
		bool odd = l / 16 % 2, high = l >= 32;

		if (got[l] != (odd ? 100 + l - 16 : l) || got[64 + l] != (odd ? 100 + l : l + 16) ||
		    got[128 + l] != (high ? 100 + l - 32 : l) || got[192 + l] != (high ? 100 + l : l + 32))
			return false;
	}
	return true;
}

static const program programs[] = {
	{ "any function of three bits", bits },
	{ "minimum and maximum of three", extremes },
	{ "conversion to bf16", conversion },
	{ "conversion of bf16", all_bf16 },
	{ "shifts, random numbers and halves", shifts },
	{ "half floats and dot products", halves },
	{ "swaps of rows", rows },
	{},
};
MAIN(programs)
