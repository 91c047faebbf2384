// SPDX-License-Identifier: Apache-2.0
// How many lane-instructions a second the software GPU executes, by kind of instruction. Each
// kernel repeats a block whose length is known; the loop's own three scalar instructions count too.
#include <hip/hip_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 32 // instructions in a block
#define TURNS 2000
#define GROUPS 8
#define LANES 256

#define TWICE(s)  s s
#define FOUR(s)	  TWICE(TWICE(s))
#define EIGHT(s)  TWICE(FOUR(s))
#define FULL(a, b) EIGHT(a "\n\t" b "\n\t" a "\n\t" b "\n\t")

#define KERNEL(name, type, code)                                                                  \
	__global__ void name(type *p, bool half)                                                  \
	{                                                                                         \
		type *at = p + threadIdx.x;                                                       \
		type a = *at, b = a;                                                              \
		__shared__ type local[LANES];                                                     \
		unsigned offset = threadIdx.x * sizeof(type);                                     \
                                                                                                  \
		local[threadIdx.x] = a;                                                           \
		if (half && threadIdx.x & 1)                                                      \
			return;                                                                   \
		for (int i = 0; i < TURNS; i++)                                                   \
			asm volatile(code : "+v"(a), "+v"(b) : "v"(at), "v"(offset) : "vcc", "scc", "memory"); \
		*at = a + b + local[threadIdx.x];                                                 \
	}

KERNEL(float_fma, float, FULL("v_fma_f32 %0, %0, %1, %1", "v_fma_f32 %1, %1, %0, %0"))
KERNEL(double_fma, double, FULL("v_fma_f64 %0, %0, %1, %1", "v_fma_f64 %1, %1, %0, %0"))
KERNEL(integer_add, unsigned, FULL("v_add_u32 %0, %0, %1", "v_add_u32 %1, %1, %0"))
KERNEL(carry_add, unsigned, FULL("v_add_co_u32 %0, vcc, %0, %1", "v_addc_co_u32 %1, vcc, %1, %0, vcc"))
KERNEL(compare, unsigned, FULL("v_cmp_lt_u32 vcc, %0, %1", "v_cndmask_b32 %1, %1, %0, vcc"))
KERNEL(scalar, unsigned, FULL("s_nop 0", "s_cmp_eq_u32 s0, s1"))
KERNEL(load, unsigned, FULL("global_load_dword %0, %2, off", "global_load_dword %1, %2, off") "s_waitcnt vmcnt(0)\n\t")
KERNEL(lds_read, unsigned, FULL("ds_read_b32 %0, %3", "ds_read_b32 %1, %3") "s_waitcnt lgkmcnt(0)\n\t")

template <class T> static void measure(const char *name, void (*kernel)(T *, bool), bool half)
{
	struct timespec from, to;
	clock_t cpu;
	T *p;

	if (hipMalloc((void **)&p, LANES * sizeof(T)) || hipMemset(p, 0, LANES * sizeof(T)))
		exit(1);
	kernel<<<1, 64>>>(p, half); // decodes, and loads the module
	if (hipDeviceSynchronize())
		exit(1);
	cpu = clock();
	clock_gettime(CLOCK_MONOTONIC, &from);
	kernel<<<GROUPS, LANES>>>(p, half);
	if (hipDeviceSynchronize())
		exit(1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	cpu = clock() - cpu;
	double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	double waves = GROUPS * LANES / 64.0, lanes = half ? 32 : 64;

	double executed = waves * lanes * TURNS * (BLOCK + 3) / 1e6;

	printf("%-12s %-10s %6.0f million lane-instructions a second, %6.0f of processor time\n", name,
	       half ? "half lanes" : "all lanes", executed / seconds, executed * CLOCKS_PER_SEC / (double)cpu);
	(void)hipFree(p);
}

int main(void)
{
	for (int half = 0; half < 2; half++) {
		measure("float fma", float_fma, half);
		measure("double fma", double_fma, half);
		measure("integer add", integer_add, half);
		measure("carry add", carry_add, half);
		measure("compare", compare, half);
		measure("scalar", scalar, half);
		measure("load", load, half);
		measure("LDS read", lds_read, half);
	}
	return 0;
}
