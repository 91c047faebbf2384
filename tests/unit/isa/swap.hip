// SPDX-License-Identifier: Apache-2.0
/*
 * Compare-and-swaps: in loops and not, native and through calls. Lines "//! KERNEL VARIANTS: SPEC" as in
 * kernels.hip.
 */
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ void
#define APART  __device__ __noinline__
#define ORDER  __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

typedef unsigned long long word;

/* The emulation that every second program has. */
APART double add_double(double *to, double by)
{
	word *where = (word *)to, old = *where, assumed;

	do {
		assumed = old;
		old = atomicCAS(where, assumed, (word)__double_as_longlong(by + __longlong_as_double((long long)assumed)));
	} while (assumed != old);
	return __longlong_as_double((long long)old);
}

//! emulated_double *: cas-add f64 direct 8
KERNEL emulated_double(int n, double *to, double by)
{
	add_double(to + n, by);
}

//! emulated_float *: cas-add f32 direct 8
KERNEL emulated_float(int n, float *to, float by)
{
	int *where = (int *)(to + n), old = *where, assumed;

	do {
		assumed = old;
		old = atomicCAS(where, assumed, __float_as_int(by + __int_as_float(assumed)));
	} while (assumed != old);
}

//! emulated_product *: cas-other f64 direct 0
KERNEL emulated_product(double *to, double by)
{
	word *where = (word *)to, old = *where, assumed;

	do {
		assumed = old;
		old = atomicCAS(where, assumed, (word)__double_as_longlong(by * __longlong_as_double((long long)assumed)));
	} while (assumed != old);
}

//! emulated_min *: cas-min f32 direct 0
KERNEL emulated_min(float *to, float by)
{
	int *where = (int *)to, old = *where, assumed;

	do {
		assumed = old;
		old = atomicCAS(where, assumed, __float_as_int(fminf(by, __int_as_float(assumed))));
	} while (assumed != old);
}

//! emulated_xor *: cas-xor i32 direct 0
KERNEL emulated_xor(unsigned *to, unsigned by)
{
	unsigned old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed, assumed ^ by);
	} while (assumed != old);
}

/* Divisions of integers go through floating point, products through additions. */
//! emulated_quotient *: cas-other i32 direct 0
KERNEL emulated_quotient(int *to, int by)
{
	int old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed, assumed / by);
	} while (assumed != old);
}

//! emulated_wide_quotient *: cas-other i64 direct 0
KERNEL emulated_wide_quotient(long long *to, long long by)
{
	word *where = (word *)to, old = *where, assumed;

	do {
		assumed = old;
		old = atomicCAS(where, assumed, (word)((long long)assumed / by));
	} while (assumed != old);
}

//! emulated_wide_product *: cas-other i64 direct 0
KERNEL emulated_wide_product(word *to, word by)
{
	word old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed, assumed * by);
	} while (assumed != old);
}

/* An integer that is added to as a float: no instruction does that. */
//! rounded_sum *: cas-other i32 direct 0
KERNEL rounded_sum(int *to, float by)
{
	int old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed, (int)((float)assumed + by));
	} while (assumed != old);
}

/* The upper half of a word is the number (bfloat16), or one half of a wide word. */
//! short_sum *: cas-other f32 direct 0
KERNEL short_sum(unsigned *to, float by)
{
	unsigned old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed,
				(__float_as_uint(by + __uint_as_float(assumed & 0xffff0000u)) & 0xffff0000u) |
				    (assumed & 0xffffu));
	} while (assumed != old);
}

//! half_of_a_word *: cas-other f32 direct 0
KERNEL half_of_a_word(word *to, float by)
{
	word old = *to, assumed;

	do {
		assumed = old;
		old = atomicCAS(to, assumed,
				(assumed & 0xffffffff00000000ull) | __float_as_uint(by + __uint_as_float((unsigned)assumed)));
	} while (assumed != old);
}

/* Read anew each time. */
//! loaded_anew *: cas-add f32 direct 0
KERNEL loaded_anew(float *to, float by)
{
	unsigned *where = (unsigned *)to, seen;

	do {
		seen = *(volatile unsigned *)where;
	} while (atomicCAS(where, seen, __float_as_uint(__uint_as_float(seen) + by)) != seen);
}

//! builtin_strong *-O0@17: miscompiled
//! builtin_strong *: cas-add f32 direct 0
KERNEL builtin_strong(float *to, float by)
{
	float expected = __hip_atomic_load(to, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);

	while (!__hip_atomic_compare_exchange_strong(to, &expected, expected + by, ORDER))
		;
}

//! builtin_weak *-O0@17: miscompiled
//! builtin_weak *: cas-other i32 direct 0
KERNEL builtin_weak(int *to, int by)
{
	int expected = *to;

	while (!__hip_atomic_compare_exchange_weak(to, &expected, expected * by, ORDER))
		;
}

APART bool try_swap(word *to, word *expected, word desired)
{
	return __hip_atomic_compare_exchange_strong(to, expected, desired, ORDER);
}

//! expected_by_pointer *-O0: cas-add f64 direct 0
//! expected_by_pointer *-O[123]@-16: cas-add f64 direct 0
// clang 17 keeps `expected` in LDS.
//! expected_by_pointer *-O[123]@17: swap i64 direct 0
//! expected_by_pointer *-O[123]@18-: cas-add f64 direct 0
KERNEL expected_by_pointer(double *to, double by)
{
	word expected = *(word *)to;

	while (!try_swap((word *)to, &expected, (word)__double_as_longlong(__longlong_as_double((long long)expected) + by)))
		;
}

template <class F> APART void update(float *to, F f)
{
	unsigned expected = *(unsigned *)to, old;

	for (;;) {
		old = atomicCAS((unsigned *)to, expected, __float_as_uint(f(__uint_as_float(expected))));
		if (old == expected)
			break;
		expected = old;
	}
}

//! by_functor *: cas-add f32 direct 0
KERNEL by_functor(float *to, float by)
{
	update(to, [=](float x) { return x + by; });
}

//! library_add *: cas-add f32 direct 0
//! library_add *@-20: cas-add f64 direct 8
// HIP 6.4's headers leave it to the compiler, which takes the hardware's; those of ROCm 7 do not.
//! library_add *@21: native f64 direct 8
//! library_add *@22-: cas-add f64 direct 8
KERNEL library_add(float *to, double *wide, float by)
{
	atomicAdd(to, by);
	atomicAdd(wide, (double)by);
}

//! library_unsafe *: native f32 direct 0
//! library_unsafe *-O0: native f32 lds
//! library_unsafe *: native f64 direct 8
//! library_unsafe *-O0@18-: ? native f64 lds
KERNEL library_unsafe(float *to, double *wide, float by)
{
	unsafeAtomicAdd(to, by);
	unsafeAtomicAdd(wide, (double)by);
}

//! library_safe *@-21: cas-add f32 direct 0
//! library_safe *@-20: cas-add f64 direct 8
//! library_safe *@21: native f64 direct 8
// ROCm 7's leave both to it on gfx90a.
//! library_safe *@22-: native f32 direct 0
//! library_safe *-O0@22-: ? native f32 lds
//! library_safe *-O[123]@22-: native f64 direct 8
//! library_safe *-O0@22-: ? native f64 direct 8
//! library_safe *-O0@22-: ? native f64 unknown
KERNEL library_safe(float *to, double *wide, float by)
{
	safeAtomicAdd(to, by);
	safeAtomicAdd(wide, (double)by);
}

/* ---- no loop, or none that computes ---- */

//! once *: native i32 direct 0
KERNEL once(int *to, int n)
{
	atomicCAS(to, n, n + 1);
}

/* What the first returned is what the second computes with. */
//! twice *: native i32 direct 0
KERNEL twice(int *to, int n)
{
	int old = atomicCAS(to, n, 1);

	atomicCAS(to + 1, old, old + 1);
}

//! other_address *-O[123]: native i32 direct 0
//! other_address *-O0: swap i32 direct 0
KERNEL other_address(float *to, int n)
{
	unsigned old = 0;

	/* Each is another float: nothing is tried again. */
	for (int i = 0; i < n; i++)
		old = atomicCAS((unsigned *)to + i, i, old);
}

//! insert_key *-O[123]: native i32 direct 0
//! insert_key *-O0: swap i32 direct 0
KERNEL insert_key(int *table, int key, int mask)
{
	int slot = key & mask;

	for (;;) {
		int old = atomicCAS(&table[slot], -1, key);

		if (old == -1 || old == key)
			break;
		slot = (slot + 1) & mask;
	}
}

//! take_lock *: lock i32 direct 0
//! take_lock *-O[123]@17-: ? native i32 direct 0
//! take_lock *-O0: native i32 direct 0
KERNEL take_lock(int *lock, int *count)
{
	bool done = false;

	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			count[0]++;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}
