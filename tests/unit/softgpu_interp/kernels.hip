// SPDX-License-Identifier: Apache-2.0
// Device half of the interpreter's tests; loaded by harness.c without any HIP runtime.
#include <hip/hip_runtime.h>
#include "cases.h"

// What an atomic is written with that returns what was there.
#if defined(__gfx940__) || defined(__gfx942__)
#define RETURNS "sc0"
#else
#define RETURNS "glc"
#endif

#define KERNEL(name)                                                                               \
	extern "C" __global__ void case_##name(const uint64_t *in, uint64_t *out, unsigned n)      \
	{                                                                                          \
		unsigned i = blockIdx.x * 64 + threadIdx.x;                                        \
		if (i < n)                                                                         \
			out[i] = name(in[i], in[(i + 1) % n]);                                     \
	}
CASES(KERNEL)

// The same on kernel arguments, which the compiler keeps in scalar registers.
#define UNIFORM(name)                                                                              \
	extern "C" __global__ void uniform_##name(uint64_t x, uint64_t y, uint64_t *out)           \
	{                                                                                          \
		*out = name(x, y);                                                                 \
	}
CASES(UNIFORM)

extern "C" __global__ void reduce(const uint64_t *in, uint64_t *out, unsigned n)
{
	__shared__ uint64_t s[256];
	unsigned i = threadIdx.x;
	s[i] = blockIdx.x * 256 + i < n ? in[blockIdx.x * 256 + i] : 0;
	__syncthreads();
	for (int k = 128; k; k >>= 1) {
		if (i < k)
			s[i] += s[i + k];
		__syncthreads();
	}
	if (!i)
		out[blockIdx.x] = s[0];
}

// Scalar loads from before the address. Unoptimized, pointers are in vector registers.
extern "C" __global__ void backwards(const uint64_t *in, uint64_t *out)
{
	uint64_t at = (uint64_t)(in + 40);
	unsigned low = (unsigned)at, high = (unsigned)(at >> 32);

	asm volatile("v_readfirstlane_b32 s20, %2\n\tv_readfirstlane_b32 s21, %3\n\t"
		     "s_load_dwordx2 s[22:23], s[20:21], -0x8\n\t"
		     "s_load_dwordx2 s[24:25], s[20:21], -0x100\n\ts_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %0, s22\n\tv_mov_b32 %1, s24"
		     : "=&v"(low), "=&v"(high)
		     : "v"(low), "v"(high)
		     : "s20", "s21", "s22", "s23", "s24", "s25");
	out[0] = low;
	out[1] = high;
}

// A comparison that writes EXEC and other scalar registers.
extern "C" __global__ void masks(const uint64_t *in, uint64_t *out)
{
	unsigned i = threadIdx.x, x = (unsigned)in[i], y = (unsigned)in[i + 1];
	uint64_t chosen, left;

	asm volatile("s_mov_b64 s[20:21], exec\n\tv_cmpx_lt_u32_e64 %0, %2, %3\n\t"
		     "s_mov_b64 %1, exec\n\ts_mov_b64 exec, s[20:21]"
		     : "=&s"(chosen), "=&s"(left)
		     : "v"(x), "v"(y)
		     : "s20", "s21");
	out[0] = chosen;
	out[1] = left;
}

extern "C" __global__ void histogram(const uint64_t *in, uint64_t *out, unsigned n)
{
	__shared__ unsigned bin[64];
	if (threadIdx.x < 64)
		bin[threadIdx.x] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
		atomicAdd(&bin[in[i] & 63], 1u);
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd((unsigned long long *)&out[threadIdx.x], (unsigned long long)bin[threadIdx.x]);
}

// One result per lane from every way lanes can talk to each other.
extern "C" __global__ void lanes(const uint64_t *in, uint64_t *out, unsigned n)
{
	unsigned i = threadIdx.x;
	unsigned x = (unsigned)in[i], r = 0;
	r += __shfl_down(x, 5);
	r = r * 3 + __shfl_up(x, 7);
	r = r * 3 + __shfl_xor(x, 21);
	r = r * 3 + __shfl(x, (int)(x & 63));
	r = r * 3 + (unsigned)__popcll(__ballot(x & 1)) + (__any(x == 1) ? 1000 : 0) +
	    (__all(x != 12345) ? 100 : 0);
	r = r * 3 + (unsigned)__builtin_amdgcn_readfirstlane((int)x);
	r = r * 3 + (unsigned)__builtin_amdgcn_mov_dpp((int)x, 0x1b, 0xf, 0xf, true); // quad reverse
	r = r * 3 + (unsigned)__builtin_amdgcn_update_dpp(9, (int)x, 0x111, 0xf, 0xf, false); // row_shr:1
	r = r * 3 + (unsigned)__builtin_amdgcn_update_dpp(9, (int)x, 0x142, 0xa, 0xf, false); // bcast 15
	r = r * 3 + (unsigned)__builtin_amdgcn_update_dpp(9, (int)x, 0x130, 0xf, 0xf, true); // wave_shl:1
	r = r * 3 + (unsigned)__builtin_amdgcn_ds_swizzle((int)x, 0x041f); // swap neighbours
	r = r * 3 + (unsigned)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
	if (i & 1)
		r += __shfl(x, 3);
	out[i] = r;
}

typedef __attribute__((address_space(1))) double global_double;

// Which of atomicAdd, safeAtomicAdd and unsafeAtomicAdd is an instruction and which a loop depends on the release's
// header and the compiler; the last one is an instruction with all of them, and this is a loop.
template <class Bits, class Float> static __device__ void add_by_loop(Float *to, Float value)
{
	Bits *bits = (Bits *)to, old = *bits, seen;

	do {
		Float sum;

		seen = old;
		__builtin_memcpy(&sum, &seen, sizeof sum);
		sum += value;
		Bits changed;
		__builtin_memcpy(&changed, &sum, sizeof sum);
		old = atomicCAS(bits, seen, changed);
	} while (old != seen);
}

extern "C" __global__ void atomics(unsigned *u, int *s, float *f, double *d, unsigned long long *q)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned zero = i >> 31; // not seen: clang 21 adds up the lanes' floats first where all have one address
	atomicAdd(&u[0], 1u);
	atomicSub(&u[1], 1u);
	atomicMin(&u[2], i);
	atomicMax(&u[3], i);
	atomicAnd(&u[4], ~(1u << (i & 31)));
	atomicOr(&u[5], 1u << (i & 31));
	atomicXor(&u[6], i);
	atomicInc(&u[7], 49u);
	atomicDec(&u[8], 49u);
	atomicExch(&u[9], 7u);
	atomicCAS(&u[10], 0u, 5u);
	atomicMin(&s[0], -(int)i);
	atomicMax(&s[1], (int)i - 50);
	unsafeAtomicAdd(&f[zero], 1.0f);
	unsafeAtomicAdd(&d[0], 1.0);
	__builtin_amdgcn_global_atomic_fmin_f64((global_double *)&d[1], -(double)i);
	__builtin_amdgcn_global_atomic_fmax_f64((global_double *)&d[2], (double)i);
	add_by_loop<unsigned>(&f[1], 1.0f);
	add_by_loop<unsigned long long>(&d[3], 1.0);
	atomicAdd(&q[0], 1ull << 33);
	atomicMax(&q[1], (unsigned long long)i << 40);
	f[2 + i] = unsafeAtomicAdd(&f[1000 + zero], 0.5f); // returns what was there
}

// Waits for the last work-group: only works if all get to run.
extern "C" __global__ void spin(unsigned *flag, unsigned *out, unsigned groups)
{
	if (blockIdx.x == groups - 1)
		__hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
	while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
		;
	if (!threadIdx.x)
		out[blockIdx.x] = blockIdx.x + 1;
}

// Work-groups of 8 x 4 x 2, some of them partial (then blockDim would be the partial size).
// The last wave arrives at the barrier long after the others.
extern "C" __global__ void late(unsigned *out, unsigned n)
{
	__shared__ volatile unsigned value;
	if (threadIdx.x >= 192) {
		unsigned x = n;
		for (unsigned i = 0; i < n; i++)
			x = x * 1664525 + (x >> 7);
		if (threadIdx.x == 255)
			value = x;
	}
	__syncthreads();
	out[threadIdx.x] = value;
}

extern "C" __global__ void geometry(unsigned *out)
{
	unsigned x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
	unsigned z = blockIdx.z * 2 + threadIdx.z;
	out[(z * 5 + y) * 13 + x] = 1000000 + z * 10000 + y * 100 + x;
}

extern "C" __global__ void touch(unsigned *p, unsigned at)
{
	p[at] = 1;
}

extern "C" __global__ void lds_outside(unsigned *out, unsigned at)
{
	__shared__ volatile unsigned s[64];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	s[at + threadIdx.x] = 77;
	out[threadIdx.x] = s[at + threadIdx.x];
}

// The base is negative, and the offset makes up for it.
extern "C" __global__ void lds_negative(unsigned *out)
{
	__shared__ volatile unsigned s[1024];
	unsigned a, b, c;

	for (unsigned i = threadIdx.x; i < 1024; i += 64)
		s[i] = i;
	__syncthreads();
	asm volatile("v_mov_b32 %2, 9\n\tds_write_b32 %3, %2 offset:2048\n\t"
		     "ds_add_u32 %3, %2 offset:2048\n\t"
		     "ds_read2st64_b32 v[40:41], %3 offset0:8 offset1:9\n\ts_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %0, v40\n\tv_mov_b32 %1, v41"
		     : "=&v"(a), "=&v"(b), "=&v"(c)
		     : "v"(threadIdx.x * 4 - 1024)
		     : "v40", "v41", "memory");
	out[threadIdx.x] = a == 18 && s[256 + threadIdx.x] == 18 ? b : 0;
}

// Loads into one half of a register that has something in both: six words a lane.
extern "C" __global__ void halves(unsigned *out, const unsigned *in)
{
	__shared__ unsigned s[64];
	unsigned r[6];

	s[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	for (int i = 0; i < 6; i++)
		r[i] = 0x55aa1234;
	asm volatile("global_load_short_d16 %0, %6, off\n\tglobal_load_short_d16_hi %1, %6, off\n\t"
		     "global_load_sbyte_d16 %2, %6, off\n\tglobal_load_ubyte_d16_hi %3, %6, off\n\t"
		     "ds_read_u16_d16 %4, %7\n\tds_read_u16_d16_hi %5, %7\n\t"
		     "s_waitcnt vmcnt(0) lgkmcnt(0)"
		     : "+v"(r[0]), "+v"(r[1]), "+v"(r[2]), "+v"(r[3]), "+v"(r[4]), "+v"(r[5])
		     : "v"(in + threadIdx.x), "v"((unsigned)(uintptr_t)(__attribute__((address_space(3))) unsigned *)(s + threadIdx.x))
		     : "memory");
	for (int i = 0; i < 6; i++)
		out[6 * threadIdx.x + i] = r[i];
}

// One instruction that nothing executes, and one with a field whose meaning no document gives.
extern "C" __global__ void converting(float *out)
{
	asm volatile("buffer_load_format_d16_x v40, off, s[0:3], 0" ::: "v40", "memory");
	out[threadIdx.x] = 0;
}

extern "C" __global__ void broadcasting(double *out)
{
#if defined(__gfx940__) || defined(__gfx942__)
	asm volatile("v_mfma_f32_16x16x16_f16 v[40:43], v[44:45], v[46:47], v[40:43] blgp:1" ::
			 : "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47");
	out[threadIdx.x] = 0;
#else
	out[threadIdx.x] = __builtin_amdgcn_mfma_f64_4x4x4f64(1.0, 2.0, 3.0, 0, 0, 1);
#endif
}

// One access through a buffer resource: s[44:47], soffset in s48. The lane's offset is `lane * step`,
// its index the lane. The data go from and to v[40:43]. The resource's last word is `word3`.
#define BUFFER(number, text)                                                                   \
	case number:                                                                           \
		asm volatile("v_readfirstlane_b32 s44, %4\n\tv_readfirstlane_b32 s45, %5\n\t"  \
			     "v_readfirstlane_b32 s46, %6\n\tv_readfirstlane_b32 s47, %11\n\t"  \
			     "v_readfirstlane_b32 s48, %7\n\tv_mov_b32 v44, %8\n\t"            \
			     "v_mov_b32 v45, %9\n\tv_mov_b32 v40, %10\n\t"                     \
			     "v_add_u32 v41, 1, v40\n\tv_add_u32 v42, 2, v40\n\t"              \
			     "v_add_u32 v43, 3, v40\n\ts_nop 4\n\t" text                       \
			     "\n\ts_waitcnt vmcnt(0)\n\tv_mov_b32 %0, v40\n\t"                 \
			     "v_mov_b32 %1, v41\n\tv_mov_b32 %2, v42\n\tv_mov_b32 %3, v43"     \
			     : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d)                          \
			     : "v"((unsigned)base), "v"((unsigned)(base >> 32) | stride << 16), \
			       "v"(records), "v"(soffset), "v"(lane), "v"(lane * step),        \
			       "v"(0x10000 + 4 * lane), "v"(word3)                             \
			     : "s44", "s45", "s46", "s47", "s48", "v40", "v41", "v42", "v43",  \
			       "v44", "v45", "memory");                                        \
		break;

extern "C" __global__ void buffer_access(unsigned *out, unsigned long long base, unsigned stride,
					 unsigned records, unsigned soffset, unsigned step,
					 unsigned how)
{
	unsigned lane = threadIdx.x, a = 0, b = 0, c = 0, d = 0, word3 = 0x20000;

	switch (how) {
		BUFFER(0, "buffer_load_ubyte v40, v45, s[44:47], s48 offen")
		BUFFER(1, "buffer_load_ushort v40, v45, s[44:47], s48 offen offset:2")
		BUFFER(2, "buffer_load_dword v40, v45, s[44:47], s48 offen offset:4")
		BUFFER(3, "buffer_load_dwordx2 v[40:41], v45, s[44:47], s48 offen")
		BUFFER(4, "buffer_load_dwordx4 v[40:43], v45, s[44:47], s48 offen")
		BUFFER(5, "buffer_load_dword v40, v44, s[44:47], s48 idxen offset:8")
		BUFFER(6, "buffer_load_dwordx4 v[40:43], v[44:45], s[44:47], s48 idxen offen")
		BUFFER(7, "buffer_load_dword v40, off, s[44:47], s48 offset:8")
		BUFFER(8, "buffer_store_dwordx4 v[40:43], v45, s[44:47], s48 offen")
		BUFFER(9, "buffer_store_dword v40, v44, s[44:47], s48 idxen")
		BUFFER(10, "buffer_atomic_add v40, v45, s[44:47], s48 offen " RETURNS)
		BUFFER(11, "buffer_atomic_add_x2 v[40:41], v45, s[44:47], s48 offen " RETURNS)
	}
	out += 4 * lane;
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
}

// The same with the format that word3 names.
extern "C" __global__ void buffer_format(unsigned *out, unsigned long long base, unsigned stride,
					 unsigned records, unsigned word3, unsigned how)
{
	unsigned lane = threadIdx.x, a = 0, b = 0, c = 0, d = 0, soffset = 0, step = 0;

	switch (how) {
		BUFFER(0, "buffer_load_format_x v40, v44, s[44:47], s48 idxen")
		BUFFER(1, "buffer_load_format_xy v[40:41], v44, s[44:47], s48 idxen")
		BUFFER(2, "buffer_load_format_xyz v[40:42], v44, s[44:47], s48 idxen")
		BUFFER(3, "buffer_load_format_xyzw v[40:43], v44, s[44:47], s48 idxen")
		BUFFER(4, "buffer_store_format_x v40, v44, s[44:47], s48 idxen")
		BUFFER(5, "buffer_store_format_xyzw v[40:43], v44, s[44:47], s48 idxen")
	}
	out += 4 * lane;
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
}

// A long dependent chain, for the speed figure.
extern "C" __global__ void work(float *out, unsigned n)
{
	float a = threadIdx.x, b = 1.0f;
	for (unsigned i = 0; i < n; i++) {
		a = a * 0.999f + b;
		b = b * 1.001f - 0.5f;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}
