// SPDX-License-Identifier: Apache-2.0
// Every way to write an atomic update, one kernel each: what a compiler makes of it is a row of
// analyzer/model/atomic_code.def (see tests/fixes/code). Kernels are named CONSTRUCT_OPERATION.
#include <hip/hip_runtime.h>

#define KERNEL(name, type, statement)                   \
	extern "C" __global__ void name(type *p, type v) \
	{                                               \
		statement;                              \
	}

#define AGENT  __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
#define SYSTEM __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM
#define GLOBAL(type) (__attribute__((address_space(1))) type *)
#define FLAT(type)   (__attribute__((address_space(0))) type *)

KERNEL(ATOMIC_F32_ADD, float, atomicAdd(p, v))
KERNEL(ATOMIC_F64_ADD, double, atomicAdd(p, v))
KERNEL(ATOMIC_F32_MINMAX, float, atomicMin(p, v))
KERNEL(ATOMIC_F64_MINMAX, double, atomicMin(p, v))
KERNEL(ATOMIC_INT_MINMAX, int, atomicMin(p, v))
KERNEL(ATOMIC_INT_BITS, unsigned, atomicOr(p, v))
KERNEL(ATOMIC_INT_INC, unsigned, atomicInc(p, v))

KERNEL(ATOMIC_SYSTEM_F32_ADD, float, atomicAdd_system(p, v))
KERNEL(ATOMIC_SYSTEM_F64_ADD, double, atomicAdd_system(p, v))
KERNEL(ATOMIC_SYSTEM_INT_MINMAX, int, atomicMin_system(p, v))
KERNEL(ATOMIC_SYSTEM_INT_BITS, unsigned, atomicOr_system(p, v))

KERNEL(SAFE_F32_ADD, float, safeAtomicAdd(p, v))
KERNEL(SAFE_F64_ADD, double, safeAtomicAdd(p, v))
KERNEL(UNSAFE_F32_ADD, float, unsafeAtomicAdd(p, v))
KERNEL(UNSAFE_F64_ADD, double, unsafeAtomicAdd(p, v))
#if HIP_VERSION >= 50300000
KERNEL(SAFE_F32_MINMAX, float, safeAtomicMin(p, v))
KERNEL(SAFE_F64_MINMAX, double, safeAtomicMin(p, v))
KERNEL(UNSAFE_F32_MINMAX, float, unsafeAtomicMin(p, v))
KERNEL(UNSAFE_F64_MINMAX, double, unsafeAtomicMin(p, v))
#endif

KERNEL(FETCH_F32_ADD, float, __hip_atomic_fetch_add(p, v, AGENT))
KERNEL(FETCH_F64_ADD, double, __hip_atomic_fetch_add(p, v, AGENT))
KERNEL(FETCH_F32_MINMAX, float, __hip_atomic_fetch_min(p, v, AGENT))
KERNEL(FETCH_F64_MINMAX, double, __hip_atomic_fetch_min(p, v, AGENT))
KERNEL(FETCH_INT_MINMAX, int, __hip_atomic_fetch_min(p, v, AGENT))
KERNEL(FETCH_INT_BITS, unsigned, __hip_atomic_fetch_or(p, v, AGENT))
KERNEL(FETCH_SYSTEM_F32_ADD, float, __hip_atomic_fetch_add(p, v, SYSTEM))
KERNEL(FETCH_SYSTEM_F64_ADD, double, __hip_atomic_fetch_add(p, v, SYSTEM))

KERNEL(GENERIC_F32_ADD, float, __atomic_fetch_add(p, v, __ATOMIC_RELAXED))
KERNEL(GENERIC_F64_ADD, double, __atomic_fetch_add(p, v, __ATOMIC_RELAXED))

#if defined(__gfx90a__) || (defined(__gfx942__) && __clang_major__ > 15)
KERNEL(BUILTIN_F32_ADD, float, __builtin_amdgcn_global_atomic_fadd_f32(GLOBAL(float) p, v))
KERNEL(BUILTIN_F64_ADD, double, __builtin_amdgcn_flat_atomic_fadd_f64(FLAT(double) p, v))
KERNEL(BUILTIN_F64_MINMAX, double, __builtin_amdgcn_flat_atomic_fmin_f64(FLAT(double) p, v))
#endif

#if defined(__has_extension)
#if __has_extension(clang_atomic_attributes)
#define FINE [[clang::atomic(fine_grained_memory)]]
KERNEL(ATTRIBUTE_F32_ADD, float, FINE { __hip_atomic_fetch_add(p, v, AGENT); })
KERNEL(ATTRIBUTE_F64_ADD, double, FINE { __hip_atomic_fetch_add(p, v, AGENT); })
KERNEL(ATTRIBUTE_F32_MINMAX, float, FINE { __hip_atomic_fetch_min(p, v, AGENT); })
KERNEL(ATTRIBUTE_F64_MINMAX, double, FINE { __hip_atomic_fetch_min(p, v, AGENT); })
#endif
#endif

// A loop of one's own.
extern "C" __global__ void LOOP_F32_ADD(float *p, float v)
{
	unsigned *bits = (unsigned *)p, old = *bits, seen;

	do {
		seen = old;
		old = atomicCAS(bits, seen, __float_as_uint(__uint_as_float(seen) + v));
	} while (old != seen);
}

extern "C" __global__ void LOOP_F64_ADD(double *p, double v)
{
	unsigned long long *bits = (unsigned long long *)p, old = *bits, seen;

	do {
		seen = old;
		old = atomicCAS(bits, seen,
				(unsigned long long)__double_as_longlong(
				    __longlong_as_double((long long)seen) + v));
	} while (old != seen);
}
