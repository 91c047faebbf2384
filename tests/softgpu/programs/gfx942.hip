// SPDX-License-Identifier: Apache-2.0
// What gfx942 has and gfx90a lacks: matrix operations on reduced f32, eight-bit floats and more
// eight-bit integers, sparse ones, conversions to and from eight bits, loads into LDS, packed bf16
// atomics. Small integers, so that every order of additions gives the same sum.
#include "program.h"

typedef float f2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16 __attribute__((ext_vector_type(16)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef short s8 __attribute__((ext_vector_type(8)));

enum format { XF32, F16, BF16, I8, FP8, BF8 };

static __host__ __device__ int bits_of(format f)
{
	return f == XF32 ? 32 : f == F16 || f == BF16 ? 16 : 8;
}

// Elements of matrix 0 (A), 1 (B), 2 (C): -8 ... 7.
static __host__ __device__ int element(int matrix, int row, int column)
{
	return (int)(hash32((uint32_t)(matrix * 7919 + row * 65 + column)) & 15) - 8;
}

// A small integer in an eight-bit float of `mantissa` bits.
static __host__ __device__ unsigned eight_bits(int x, int mantissa, int bias)
{
	unsigned size = (unsigned)(x < 0 ? -x : x), sign = x < 0 ? 0x80 : 0;
	int exponent = 0;

	if (!x)
		return 0;
	while (size >> (exponent + 1))
		exponent++;
	return sign | (unsigned)(exponent + bias) << mantissa |
	       ((exponent > mantissa ? size >> (exponent - mantissa) : size << (mantissa - exponent)) &
		((1u << mantissa) - 1));
}

static __device__ unsigned encode(int x, format f)
{
	switch (f) {
	case XF32:
		return __float_as_uint((float)x);
	case F16: {
		_Float16 h = (_Float16)x;
		unsigned short u;

		__builtin_memcpy(&u, &h, 2);
		return u;
	}
	case BF16:
		return __float_as_uint((float)x) >> 16;
	case I8:
		return (unsigned)x & 0xff;
	case FP8:
		return eight_bits(x, 3, 8);
	default:
		return eight_bits(x, 2, 16);
	}
}

// Which two of each four along k a sparse row of A has: the first and the second one.
static __host__ __device__ int kept(int row, int four, int which)
{
	const unsigned char pairs[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

	return pairs[hash32((uint32_t)(row * 131 + four * 17 + 5)) % 6][which];
}

// A lane's `count` elements of A or B, from element k of row or column i on, packed.
static __device__ void pack(unsigned *to, int matrix, int i, int k, int count, format f, bool sparse)
{
	int bits = bits_of(f);

	for (int n = 0; n < count * bits / 32; n++)
		to[n] = 0;
	for (int n = 0; n < count; n++) {
		int at = sparse ? k + n / 2 * 4 + kept(i, (k + n / 2 * 4) / 4, n % 2) : k + n;
		int x = matrix ? element(1, at, i) : element(0, i, at);

		to[n * bits / 32] |= encode(x, f) << (n * bits % 32);
	}
}

// The lane's indices, in part `set` of the register.
static __device__ int indices(int i, int k, int count, int set)
{
	unsigned x = 0;

	for (int n = 0; n < count; n++)
		x |= (unsigned)kept(i, (k + n / 2 * 4) / 4, n % 2) << (2 * n);
	return (int)(x << (set * count * 2));
}

// Row and column of result register n.
static __host__ __device__ void place(int m, int lane, int n, int *row, int *column)
{
	*column = lane % m;
	*row = m == 32 ? n / 4 * 8 + lane / 32 * 4 + n % 4 : lane / 16 * 4 + n % 4;
}

template <class V, class T> static __device__ V as(const T *from)
{
	V v;

	__builtin_memcpy(&v, from, sizeof v);
	return v;
}

// DENSE(mnemonic, M, K, A's format, B's, type of A and B, of C, C's element)
#define DENSE(name, m, depth, fa, fb, input, result, scalar)                          \
	__global__ __launch_bounds__(64) void kernel_##name(double *out)                                    \
	{                                                                             \
		const int per_lane = m * depth / 64, lane = threadIdx.x;              \
		unsigned a[4], b[4];                                                  \
		scalar c[m * m / 64];                                                 \
		result r;                                                             \
                                                                                      \
		pack(a, 0, lane % m, lane / m * per_lane, per_lane, fa, false);       \
		pack(b, 1, lane % m, lane / m * per_lane, per_lane, fb, false);       \
		for (int n = 0; n < m * m / 64; n++) {                                \
			int row, column;                                              \
                                                                                      \
			place(m, lane, n, &row, &column);                             \
			c[n] = (scalar)element(2, row, column);                       \
		}                                                                     \
		r = __builtin_amdgcn_mfma_##name(as<input>(a), as<input>(b), as<result>(c), 0, 0, 0); \
		__builtin_memcpy(c, &r, sizeof r);                                    \
		for (int n = 0; n < m * m / 64; n++)                                  \
			out[n * 64 + lane] = (double)c[n];                            \
	}

#define SPARSE(name, m, depth, fa, fb, ta, tb, result, scalar, set)                   \
	__global__ __launch_bounds__(64) void sparse_##name(double *out)                                    \
	{                                                                             \
		const int per_lane = m * depth / 64, lane = threadIdx.x;              \
		unsigned a[4], b[8];                                                  \
		scalar c[m * m / 64];                                                 \
		result r;                                                             \
                                                                                      \
		pack(a, 0, lane % m, lane / m * per_lane, per_lane / 2, fa, true);    \
		pack(b, 1, lane % m, lane / m * per_lane, per_lane, fb, false);       \
		for (int n = 0; n < m * m / 64; n++) {                                \
			int row, column;                                              \
                                                                                      \
			place(m, lane, n, &row, &column);                             \
			c[n] = (scalar)element(2, row, column);                       \
		}                                                                     \
		r = __builtin_amdgcn_smfmac_##name(                                   \
		    as<ta>(a), as<tb>(b), as<result>(c),                              \
		    indices(lane % m, lane / m * per_lane, per_lane / 2, set), 0, set); \
		__builtin_memcpy(c, &r, sizeof r);                                    \
		for (int n = 0; n < m * m / 64; n++)                                  \
			out[n * 64 + lane] = (double)c[n];                            \
	}

#define EIGHT(X, m, k, result)                                      \
	X(f32_##m##x##m##x##k##_fp8_fp8, m, k, FP8, FP8, long, result, float) \
	X(f32_##m##x##m##x##k##_fp8_bf8, m, k, FP8, BF8, long, result, float) \
	X(f32_##m##x##m##x##k##_bf8_fp8, m, k, BF8, FP8, long, result, float) \
	X(f32_##m##x##m##x##k##_bf8_bf8, m, k, BF8, BF8, long, result, float)
#define DENSE_SHAPES(X)                                        \
	X(f32_16x16x8_xf32, 16, 8, XF32, XF32, f2, f4, float)  \
	X(f32_32x32x4_xf32, 32, 4, XF32, XF32, f2, f16, float) \
	X(i32_16x16x32_i8, 16, 32, I8, I8, long, i4, int)      \
	X(i32_32x32x16_i8, 32, 16, I8, I8, long, i16, int)     \
	EIGHT(X, 16, 32, f4)                                   \
	EIGHT(X, 32, 16, f16)
#define SPARSE_EIGHT(X, m, k, result)                                                  \
	X(f32_##m##x##m##x##k##_fp8_fp8, m, k, FP8, FP8, i2, i4, result, float, 0)     \
	X(f32_##m##x##m##x##k##_fp8_bf8, m, k, FP8, BF8, i2, i4, result, float, 1)     \
	X(f32_##m##x##m##x##k##_bf8_fp8, m, k, BF8, FP8, i2, i4, result, float, 0)     \
	X(f32_##m##x##m##x##k##_bf8_bf8, m, k, BF8, BF8, i2, i4, result, float, 1)
#define SPARSE_SHAPES(X)                                                 \
	X(f32_16x16x32_f16, 16, 32, F16, F16, h4, h8, f4, float, 0)      \
	X(f32_32x32x16_f16, 32, 16, F16, F16, h4, h8, f16, float, 1)     \
	X(f32_16x16x32_bf16, 16, 32, BF16, BF16, s4, s8, f4, float, 2)   \
	X(f32_32x32x16_bf16, 32, 16, BF16, BF16, s4, s8, f16, float, 3)  \
	X(i32_16x16x64_i8, 16, 64, I8, I8, i2, i4, i4, int, 0)           \
	X(i32_32x32x32_i8, 32, 32, I8, I8, i2, i4, i16, int, 1)          \
	SPARSE_EIGHT(X, 16, 64, f4)                                      \
	SPARSE_EIGHT(X, 32, 32, f16)

DENSE_SHAPES(DENSE)
SPARSE_SHAPES(SPARSE)

static bool check(const char *name, void (*kernel)(double *), int m, int depth, bool sparse)
{
	int registers = m * m / 64;
	device<double> out(64 * registers);

	kernel<<<1, 64>>>(out);
	std::vector<double> got = out.get();
	for (int n = 0; n < registers; n++)
		for (int lane = 0; lane < 64; lane++) {
			int row, column, want;

			place(m, lane, n, &row, &column);
			want = element(2, row, column);
			for (int k = 0; k < depth; k++)
				if (!sparse || k % 4 == kept(row, k / 4, 0) || k % 4 == kept(row, k / 4, 1))
					want += element(0, row, k) * element(1, k, column);
			if (got[n * 64 + lane] != want) {
				printf("# %s: row %d, column %d: %g, expected %d\n", name, row, column,
				       got[n * 64 + lane], want);
				return false;
			}
		}
	return true;
}

static bool dense(void)
{
	bool good = true;

#define CHECK(name, m, k, ...) good &= check(#name, kernel_##name, m, k, false);
	DENSE_SHAPES(CHECK)
	return good;
}

static bool sparse(void)
{
	bool good = true;

#define CHECK_SPARSE(name, m, k, ...) good &= check("sparse " #name, sparse_##name, m, k, true);
	SPARSE_SHAPES(CHECK_SPARSE)
	return good;
}

// The last argument of f64 operations negates A, B and C.
__global__ void negating(double *out)
{
	d4 c = { 1, 2, 3, 4 };
	d4 r = __builtin_amdgcn_mfma_f64_16x16x4f64(2.0, 3.0, c, 0, 0, 1);

	r += 100 * __builtin_amdgcn_mfma_f64_16x16x4f64(2.0, 3.0, c, 0, 0, 6);
	for (int n = 0; n < 4; n++)
		out[n * 64 + threadIdx.x] = r[n];
}

static bool negation(void)
{
	device<double> out(256);

	negating<<<1, 64>>>(out);
	std::vector<double> got = out.get();
	for (int n = 0; n < 4; n++)
		for (int lane = 0; lane < 64; lane++)
			if (got[n * 64 + lane] != (-24 + n + 1) + 100 * (-24 - (n + 1)))
				return false;
	return true;
}

// ---- eight-bit floats ----

// The value by the format's definition.
static double value_of(unsigned x, int mantissa, int bias)
{
	int exponent = (int)(x & 0x7f) >> mantissa, low = (int)x & ((1 << mantissa) - 1);
	double size = exponent ? ldexp(1 + ldexp(low, -mantissa), exponent - bias)
			       : ldexp(low, 1 - bias - mantissa);

	return x == 0x80 ? NAN : x & 0x80 ? -size : size;
}

__global__ void widen(float *out)
{
	unsigned x = blockIdx.x * 64 + threadIdx.x;
	int word = (int)(x * 0x01010101u), pair = (int)(x << 16 | (x ^ 0x55) << 24);
	f2 two = __builtin_amdgcn_cvt_pk_f32_fp8(pair, true), other = __builtin_amdgcn_cvt_pk_f32_bf8(pair, true);

	out[x] = __builtin_amdgcn_cvt_f32_fp8(word, 0);
	out[256 + x] = __builtin_amdgcn_cvt_f32_fp8((int)(x << 24), 3);
	out[512 + x] = __builtin_amdgcn_cvt_f32_bf8((int)(x << 8), 1);
	out[768 + x] = two[0];
	out[1024 + (x ^ 0x55)] = two[1];
	out[1280 + x] = other[0];
	out[1536 + (x ^ 0x55)] = other[1];
}

static bool same(double a, double b)
{
	return a == b || (a != a && b != b);
}

static bool widening(void)
{
	device<float> out(1792);

	widen<<<4, 64>>>(out);
	std::vector<float> got = out.get();
	for (unsigned x = 0; x < 256; x++) {
		double e4 = value_of(x, 3, 8), e5 = value_of(x, 2, 16);

		if (!same(got[x], e4) || !same(got[256 + x], e4) || !same(got[512 + x], e5) ||
		    !same(got[768 + x], e4) || !same(got[1024 + x], e4) || !same(got[1280 + x], e5) ||
		    !same(got[1536 + x], e5)) {
			printf("# 0x%02x: %g, expected %g; %g, expected %g\n", x, got[x], e4, got[512 + x],
			       e5);
			return false;
		}
	}
	return true;
}

__global__ void narrow(const float *in, unsigned *out, unsigned n, bool bf8)
{
	unsigned i = blockIdx.x * 64 + threadIdx.x;

	if (i >= n)
		return;
	int x = 0x11223344, least = 0x11223344, most = 0x11223344;
	if (bf8) {
		x = __builtin_amdgcn_cvt_pk_bf8_f32(in[i], -in[i], x, true);
		least = __builtin_amdgcn_cvt_sr_bf8_f32(in[i], 0, least, 1);
		most = __builtin_amdgcn_cvt_sr_bf8_f32(in[i], -1, most, 3);
	} else {
		x = __builtin_amdgcn_cvt_pk_fp8_f32(in[i], -in[i], x, true);
		least = __builtin_amdgcn_cvt_sr_fp8_f32(in[i], 0, least, 1);
		most = __builtin_amdgcn_cvt_sr_fp8_f32(in[i], -1, most, 3);
	}
	out[3 * i] = (unsigned)x;
	out[3 * i + 1] = (unsigned)least;
	out[3 * i + 2] = (unsigned)most;
}

// The nearest of all values; of two the one whose last bit is 0. Above the greatest by half a step: NaN.
static unsigned nearest(double x, int mantissa, int bias)
{
	double greatest = value_of(0x7f, mantissa, bias), step = greatest - value_of(0x7e, mantissa, bias);
	unsigned best = 0;

	if (x != x || fabs(x) >= greatest + step / 2)
		return 0x80;
	for (unsigned c = 1; c < 256; c++) {
		double d = fabs(value_of(c, mantissa, bias) - x), b = fabs(value_of(best, mantissa, bias) - x);

		if (c != 0x80 && (d < b || (d == b && !(c & 1) && (best & 1))))
			best = c;
	}
	return best;
}

static bool narrowing_to(bool bf8)
{
	int mantissa = bf8 ? 2 : 3, bias = bf8 ? 16 : 8;
	std::vector<float> in;

	for (unsigned x = 0; x < 256; x++)
		for (int d = -2; d <= 2; d++) { // values, neighbours, and the middles between values
			double v = value_of(x, mantissa, bias), w = value_of((x + 1) & 0x7f, mantissa, bias);

			in.push_back(nextafterf((float)v, d < 0 ? -INFINITY : INFINITY));
			in.push_back((float)v);
			in.push_back(nextafterf((float)((v + w) / 2), (float)d * INFINITY));
			in.push_back((float)((v + w) / 2));
		}
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t u = hash32(i), moderate = (u & 0x80ffffff) | (100 + u % 50) << 23;
		float f;

		memcpy(&f, i & 1 ? &u : &moderate, 4);
		in.push_back(f);
	}
	in.push_back(INFINITY);
	in.push_back(-INFINITY);

	device<float> from(in);
	device<unsigned> out(3 * in.size());

	narrow<<<(unsigned)in.size() / 64 + 1, 64>>>(from, out, (unsigned)in.size(), bf8);
	std::vector<unsigned> got = out.get();
	for (size_t i = 0; i < in.size(); i++) {
		unsigned a = nearest(in[i], mantissa, bias), b = nearest(-(double)in[i], mantissa, bias);
		unsigned least = got[3 * i + 1] >> 8 & 0xff, most = got[3 * i + 2] >> 24;
		double low = value_of(least, mantissa, bias), high = value_of(most, mantissa, bias);

		if (got[3 * i] != (b << 24 | a << 16 | 0x3344) ||
		    (got[3 * i + 1] & 0xffff00ff) != 0x11220044 || (got[3 * i + 2] & 0xffffff) != 0x223344) {
			printf("# %g (%a): 0x%08x, expected 0x%02x%02x3344\n", in[i], in[i], got[3 * i], b, a);
			return false;
		}
		// Stochastic rounding: towards 0 without random bits, and at most the next value with all.
		if (in[i] == in[i] && fabs(in[i]) <= value_of(0x7f, mantissa, bias) &&
		    (fabs(low) > fabs(in[i]) ||
		     (high == high && fabs(high) < fabs(low)) ||
		     (high == high && value_of((least & 0x7f) + 1 < 0x80 ? (least & 0x7f) + 1 : 0x7f, mantissa, bias) <
					  fabs(high)))) {
			printf("# %a: stochastic 0x%02x to 0x%02x\n", in[i], least, most);
			return false;
		}
	}
	return true;
}

static bool narrowing(void)
{
	return narrowing_to(false) & narrowing_to(true);
}

// ---- memory ----

// LDS gets, from M0 + offset on, a dword a lane; the offset counts on both sides.
__global__ void into_lds(const unsigned *in, unsigned *out)
{
	__shared__ unsigned all[512];
	unsigned lane = threadIdx.x;
	const unsigned *from = in + lane * 3;

	for (unsigned i = lane; i < 512; i += 64)
		all[i] = 0;
	__syncthreads();
	if (lane != 5) {
		unsigned at = (unsigned)(uintptr_t)(__attribute__((address_space(3))) unsigned *)all;

		asm volatile("s_mov_b32 m0, %1\n\ts_nop 4\n\tglobal_load_lds_dword %0, off offset:16\n\t"
			     "global_load_lds_ubyte %0, off offset:1024\n\t"
			     "global_load_lds_sshort %0, off offset:1280\n\ts_waitcnt vmcnt(0)" ::"v"(from),
			     "s"(__builtin_amdgcn_readfirstlane(at))
			     : "memory");
	}
	__syncthreads();
	for (unsigned i = lane; i < 512; i += 64)
		out[i] = all[i];
}

static bool loads_into_lds(void)
{
	std::vector<unsigned> in(1024);

	for (unsigned i = 0; i < in.size(); i++)
		in[i] = hash32(i);
	device<unsigned> from(in), out(512);
	into_lds<<<1, 64>>>(from, out);
	std::vector<unsigned> got = out.get();
	for (unsigned lane = 0; lane < 64; lane++) {
		unsigned want[] = { in[lane * 3 + 4], in[lane * 3 + 256] & 0xff,
				    (unsigned)(int)(short)in[lane * 3 + 320] };
		unsigned at[] = { 4 + lane, 256 + lane, 320 + lane };

		for (int i = 0; i < 3; i++)
			if (got[at[i]] != (lane == 5 ? 0 : want[i])) {
				printf("# lane %u, load %d: %#x, expected %#x\n", lane, i, got[at[i]], want[i]);
				return false;
			}
	}
	return true;
}

__global__ void add_pairs(s2 *sum, float *single)
{
	s2 pair = { 0x3f80, 0x4000 }; // 1, 2

	__builtin_amdgcn_global_atomic_fadd_v2bf16((__attribute__((address_space(1))) s2 *)sum, pair);
	__builtin_amdgcn_flat_atomic_fadd_v2bf16(sum + 1, pair);
	unsafeAtomicAdd(single, 1e-40f); // a denormal, which this processor's memory adds
}

static bool atomics(void)
{
	device<s2> sum(2);
	device<float> single(1);

	add_pairs<<<1, 64>>>(sum, single);
	std::vector<s2> got = sum.get();
	float added = 0;
	for (int i = 0; i < 64; i++)
		added += 1e-40f;
	for (int i = 0; i < 2; i++)
		if ((unsigned short)got[i][0] != 0x4280 || (unsigned short)got[i][1] != 0x4300) {
			printf("# %#x %#x\n", (unsigned short)got[i][0], (unsigned short)got[i][1]);
			return false;
		}
	return single.get()[0] == added;
}

// There are no images: HIP says so before it looks at anything else.
static bool no_textures(void)
{
	hipResourceDesc resource = {};
	hipTextureDesc description = {};
	hipTextureObject_t texture;
	device<float> memory(64);

	resource.resType = hipResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = hipCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = 64 * sizeof(float);
	description.readMode = hipReadModeElementType;
	return hipCreateTextureObject(&texture, &resource, &description, NULL) == hipErrorNotSupported;
}

static const program programs[] = {
	{ "dense", dense },
	{ "sparse", sparse },
	{ "negation", negation },
	{ "widening", widening },
	{ "narrowing", narrowing },
	{ "loads into LDS", loads_into_lds },
	{ "atomics", atomics },
	{ "no textures", no_textures },
	{},
};
MAIN(programs)
