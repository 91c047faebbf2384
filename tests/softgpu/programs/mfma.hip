// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-add of one wave, each shape: small integers, so that every order of additions
// gives the same sum. Where elements are is written out here for each kind of shape.
#include "program.h"

typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef float f32 __attribute__((ext_vector_type(32)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16 __attribute__((ext_vector_type(16)));
typedef int i32 __attribute__((ext_vector_type(32)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef short s4 __attribute__((ext_vector_type(4)));

// Elements of matrix 0 (A), 1 (B), 2 (C): -8 ... 7.
static __host__ __device__ int element(int matrix, int block, int row, int column)
{
	return (int)(hash32((uint32_t)(matrix * 7919 + block * 4099 + row * 65 + column)) & 15) - 8;
}

static __device__ short bf16(int x)
{
	return (short)(__float_as_uint((float)x) >> 16);
}

// Input: lane and element n of its E elements give block, i (row of A, column of B) and k.
template <int M, int BLOCKS, int E> struct input_place {
	int block, i, k;
	__device__ input_place(int lane, int n)
	{
		i = lane % M;
		block = lane / M % BLOCKS;
		k = lane / (M * BLOCKS) * E + n;
	}
};

// Result register n of a lane: block, row, column.
struct result_place {
	int block, row, column;
	__host__ __device__ result_place(int m, bool wide, int lane, int n)
	{
		if (wide && m == 16) { // f64 16x16: rows four apart
			block = 0;
			row = 4 * n + lane / 16;
			column = lane % 16;
		} else if (wide) { // f64 4x4: one block in 16 lanes
			block = lane / 16;
			row = lane / 4 % 4;
			column = lane % 4;
		} else if (m == 32) { // eight rows in four registers of both halves of the wave
			block = n / 16;
			row = n % 16 / 4 * 8 + lane / 32 * 4 + n % 4;
			column = lane % 32;
		} else if (m == 16) {
			block = n / 4;
			row = lane / 16 * 4 + n % 4;
			column = lane % 16;
		} else {
			block = lane / 4;
			row = n;
			column = lane % 4;
		}
	}
};

#define SINGLE(matrix) element(matrix, p.block, (matrix) ? p.k : p.i, (matrix) ? p.i : p.k)

template <int M, int BLOCKS, int E, class V, class C> static __device__ V vector(int matrix, C convert)
{
	V v;

	for (int n = 0; n < E; n++) {
		input_place<M, BLOCKS, E> p(threadIdx.x, n);

		v[n] = convert(SINGLE(matrix));
	}
	return v;
}

template <int M, int BLOCKS> static __device__ int bytes(int matrix)
{
	unsigned v = 0;

	for (int n = 0; n < 4; n++) {
		input_place<M, BLOCKS, 4> p(threadIdx.x, n);

		v |= (unsigned)(SINGLE(matrix) & 0xff) << (8 * n);
	}
	return (int)v;
}

// KERNEL(mnemonic, M, K, blocks, result's vector, registers, f64?, what A and B are)
#define KERNEL(name, m, k, blocks, result, registers, wide, argument)                          \
	__global__ void kernel_##name(double *out)                                             \
	{                                                                                      \
		result c;                                                                      \
                                                                                               \
		for (int n = 0; n < registers; n++) {                                          \
			result_place p(m, wide, threadIdx.x, n);                               \
			put(c, n, element(2, p.block, p.row, p.column));                       \
		}                                                                              \
		c = __builtin_amdgcn_mfma_##name(argument(m, blocks, 0), argument(m, blocks, 1), c, 0, 0, 0); \
		for (int n = 0; n < registers; n++)                                            \
			out[n * 64 + threadIdx.x] = get(c, n);                                 \
	}
// Through memory: clang 15 at -O0 inserts a double into a vector at a variable index wrongly.
template <class V> static __device__ void put(V &v, int n, int x)
{
	typedef decltype(v[0] + v[0]) element;

	((element *)&v)[n] = (element)x;
}
template <> __device__ void put<double>(double &v, int, int x)
{
	v = x;
}
template <class V> static __device__ double get(V v, int n)
{
	typedef decltype(v[0] + v[0]) element;

	return (double)((element *)&v)[n];
}
template <> __device__ double get<double>(double v, int)
{
	return v;
}

#define ONE(type, m, b, matrix)                                                   \
	[&] {                                                                     \
		input_place<m, b, 1> p(threadIdx.x, 0);                           \
		return (type)SINGLE(matrix);                                      \
	}()
#define FLOAT(m, b, matrix)  ONE(float, m, b, matrix)
#define DOUBLE(m, b, matrix) ONE(double, m, b, matrix)
#define HALF4(m, b, matrix)  vector<m, b, 4, h4>(matrix, [](int x) { return (_Float16)x; })
#define BF2(m, b, matrix)    vector<m, b, 2, s2>(matrix, bf16)
#define BF4(m, b, matrix)    vector<m, b, 4, s4>(matrix, bf16)
#define BYTES(m, b, matrix)  bytes<m, b>(matrix)

// gfx942 has others instead of these: gfx942.hip.
#ifdef GFX942
#define OLDER_SHAPES(X)
#else
#define OLDER_SHAPES(X)                                   \
	X(f32_32x32x2bf16, 32, 2, 2, f32, 32, false, BF2) \
	X(f32_16x16x2bf16, 16, 2, 4, f16, 16, false, BF2) \
	X(f32_4x4x2bf16, 4, 2, 16, f4, 4, false, BF2)     \
	X(f32_32x32x4bf16, 32, 4, 1, f16, 16, false, BF2) \
	X(f32_16x16x8bf16, 16, 8, 1, f4, 4, false, BF2)   \
	X(i32_32x32x8i8, 32, 8, 1, i16, 16, false, BYTES) \
	X(i32_16x16x16i8, 16, 16, 1, i4, 4, false, BYTES)
#endif
#define SHAPES(X)                                            \
	X(f32_32x32x1f32, 32, 1, 2, f32, 32, false, FLOAT)   \
	X(f32_16x16x1f32, 16, 1, 4, f16, 16, false, FLOAT)   \
	X(f32_4x4x1f32, 4, 1, 16, f4, 4, false, FLOAT)       \
	X(f32_32x32x2f32, 32, 2, 1, f16, 16, false, FLOAT)   \
	X(f32_16x16x4f32, 16, 4, 1, f4, 4, false, FLOAT)     \
	X(f32_32x32x4f16, 32, 4, 2, f32, 32, false, HALF4)   \
	X(f32_16x16x4f16, 16, 4, 4, f16, 16, false, HALF4)   \
	X(f32_4x4x4f16, 4, 4, 16, f4, 4, false, HALF4)       \
	X(f32_32x32x8f16, 32, 8, 1, f16, 16, false, HALF4)   \
	X(f32_16x16x16f16, 16, 16, 1, f4, 4, false, HALF4)   \
	X(f32_32x32x4bf16_1k, 32, 4, 2, f32, 32, false, BF4) \
	X(f32_16x16x4bf16_1k, 16, 4, 4, f16, 16, false, BF4) \
	X(f32_4x4x4bf16_1k, 4, 4, 16, f4, 4, false, BF4)     \
	X(f32_32x32x8bf16_1k, 32, 8, 1, f16, 16, false, BF4) \
	X(f32_16x16x16bf16_1k, 16, 16, 1, f4, 4, false, BF4) \
	X(i32_32x32x4i8, 32, 4, 2, i32, 32, false, BYTES)    \
	X(i32_16x16x4i8, 16, 4, 4, i16, 16, false, BYTES)    \
	X(i32_4x4x4i8, 4, 4, 16, i4, 4, false, BYTES)        \
	X(f64_16x16x4f64, 16, 4, 1, d4, 4, true, DOUBLE)     \
	X(f64_4x4x4f64, 4, 4, 4, double, 1, true, DOUBLE)    \
	OLDER_SHAPES(X)

SHAPES(KERNEL)

static bool check(const char *name, void (*kernel)(double *), int m, int depth, int registers,
		  bool wide)
{
	device<double> out(64 * registers);

	kernel<<<1, 64>>>(out);
	std::vector<double> got = out.get();
	for (int n = 0; n < registers; n++)
		for (int lane = 0; lane < 64; lane++) {
			result_place p(m, wide, lane, n);
			int want = element(2, p.block, p.row, p.column);

			for (int k = 0; k < depth; k++)
				want += element(0, p.block, p.row, k) * element(1, p.block, k, p.column);
			if (got[n * 64 + lane] != want) {
				printf("# %s: block %d, row %d, column %d: %g, expected %d\n", name,
				       p.block, p.row, p.column, got[n * 64 + lane], want);
				return false;
			}
		}
	return true;
}

static bool shapes(void)
{
	bool good = true;

#define CHECK(name, m, k, blocks, result, registers, wide, argument) \
	good &= check(#name, kernel_##name, m, k, registers, wide);
	SHAPES(CHECK)
	return good;
}

static const program programs[] = {
	{ "shapes", shapes },
	{},
};
MAIN(programs)
