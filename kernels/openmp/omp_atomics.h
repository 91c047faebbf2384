/* SPDX-License-Identifier: Apache-2.0 */
// clang-format off
/*
 * Additions to one double, as AMD's compiler makes them of `atomic hint(AMD_fast_fp_atomics)` and
 * `atomic hint(AMD_safe_fp_atomics)`; LLVM's own does not know the hints, and always makes the
 * second.
 */
#ifndef ATOMICS_H
#define ATOMICS_H

#pragma omp begin declare target
static inline void add_safe(double *target, double value)
{
#pragma omp atomic
	*target += value;
}

static inline void add_fast(double *target, double value)
{
#pragma omp atomic
	*target += value;
}
#pragma omp end declare target

#pragma omp begin declare variant match(device = {arch(amdgcn)})
static inline void add_fast(double *target, double value)
{
	__builtin_amdgcn_flat_atomic_fadd_f64((__attribute__((address_space(0))) double *)target, value);
}
#pragma omp end declare variant

#endif
