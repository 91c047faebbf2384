// SPDX-License-Identifier: Apache-2.0
// Instructions that compilers make of built-in functions or not at all, against what the MI200
// instruction set document says of them, computed on the host.
#include "program.h"

#define N 4096

static __host__ __device__ uint64_t wide(uint32_t i)
{
	return (uint64_t)hash32(i) << 32 | hash32(i + 0x10000);
}

// Floats of both signs, among them zeros and equal magnitudes.
static __host__ __device__ float coordinate(uint32_t i)
{
	return (float)((int)(hash32(i) % 9) - 4) * 0.75f;
}

// ---- sums of absolute differences ----

typedef uint32_t u4 __attribute__((ext_vector_type(4)));

struct sums {
	uint64_t plain, masked;
	uint32_t four[4];
};

static __host__ __device__ uint32_t reference(uint32_t i)
{
	return hash32(i + 0x20000) & (i % 3 ? 0xffffffffu : 0xff00ff00u);
}

static uint32_t sad(uint64_t bytes, uint32_t other, bool masked)
{
	uint32_t sum = 0;

	for (int k = 0; k < 4; k++) {
		int a = (int)(bytes >> (8 * k) & 0xff), b = (int)(other >> (8 * k) & 0xff);

		if (!masked || b)
			sum += (uint32_t)abs(a - b);
	}
	return sum;
}

__global__ void sums_kernel(sums *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	u4 add = { i, hash32(i), ~0u, 0 }, four;
	sums s;

	s.plain = __builtin_amdgcn_qsad_pk_u16_u8(wide(i), reference(i), wide(i + 7));
	s.masked = __builtin_amdgcn_mqsad_pk_u16_u8(wide(i), reference(i), wide(i + 7));
	four = __builtin_amdgcn_mqsad_u32_u8(wide(i), reference(i), add);
	for (int k = 0; k < 4; k++)
		s.four[k] = four[k];
	out[i] = s;
}

static bool differences(void)
{
	device<sums> out(N);

	sums_kernel<<<N / 256, 256>>>(out);
	FINISH();
	std::vector<sums> got = out.get();
	for (uint32_t i = 0; i < N; i++) {
		uint32_t add[4] = { i, hash32(i), ~0u, 0 };
		sums want = {};

		for (int k = 0; k < 4; k++) {
			uint64_t from = wide(i) >> (8 * k);
			uint64_t c = wide(i + 7) >> (16 * k);

			want.plain |= ((sad(from, reference(i), false) + c) & 0xffff) << (16 * k);
			want.masked |= ((sad(from, reference(i), true) + c) & 0xffff) << (16 * k);
			want.four[k] = sad(from, reference(i), true) + add[k];
		}
		if (memcmp(&want, &got[i], sizeof(want))) {
			printf("# item %u\n", i);
			return false;
		}
	}
	return true;
}

// ---- faces of a cube map ----

__global__ void cube_kernel(float *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = coordinate(i), y = coordinate(i + N), z = coordinate(i + 2 * N);

	out[i] = __builtin_amdgcn_cubeid(x, y, z);
	out[i + N] = __builtin_amdgcn_cubesc(x, y, z);
	out[i + 2 * N] = __builtin_amdgcn_cubetc(x, y, z);
	out[i + 3 * N] = __builtin_amdgcn_cubema(x, y, z);
}

static bool cube(void)
{
	device<float> out(4 * N);

	cube_kernel<<<N / 256, 256>>>(out);
	FINISH();
	std::vector<float> got = out.get();
	for (uint32_t i = 0; i < N; i++) {
		float x = coordinate(i), y = coordinate(i + N), z = coordinate(i + 2 * N), w[4];

		if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y)) {
			w[0] = z < 0 ? 5 : 4, w[1] = z < 0 ? -x : x, w[2] = -y, w[3] = 2 * z;
		} else if (fabsf(y) >= fabsf(x)) {
			w[0] = y < 0 ? 3 : 2, w[1] = x, w[2] = y < 0 ? -z : z, w[3] = 2 * y;
		} else {
			w[0] = x < 0 ? 1 : 0, w[1] = x < 0 ? z : -z, w[2] = -y, w[3] = 2 * x;
		}
		for (int k = 0; k < 4; k++)
			if (got[i + k * N] != w[k]) {
				printf("# %g %g %g, %d: %g\n", x, y, z, k, got[i + k * N]);
				return false;
			}
	}
	return true;
}

// ---- halves to normalized integers ----

__global__ void normal_kernel(uint32_t *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, one, two, three, four,
		 byte = 0x11223344;

	asm("v_cvt_norm_i16_f16 %0, %1" : "=v"(one) : "v"(i));
	asm("v_cvt_norm_u16_f16 %0, %1" : "=v"(two) : "v"(i));
	asm("v_cvt_pknorm_i16_f16 %0, %1, %2" : "=v"(three) : "v"(i), "v"(i ^ 0x8000));
	asm("v_cvt_pknorm_u16_f16 %0, %1, %2" : "=v"(four) : "v"(i), "v"(i ^ 0x8000));
	asm("v_cvt_pkaccum_u8_f32 %0, %1, %2" : "+v"(byte) : "v"((float)i / 200.0f), "v"(i & 3));
	out[5 * i] = one & 0xffff;
	out[5 * i + 1] = two & 0xffff;
	out[5 * i + 2] = three;
	out[5 * i + 3] = four;
	out[5 * i + 4] = byte;
}

static uint32_t normalized(uint32_t bits, bool sign)
{
	_Float16 h;
	uint16_t u = (uint16_t)bits;

	memcpy(&h, &u, 2);
	double x = (double)h, least = sign ? -1 : 0;

	if (x != x)
		return 0;
	x = x < least ? least : x > 1 ? 1 : x;
	return (uint32_t)(int)nearbyint(x * (sign ? 32767 : 65535)) & 0xffff;
}

static bool normal(void)
{
	device<uint32_t> out(5 << 16);

	normal_kernel<<<256, 256>>>(out);
	FINISH();
	std::vector<uint32_t> got = out.get();
	for (uint32_t i = 0; i < 1 << 16; i++) {
		uint32_t n = i ^ 0x8000, shift = 8 * (i & 3);
		uint32_t byte = (uint32_t)fmin(nearbyint((double)((float)i / 200.0f)), 255);
		uint32_t w[5] = { normalized(i, true), normalized(i, false),
				  normalized(i, true) | normalized(n, true) << 16,
				  normalized(i, false) | normalized(n, false) << 16,
				  (0x11223344u & ~(0xffu << shift)) | byte << shift };

		for (int k = 0; k < 5; k++)
			if (got[5 * i + k] != w[k]) {
				printf("# %#x, %d: %#x, not %#x\n", i, k, got[5 * i + k], w[k]);
				return false;
			}
	}
	return true;
}

// ---- local memory ----

#define LOCAL(p) (uint32_t)(uintptr_t)(__attribute__((address_space(3))) void *)(p)

struct local {
	uint32_t f32[64], f32_old[64], wrap[64], wrap_old[64], threads[64], read[64];
	uint64_t f64[64], f64_old[64];
};

static __host__ __device__ float single_at(int lane)
{
	const float values[] = { 0.0f, -0.0f, 1.5f, __builtin_nanf("") };

	return values[lane & 3];
}

__global__ void local_kernel(local *out)
{
	__shared__ float f[64];
	__shared__ double d[64];
	__shared__ uint32_t w[64], t[80];
	int l = threadIdx.x;
	float old;
	double old64;
	uint32_t oldw, read;

	f[l] = single_at(l);
	d[l] = single_at(l);
	w[l] = l;
	t[l] = 1000 + l;
	__syncthreads();
	// Compare with 0: equal to both zeros, never to NaN.
	asm volatile("ds_cmpst_rtn_f32 %0, %1, %2, %3\n\ts_waitcnt lgkmcnt(0)"
		     : "=v"(old)
		     : "v"(LOCAL(&f[l])), "v"(l < 32 ? 0.0f : single_at(l)), "v"((float)l)
		     : "memory");
	asm volatile("ds_cmpst_rtn_f64 %0, %1, %2, %3\n\ts_waitcnt lgkmcnt(0)"
		     : "=v"(old64)
		     : "v"(LOCAL(&d[l])), "v"(l < 32 ? 0.0 : (double)single_at(l)), "v"((double)l)
		     : "memory");
	asm volatile("ds_wrap_rtn_b32 %0, %1, %2, %3\n\ts_waitcnt lgkmcnt(0)"
		     : "=v"(oldw)
		     : "v"(LOCAL(&w[l])), "v"(20), "v"(7)
		     : "memory");
	asm volatile("v_readfirstlane_b32 s40, %1\n\t"
		     "s_mov_b32 s41, m0\n\t"
		     "s_mov_b32 m0, s40\n\t"
		     "ds_read_addtid_b32 %0 offset:16\n\t"
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "s_mov_b32 m0, s41"
		     : "=v"(read)
		     : "v"(LOCAL(t))
		     : "memory", "s40", "s41");
	__syncthreads();
	asm volatile("v_readfirstlane_b32 s40, %1\n\t"
		     "s_mov_b32 s41, m0\n\t"
		     "s_mov_b32 m0, s40\n\t"
		     "ds_write_addtid_b32 %0 offset:4\n\t"
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "s_mov_b32 m0, s41"
		     :
		     : "v"(l * l), "v"(LOCAL(t))
		     : "memory", "s40", "s41");
	__syncthreads();
	out->f32[l] = __float_as_uint(f[l]);
	out->f32_old[l] = __float_as_uint(old);
	out->f64[l] = __double_as_longlong(d[l]);
	out->f64_old[l] = __double_as_longlong(old64);
	out->wrap[l] = w[l];
	out->wrap_old[l] = oldw;
	out->threads[l] = t[l];
	out->read[l] = read;
}

template <class T, class U> static U bits(T x)
{
	U u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static bool shared(void)
{
	device<local> out(1);

	local_kernel<<<1, 64>>>(out);
	FINISH();
	local got = out.get()[0];
	for (int l = 0; l < 64; l++) {
		float was = single_at(l), compare = l < 32 ? 0.0f : was;
		bool good = true;

		good &= got.f32_old[l] == bits<float, uint32_t>(was);
		good &= got.f32[l] == bits<float, uint32_t>(was == compare ? (float)l : was);
		good &= was != was || got.f64_old[l] == bits<double, uint64_t>(was);
		good &=
		    was != was || got.f64[l] == bits<double, uint64_t>(was == compare ? l : was);
		good &= was == was || isnan(bits<uint64_t, double>(got.f64[l]));
		good &= got.wrap_old[l] == (uint32_t)l;
		good &= got.wrap[l] == (uint32_t)(l >= 20 ? l - 20 : l + 7);
		good &= l >= 60 || got.read[l] == (uint32_t)(1004 + l);
		good &= got.threads[l] == (uint32_t)(l ? (l - 1) * (l - 1) : 1000);
		if (!good) {
			printf("# lane %d\n", l);
			return false;
		}
	}
	return true;
}

// ---- scalar stores and atomics: one a wave, whatever lanes are active ----

// Values go from lane 0's registers into scalar ones: s[40:41] the address, s[44:47] a buffer of
// 256 bytes, s[48:51] the data, which come back.
__global__ void scalar_kernel(uint32_t *out)
{
	uint32_t low = (uint32_t)(uintptr_t)out, high = (uint32_t)((uintptr_t)out >> 32), got[5];

	if (threadIdx.x & 1)
		return;
	asm volatile("v_readfirstlane_b32 s40, %5\n\t"
		     "v_readfirstlane_b32 s41, %6\n\t"
		     "s_mov_b32 s44, s40\n\t"
		     "s_mov_b32 s45, s41\n\t"
		     "s_movk_i32 s46, 0x100\n\t"
		     "s_mov_b32 s47, 0x27000\n\t"
		     "s_movk_i32 s48, 11\n\t"
		     "s_movk_i32 s49, 12\n\t"
		     "s_movk_i32 s50, 13\n\t"
		     "s_movk_i32 s51, 14\n\t"
		     "s_store_dword s48, s[40:41], 0x0\n\t"
		     "s_store_dwordx2 s[50:51], s[40:41], 0x8\n\t"
		     "s_store_dwordx4 s[48:51], s[40:41], 0x10\n\t"
		     "s_buffer_store_dword s49, s[44:47], 0x20\n\t"
		     "s_buffer_store_dword s49, s[44:47], 0x100\n\t" // outside: vanishes
		     "s_atomic_add s48, s[40:41], 0x28 glc\n\t"
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %0, s48\n\t"
		     "s_movk_i32 s48, 0\n\t" // 2^40
		     "s_movk_i32 s49, 0x100\n\t"
		     "s_atomic_sub_x2 s[48:49], s[40:41], 0x30 glc\n\t"
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %1, s48\n\t"
		     "v_mov_b32 %2, s49\n\t"
		     "s_movk_i32 s48, 1234\n\t" // if it is 9
		     "s_movk_i32 s49, 9\n\t"
		     "s_atomic_cmpswap s[48:49], s[40:41], 0x38 glc\n\t"
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %3, s48\n\t"
		     "s_movk_i32 s48, 77\n\t"
		     "s_buffer_atomic_umax s48, s[44:47], 0x40\n\t" // no glc: the data stay
		     "s_waitcnt lgkmcnt(0)\n\t"
		     "v_mov_b32 %4, s48\n\t"
		     "s_dcache_wb\n\t"
		     "s_waitcnt lgkmcnt(0)"
		     : "=&v"(got[0]), "=&v"(got[1]), "=&v"(got[2]), "=&v"(got[3]), "=&v"(got[4])
		     : "v"(low), "v"(high)
		     : "memory", "s40", "s41", "s44", "s45", "s46", "s47", "s48", "s49", "s50",
		       "s51");
	for (int i = 0; i < 5; i++)
		out[20 + i] = got[i];
}

static bool scalar(void)
{
	std::vector<uint32_t> start(128), want;

	for (uint32_t i = 0; i < 128; i++)
		start[i] = i;
	start[14] = 9;
	device<uint32_t> out(start);
	scalar_kernel<<<1, 64>>>(out);
	FINISH();
	want = start;
	want[0] = 11;
	want[2] = 13, want[3] = 14;
	for (uint32_t i = 0; i < 4; i++)
		want[4 + i] = 11 + i;
	want[8] = 12;
	want[10] = 10 + 11, want[20] = 10;
	want[13] = 13 - 256, want[21] = 12, want[22] = 13; // 13:12 minus 2^40
	want[14] = 1234, want[23] = 9;
	want[16] = 77, want[24] = 77;
	return same(out.get(), want);
}

// ---- broadcasts of matrix operations ----

typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i16 __attribute__((ext_vector_type(16)));

static __host__ __device__ int small(uint32_t i)
{
	return (int)(hash32(i) & 15) - 8;
}

template <int CBSZ, int ABID, int BLGP> __global__ void matrix_kernel(int *out)
{
	int l = threadIdx.x;
	f4 d = { 0, 0, 0, 0 };
	i16 e = {};

	d = __builtin_amdgcn_mfma_f32_4x4x1f32((float)small(l), (float)small(l + 64), d, CBSZ, ABID,
					       BLGP);
	e = __builtin_amdgcn_mfma_i32_16x16x4i8(small(l) & 0xff, small(l + 64) & 0xff, e,
						CBSZ > 2 ? 2 : CBSZ, ABID & 3, BLGP);
	for (int n = 0; n < 4; n++)
		out[64 * n + l] = (int)d[n];
	for (int n = 0; n < 16; n++)
		out[64 * (4 + n) + l] = e[n];
}

static int b_lane(int blgp, int l)
{
	if (blgp == 1)
		return l % 32;
	if (blgp == 2)
		return l % 32 + 32;
	if (blgp == 3)
		return (l + 16) % 64;
	return blgp ? l % 16 + 16 * (blgp - 4) : l;
}

template <int CBSZ, int ABID, int BLGP> static bool broadcast(void)
{
	device<int> out(64 * 20);
	int cbsz = CBSZ > 2 ? 2 : CBSZ, abid = ABID & 3;

	matrix_kernel<CBSZ, ABID, BLGP><<<1, 64>>>(out);
	FINISH();
	std::vector<int> got = out.get(), want(64 * 20);
	for (int b = 0; b < 16; b++)
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++)
				want[64 * i + 4 * b + j] =
				    small(i + 4 * (b >> CBSZ << CBSZ | ABID)) *
				    small(b_lane(BLGP, 4 * b + j) + 64);
	for (int b = 0; b < 4; b++)
		for (int i = 0; i < 16; i++)
			for (int j = 0; j < 16; j++)
				want[64 * (4 + 4 * b + i % 4) + i / 4 * 16 + j] =
				    small(i + 16 * (b >> cbsz << cbsz | abid)) *
				    small(b_lane(BLGP, 16 * b + j) + 64);
	return same(got, want);
}

static bool broadcasts(void)
{
	return broadcast<0, 0, 1>() && broadcast<0, 0, 2>() && broadcast<0, 0, 3>() &&
	       broadcast<0, 0, 4>() && broadcast<1, 1, 5>() && broadcast<2, 3, 6>() &&
	       broadcast<4, 2, 7>() && broadcast<1, 0, 0>() && broadcast<2, 1, 0>() &&
	       broadcast<3, 1, 3>();
}

static const program programs[] = {
	{ "differences", differences },
	{ "cube", cube },
	{ "normal", normal },
	{ "shared", shared },
	{ "scalar", scalar },
	{ "broadcasts", broadcasts },
	{},
};

MAIN(programs)
