// SPDX-License-Identifier: Apache-2.0
// gfx950's matrix operations, dense, sparse, and of eight, six and four bits with scales; its reads of LDS that transpose and
// its loads of 12 and 16 bytes a lane into LDS. Small integers, so that every order of additions gives the same sum.
#include "program.h"
#include "small.h"

enum type { F16, BF16, I8, FP8, BF8, FP6, BF6, FP4 };
static const format *const formats[] = { nullptr, nullptr, nullptr, &fp8, &bf8, &fp6, &bf6, &fp4 };

static int bits_of(type t)
{
	return t <= BF16 ? 16 : t == I8 ? 8 : formats[t]->bits();
}

// -4 ... 4, which all formats have.
static int element(int matrix, int row, int column)
{
	return (int)(hash32((uint32_t)(matrix * 7919 + row * 131 + column)) % 9) - 4;
}

static unsigned encode(int x, type t)
{
	float f = (float)x;
	_Float16 h = (_Float16)f;
	unsigned u = 0;

	if (t == I8)
		return (unsigned)x & 0xff;
	if (t >= FP8) {
		while (value_of(u, *formats[t]) != x)
			u++;
		return u;
	}
	memcpy(&u, t == F16 ? (void *)&h : (void *)&f, t == F16 ? 2 : 4);
	return t == F16 ? u : u >> 16;
}

static void put(std::vector<unsigned> &words, size_t lane, int per_lane, int n, int bits, unsigned code)
{
	for (int i = 0; i < bits; i++)
		if (code >> i & 1)
			words[lane * (size_t)per_lane + (size_t)(n * bits + i) / 32] |= 1u << ((n * bits + i) % 32);
}

// AMD's CDNA4 ISA guide: a lane's element n of row or column `lane % m`, as its tables of layouts have them.
enum layout { IN_ORDER, BY_HALVES };

static int depth_of(layout l, int m, int depth, int lane, int n)
{
	int groups = 64 / m, each = depth / groups, group = lane / m;

	if (l == IN_ORDER)
		return group * each + n;
	return n / (each / 2) * (depth / 2) + group * (each / 2) + n % (each / 2);
}

// Row and column of result register n.
static void place(int m, int lane, int n, int *row, int *column)
{
	*column = lane % m;
	*row = m == 32 ? n / 4 * 8 + lane / 32 * 4 + n % 4 : lane / 16 * 4 + n % 4;
}

// Which two of four elements a sparse row has.
static int kept(int row, int four, int which)
{
	const unsigned char pairs[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

	return pairs[hash32((uint32_t)(row * 131 + four * 17 + 5)) % 6][which];
}

typedef void (*kernel)(const unsigned *, const unsigned *, const unsigned *, const unsigned *, const unsigned *, unsigned *);

// Operands: %0 result, %1 A, %2 B, %3 C, %4 and %5 one word each.
#define KERNEL(id, A, B, C, text)                                                                                            \
	__global__ __launch_bounds__(64) void id(const unsigned *a, const unsigned *b, const unsigned *c, const unsigned *x, \
						 const unsigned *y, unsigned *d)                                             \
	{                                                                                                                    \
		unsigned l = threadIdx.x;                                                                                    \
		vec<A>::type va;                                                                                             \
		vec<B>::type vb;                                                                                             \
		vec<C>::type vc, vd;                                                                                         \
		vec<A>::load(va, a + A * l);                                                                                 \
		vec<B>::load(vb, b + B * l);                                                                                 \
		vec<C>::load(vc, c + C * l);                                                                                 \
		vd = vc;                                                                                                     \
		asm volatile("s_nop 7\n\t" text "\n\ts_nop 15\n\ts_nop 15" : "+&v"(vd) : "v"(va), "v"(vb), "v"(vc), "v"(x[l]), "v"(y[l])); \
		vec<C>::store(vd, d + C * l);                                                                                \
	}

struct operation {
	const char *name;
	kernel run;
	int m, depth;
	type a, b;
	int set;             // sparse: of indices; -1: dense
	int byte_a, byte_b;  // of the scales; -1: none
};

#define DENSE16(X)                                                                               \
	X(f32_16x16x32_f16, 4, 4, 4, 16, 32, F16) X(f32_32x32x16_f16, 4, 4, 16, 32, 16, F16)     \
	X(f32_16x16x32_bf16, 4, 4, 4, 16, 32, BF16) X(f32_32x32x16_bf16, 4, 4, 16, 32, 16, BF16) \
	X(i32_16x16x64_i8, 4, 4, 4, 16, 64, I8) X(i32_32x32x32_i8, 4, 4, 16, 32, 32, I8)
#define DENSE_KERNEL(name, A, B, C, m, k, t) KERNEL(dense_##name, A, B, C, "v_mfma_" #name " %0, %1, %2, %3")
#define DENSE_ROW(name, A, B, C, m, k, t) { #name, dense_##name, m, k, t, t, -1, -1, -1 },
DENSE16(DENSE_KERNEL)

#define SPARSE(X)                                                                                                            \
	X(f32_16x16x64_f16, 4, 16, 64, F16, F16, 0, "") X(f32_32x32x32_f16, 16, 32, 32, F16, F16, 1, " abid:1")              \
	X(f32_16x16x64_bf16, 4, 16, 64, BF16, BF16, 1, " abid:1") X(f32_32x32x32_bf16, 16, 32, 32, BF16, BF16, 0, " cbsz:1 abid:1") \
	X(i32_16x16x128_i8, 4, 16, 128, I8, I8, 0, "") X(i32_32x32x64_i8, 16, 32, 64, I8, I8, 0, " abid:1")                  \
	X(f32_16x16x128_fp8_fp8, 4, 16, 128, FP8, FP8, 0, "") X(f32_16x16x128_fp8_bf8, 4, 16, 128, FP8, BF8, 0, "")          \
	X(f32_16x16x128_bf8_fp8, 4, 16, 128, BF8, FP8, 0, "") X(f32_16x16x128_bf8_bf8, 4, 16, 128, BF8, BF8, 0, "")          \
	X(f32_32x32x64_fp8_fp8, 16, 32, 64, FP8, FP8, 0, "") X(f32_32x32x64_fp8_bf8, 16, 32, 64, FP8, BF8, 0, "")            \
	X(f32_32x32x64_bf8_fp8, 16, 32, 64, BF8, FP8, 0, "") X(f32_32x32x64_bf8_bf8, 16, 32, 64, BF8, BF8, 0, "")
#define SPARSE_KERNEL(name, C, m, k, a, b, set, more) KERNEL(sparse_##name, 4, 8, C, "v_smfmac_" #name " %0, %1, %2, %4" more)
#define SPARSE_ROW(name, C, m, k, a, b, set, more) { #name, sparse_##name, m, k, a, b, set, -1, -1 },
SPARSE(SPARSE_KERNEL)

// Formats by cbsz and blgp; with scales, the bytes that op_sel chooses.
#define ONE(X, ta, A, na, tb, B, nb)                                                                                            \
	X(ta##_##tb##_16, A, B, 4, 16, 128, ta, tb, -1, -1, "v_mfma_f32_16x16x128_f8f6f4 %0, %1, %2, %3 cbsz:" #na " blgp:" #nb) \
	X(ta##_##tb##_32, A, B, 16, 32, 64, ta, tb, -1, -1, "v_mfma_f32_32x32x64_f8f6f4 %0, %1, %2, %3 cbsz:" #na " blgp:" #nb)  \
	X(ta##_##tb##_16s, A, B, 4, 16, 128, ta, tb, 0, 3,                                                                      \
	  "v_mfma_scale_f32_16x16x128_f8f6f4 %0, %1, %2, %3, %4, %5 op_sel:[0,1,0] op_sel_hi:[0,1,0] cbsz:" #na " blgp:" #nb)   \
	X(ta##_##tb##_32s, A, B, 16, 32, 64, ta, tb, 2, 1,                                                                      \
	  "v_mfma_scale_f32_32x32x64_f8f6f4 %0, %1, %2, %3, %4, %5 op_sel:[0,1,0] op_sel_hi:[1,0,0] cbsz:" #na " blgp:" #nb)
#define WITH(X, ta, A, na) ONE(X, ta, A, na, FP8, 8, 0) ONE(X, ta, A, na, BF8, 8, 1) ONE(X, ta, A, na, FP6, 6, 2) ONE(X, ta, A, na, BF6, 6, 3) ONE(X, ta, A, na, FP4, 4, 4)
#define SMALL(X) WITH(X, FP8, 8, 0) WITH(X, BF8, 8, 1) WITH(X, FP6, 6, 2) WITH(X, BF6, 6, 3) WITH(X, FP4, 4, 4)
#define SMALL_KERNEL(id, A, B, C, m, k, ta, tb, sa, sb, text) KERNEL(small_##id, A, B, C, text)
#define SMALL_ROW(id, A, B, C, m, k, ta, tb, sa, sb, text) { #id, small_##id, m, k, ta, tb, -1, sa, sb },
SMALL(SMALL_KERNEL)

static const operation operations[] = { DENSE16(DENSE_ROW) SPARSE(SPARSE_ROW) SMALL(SMALL_ROW) };

// The scale of a block of 32 elements of row or column `i`.
static int scale_of(int matrix, int i, int block)
{
	return (int)(hash32((uint32_t)(matrix * 977 + i * 8 + block)) % 7) - 3;
}

static bool right(const operation &o)
{
	bool sparse = o.set >= 0, small = o.a >= FP8 && !sparse, scaled = o.byte_a >= 0;
	int depth_a = sparse ? o.depth / 2 : o.depth, registers = o.m * o.m / 64;
	int na = depth_a * o.m / 64, nb = o.depth * o.m / 64, wa = na * bits_of(o.a) / 32, wb = nb * bits_of(o.b) / 32;
	layout la = small && bits_of(o.a) == 8 ? BY_HALVES : IN_ORDER, lb = sparse || (small && bits_of(o.b) == 8) ? BY_HALVES : IN_ORDER;
	std::vector<unsigned> a(64 * (size_t)wa), b(64 * (size_t)wb), c(64 * (size_t)registers), x(64, 0xa5a5a5a5u), y(64, 0x5a5a5a5au);

	for (int lane = 0; lane < 64; lane++) {
		unsigned indices = 0;

		for (int n = 0; n < na; n++) {
			int i = lane % o.m, k = depth_of(la, o.m, depth_a, lane, n);

			if (sparse) {
				indices |= (unsigned)kept(i, k / 2, k % 2) << (2 * n);
				k = k / 2 * 4 + kept(i, k / 2, k % 2);
			}
			put(a, (size_t)lane, wa, n, bits_of(o.a), encode(element(0, i, k), o.a));
		}
		for (int n = 0; n < nb; n++)
			put(b, (size_t)lane, wb, n, bits_of(o.b), encode(element(1, depth_of(lb, o.m, o.depth, lane, n), lane % o.m), o.b));
		for (int n = 0; n < registers; n++) {
			int row, column;
			float f;

			place(o.m, lane, n, &row, &column);
			f = (float)element(2, row, column);
			memcpy(&c[(size_t)(lane * registers + n)], &f, 4);
			if (o.a == I8)
				c[(size_t)(lane * registers + n)] = (unsigned)element(2, row, column);
		}
		if (sparse)
			x[(size_t)lane] = na == 16 ? indices : (x[(size_t)lane] & ~(0xffffu << (16 * o.set))) | indices << (16 * o.set);
		if (scaled) {
			x[(size_t)lane] &= ~(0xffu << (8 * o.byte_a));
			x[(size_t)lane] |= (unsigned)(127 + scale_of(0, lane % o.m, lane / o.m)) << (8 * o.byte_a);
			y[(size_t)lane] &= ~(0xffu << (8 * o.byte_b));
			y[(size_t)lane] |= (unsigned)(127 + scale_of(1, lane % o.m, lane / o.m)) << (8 * o.byte_b);
		}
	}
	device<unsigned> da(a), db(b), dc(c), dx(x), dy(y), dd(c.size());
	o.run<<<1, 64>>>(da, db, dc, dx, dy, dd);
	std::vector<unsigned> got = dd.get();
	for (int lane = 0; lane < 64; lane++)
		for (int n = 0; n < registers; n++) {
			int row, column;
			double want;
			float f;

			place(o.m, lane, n, &row, &column);
			want = element(2, row, column);
			for (int k = 0; k < o.depth; k++)
				if (!sparse || k % 4 == kept(row, k / 4, 0) || k % 4 == kept(row, k / 4, 1))
					want += element(0, row, k) * element(1, k, column) *
						(scaled ? ldexp(1, scale_of(0, row, k / 32) + scale_of(1, column, k / 32)) : 1);
			memcpy(&f, &got[(size_t)(lane * registers + n)], 4);
			if (o.a == I8)
				f = (float)(int)got[(size_t)(lane * registers + n)];
			if (f != want) {
				printf("# %s: row %d, column %d: %g, expected %g\n", o.name, row, column, f, want);
				return false;
			}
		}
	return true;
}

static bool multiplications(void)
{
	for (const operation &o : operations)
		if (!right(o))
			return false;
	return true;
}

// ---- LDS ----

// LDS holds random bytes; lane l reads at 16 * l.
#define TRANSPOSED(bits, text, N)                                                                   \
	__global__ void transposed_##bits(const unsigned *in, unsigned *out)                        \
	{                                                                                           \
		__shared__ __attribute__((aligned(16))) unsigned all[256];                          \
		unsigned l = threadIdx.x, at = (unsigned)(uintptr_t)(__attribute__((address_space(3))) unsigned *)all; \
		vec<N>::type d;                                                                     \
                                                                                                    \
		for (int i = 0; i < 4; i++)                                                         \
			all[4 * l + i] = in[4 * l + i];                                             \
		__syncthreads();                                                                    \
		asm volatile(text " %0, %1\n\ts_waitcnt lgkmcnt(0)" : "=v"(d) : "v"(at + 16 * l) : "memory"); \
		vec<N>::store(d, out + N * l);                                                      \
	}
TRANSPOSED(4, "ds_read_b64_tr_b4", 2)
TRANSPOSED(6, "ds_read_b96_tr_b6", 3)
TRANSPOSED(8, "ds_read_b64_tr_b8", 2)
TRANSPOSED(16, "ds_read_b64_tr_b16", 2)

static unsigned bits_at(const unsigned *p, int at, int count)
{
	unsigned x = 0;

	for (int i = 0; i < count; i++, at++)
		x |= (p[at / 32] >> (at % 32) & 1) << i;
	return x;
}

// In 16 lanes the elements in their order are a matrix of 16 columns; lane i gets column i.
static bool transposes(void)
{
	static const struct {
		void (*run)(const unsigned *, unsigned *);
		int bits, words;
	} reads[] = { { transposed_4, 4, 2 }, { transposed_6, 6, 3 }, { transposed_8, 8, 2 }, { transposed_16, 16, 2 } };
	std::vector<unsigned> in(256);

	for (unsigned i = 0; i < in.size(); i++)
		in[i] = hash32(i);
	for (auto &r : reads) {
		int each = r.words * 32 / r.bits;
		device<unsigned> from(in), to(64 * (size_t)r.words);

		r.run<<<1, 64>>>(from, to);
		std::vector<unsigned> got = to.get();
		for (int lane = 0; lane < 64; lane++)
			for (int k = 0; k < each; k++) {
				int number = k * 16 + lane % 16; // in the 16 lanes' matrix
				unsigned want = bits_at(&in[4 * (size_t)(lane / 16 * 16 + number / each)], number % each * r.bits, r.bits);

				if (bits_at(&got[(size_t)(lane * r.words)], k * r.bits, r.bits) != want)
					return printf("# %d bits: lane %d, element %d\n", r.bits, lane, k), false;
			}
	}
	return true;
}

typedef unsigned resource __attribute__((ext_vector_type(4)));

__global__ void into_lds(const unsigned *in, unsigned bytes, unsigned *out)
{
	__shared__ __attribute__((aligned(16))) unsigned all[1024];
	unsigned lane = threadIdx.x, at = (unsigned)(uintptr_t)(__attribute__((address_space(3))) unsigned *)all;
	const unsigned *from = in + lane * 5;
	resource buffer = { (unsigned)(uintptr_t)in, (unsigned)((uintptr_t)in >> 32), bytes, 0x00020000 };

	for (unsigned i = lane; i < 1024; i += 64)
		all[i] = 0;
	__syncthreads();
	for (int i = 0; i < 4; i++)
		buffer[i] = (unsigned)__builtin_amdgcn_readfirstlane((int)buffer[i]);
	asm volatile("s_mov_b32 m0, %2\n\ts_nop 4\n\tglobal_load_lds_dwordx3 %0, off\n\tglobal_load_lds_dwordx4 %0, off offset:1024\n\t"
		     "s_add_u32 m0, m0, 0x800\n\ts_nop 4\n\tbuffer_load_dwordx4 %1, %3, 0 offen offset:4 lds\n\t"
		     "s_add_u32 m0, m0, 0x400\n\ts_nop 4\n\tbuffer_load_dwordx3 %1, %3, 0 offen offset:4 lds\n\ts_waitcnt vmcnt(0)" ::"v"(from),
		     "v"(lane * 20), "s"(__builtin_amdgcn_readfirstlane(at)), "s"(buffer)
		     : "memory", "scc");
	__syncthreads();
	for (unsigned i = lane; i < 1024; i += 64)
		out[i] = all[i];
}

static bool loads(void)
{
	std::vector<unsigned> in(1024);

	for (unsigned i = 0; i < in.size(); i++)
		in[i] = hash32(i);
	device<unsigned> from(in), out(1024);
	into_lds<<<1, 64>>>(from, 4096, out);
	std::vector<unsigned> got = out.get();
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned three = i < 3 ? in[lane * 5 + i] : 0, four = in[lane * 5 + 256 + i], buffered = in[lane * 5 + 1 + i];

			if (got[lane * 4 + i] != three || got[256 + lane * 4 + i] != four || got[513 + lane * 4 + i] != buffered ||
			    (i < 3 && got[769 + lane * 4 + i] != buffered)) {
				printf("# lane %u, word %u: %#x %#x %#x %#x\n", lane, i, got[lane * 4 + i], got[256 + lane * 4 + i], got[513 + lane * 4 + i],
				       got[769 + lane * 4 + i]);
				return false;
			}
		}
	return true;
}

static const program programs[] = {
	{ "multiplications", multiplications },
	{ "transposing reads", transposes },
	{ "loads into LDS", loads },
	{},
};
MAIN(programs)
