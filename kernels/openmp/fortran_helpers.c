// SPDX-License-Identifier: Apache-2.0
// clang-format off
// For the Fortran samples: what flang 19 has no words for.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#pragma omp requires unified_shared_memory

// AMD's compiler makes this of `atomic hint(AMD_fast_fp_atomics)`.
#pragma omp begin declare target
void add_fast(double *target, const double *value);
void add_fast(double *target, const double *value)
{
#ifdef __AMDGCN__
	__builtin_amdgcn_flat_atomic_fadd_f64((__attribute__((address_space(0))) double *)target, *value);
#else
	*target += *value;
#endif
}
#pragma omp end declare target

// Does for a map what AMD's OpenMP runtime does under unified shared memory; see arraysum_shared.c.
void map_like_amd(void *memory, const size_t *size);
void map_like_amd(void *memory, const size_t *size)
{
	struct {
		uint64_t attribute, value;
	} coarse = { 0, 1 };
	void *library = dlopen("libhsa-runtime64.so", RTLD_LAZY);
	int (*set)(void *, size_t, void *, size_t) =
		library ? (int (*)(void *, size_t, void *, size_t))dlsym(library, "hsa_amd_svm_attributes_set") : NULL;

	if (set)
		set(memory, *size, &coarse, 1);
}
