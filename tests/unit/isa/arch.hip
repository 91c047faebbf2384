// SPDX-License-Identifier: Apache-2.0
// Kernels for processors that hipcc of the distribution does not know, compiled by a newer clang without any
// header or device library. Lines "//! KERNEL VARIANTS: SPEC" say what must come out, as in kernels.hip;
// a variant is PROCESSOR-LEVEL.
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define RELAXED __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

DEVICE static inline int thread(void)
{
	return (int)(__builtin_amdgcn_workitem_id_x() + 64 * __builtin_amdgcn_workgroup_id_x());
}

//! add_direct *: native i32 direct 0
//! add_direct *: uses 0:a
KERNEL void add_direct(int *a, int n)
{
	int i = thread();

	if (i < n)
		__hip_atomic_fetch_add(a + i, 1, RELAXED); // @add_direct
}

// A hardware instruction only where the compiler takes one without an option for unsafe atomics.
//! add_float gfx9[045][0-9a-z]*: ? native f32 direct 8
//! add_float gfx1[12]*@22-: ? native f32 direct 8
//! add_float *: ? cas-add f32 direct 8
KERNEL void add_float(const float *from, float *to, int n)
{
	int i = thread();

	if (i < n)
		__hip_atomic_fetch_add(to + i, from[i], RELAXED);
}

//! cas_double *: cas-add f64 direct 0
KERNEL void cas_double(unsigned long long *to, const double *from)
{
	unsigned long long old = *to, assumed;

	do {
		double sum = __builtin_bit_cast(double, old) + from[thread()];

		assumed = old;
		__hip_atomic_compare_exchange_strong(to, &old, __builtin_bit_cast(unsigned long long, sum),
						     __ATOMIC_RELAXED, RELAXED);
	} while (old != assumed);
}

struct view {
	int rows, columns;
	int *data[3];
	long offset;
};

//! in_struct *: native i32 direct 24
KERNEL void in_struct(int n, struct view view)
{
	__hip_atomic_fetch_add(view.data[1] + view.offset + n, 1, RELAXED);
}

// A computed place in the argument: any of its words. Without optimisation, in private memory.
//! from_array *-O0: ? native i32 unknown
//! from_array *-O1: native i32 set 8,16,24,32,40
//! from_array *-O3: native i32 direct 16
//! from_array *-O3: native i32 direct 24
//! from_array *-O3: native i32 direct 32
KERNEL void from_array(int n, struct view view)
{
	for (int i = 0; i < 3; i++)
		__hip_atomic_fetch_max(view.data[i] + n, thread(), RELAXED);
}

//! by_branch *: native i32 set 0,8
KERNEL void by_branch(int *a, int *b, const int *key)
{
	int i = thread();
	int *to = key[i] & 1 ? a : b;

	__hip_atomic_fetch_xor(to + key[i], 1, RELAXED);
}

//! both_sides *: native i32 direct 0
//! both_sides *: native i32 direct 8
KERNEL void both_sides(int *a, int *b, const int *key)
{
	int i = thread();

	if (key[i] & 1)
		__hip_atomic_fetch_add(a + i, key[i], RELAXED);
	else
		__hip_atomic_fetch_sub(b + i, key[i], RELAXED);
}

//! in_memory *: native i32 indirect 0
KERNEL void in_memory(int **table, int n)
{
	__hip_atomic_fetch_add(table[n], 1, RELAXED);
}

DEVICE int counter;

//! variable *: native i32 global counter
KERNEL void variable(int n)
{
	__hip_atomic_fetch_add(&counter, n, RELAXED);
}

DEVICE int *kept;

//! kept_pointer *: native i32 indirect kept
KERNEL void kept_pointer(int n)
{
	__hip_atomic_fetch_add(kept + n, 1, RELAXED);
}

DEVICE __attribute__((noinline)) void update(int *to, int by)
{
	__hip_atomic_fetch_add(to, by, RELAXED);
}

//! through_call *: native i32 set 0,8
KERNEL void through_call(int *a, int *b, int n)
{
	update(a + n, 1);
	update(b + n, 2);
}

//! local *: native i32 lds
//! local *: native i32 direct 0
//! local gfx9[45]*-O[13]: facts lds-size lds barrier agent
//! local gfx12*-O[13]: facts lds-size lds barrier agent
//! local gfx10*-O[13]: facts lds-size lds barrier
//! local gfx90[68a]*-O[13]: facts lds-size lds barrier
KERNEL void local(int *to, const int *from)
{
	static SHARED int bins[64];
	int i = (int)__builtin_amdgcn_workitem_id_x();

	bins[i] = 0;
	__builtin_amdgcn_s_barrier();
	__hip_atomic_fetch_add(&bins[from[i] & 63], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
	__builtin_amdgcn_s_barrier();
	__hip_atomic_fetch_add(to + i, bins[i], RELAXED);
}

//! spilled *-O[13]: native i32 direct 0
//! spilled *-O[13]: native i32 direct 8
//! spilled *-O0: ? native i32 direct 0
//! spilled *-O0: ? native i32 direct 8
//! spilled *-O0: ? native i32 unknown
KERNEL void spilled(int *a, int *b, const int *from, int n)
{
	int x[40];

	for (int i = 0; i < 40; i++)
		x[i] = from[i * n];
	__asm__ volatile("; many registers" ::: "v30", "v31", "v32", "s40", "s41", "s42", "s43");
	for (int i = 0; i < 40; i++)
		__hip_atomic_fetch_add(a + x[i], x[39 - i], RELAXED);
	__hip_atomic_fetch_add(b + x[7], 1, RELAXED);
}

//! chosen_at_run_time *: ? native i32 set 0,8,16,24
//! chosen_at_run_time *: ? native i32 unknown
KERNEL void chosen_at_run_time(int *a, int *b, int *c, int *d, int n)
{
	int *table[4] = {a, b, c, d};

	__hip_atomic_fetch_add(table[n & 3], 1, RELAXED);
}

//! chosen_of_many *: ? native i32 set 0,8,16,24,32,40,48,56
//! chosen_of_many *: ? native i32 unknown
KERNEL void chosen_of_many(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h, const int *which)
{
	int *table[8] = {a, b, c, d, e, f, g, h};

	table[which[0] & 7] = h;
	for (int i = 0; i < which[1]; i++)
		__hip_atomic_fetch_add(table[which[i] & 7], 1, RELAXED);
}

//! copy *: none
//! copy *: uses 0:r 8:w
KERNEL void copy(const int *from, int *to)
{
	to[thread()] = from[thread()];
}

//! for_the_host *: none
//! for_the_host gfx90a*: facts release acquire
//! for_the_host gfx9[45]*: facts release acquire
//! for_the_host gfx12*: facts release acquire
//! for_the_host gfx906*: facts
//! for_the_host gfx1[01]*: facts
KERNEL void for_the_host(int *a, const int *b)
{
	a[0] = 1;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	a[1] = b[0];
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
	a[2] = b[1];
}

//! for_the_agent *: none
//! for_the_agent *: facts
KERNEL void for_the_agent(int *a, const int *b)
{
	a[0] = 1;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	a[1] = b[0];
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
	a[2] = b[1];
}

//! seen_by_the_host *: native i32 direct 0
//! seen_by_the_host gfx9[45]*: facts system
//! seen_by_the_host gfx12*: facts system
//! seen_by_the_host gfx1[01]*: facts
//! seen_by_the_host gfx90*: facts
KERNEL void seen_by_the_host(int *a)
{
	__hip_atomic_fetch_or(a, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

//! waits *-O[13]: none
//! waits *: facts spin
KERNEL void waits(const int *flag, int *a)
{
	while (!__hip_atomic_load(flag, RELAXED))
		__builtin_amdgcn_s_sleep(2);
	a[0] = 1;
}

// Nobody knows how much stack the function takes, nor what it does.
//! calls_anything *: none
//! calls_anything *: facts dynamic-stack
//! calls_anything *: uses 0:r incomplete
KERNEL void calls_anything(void (**function)(int))
{
	(*function)(1);
}

// Through a buffer resource that is made of an argument, as Triton's kernels do it. Words 2 and 3 are size and format; the
// offset register that is left out is called "null" from gfx12 on, and the integer operations have other names from gfx11 on.
// Without optimisation the compiler takes no such operand from a function.
#ifdef __OPTIMIZE__
typedef unsigned int descriptor __attribute__((ext_vector_type(4)));

DEVICE static inline descriptor buffer_of(const void *p)
{
	unsigned long long address = (unsigned long long)p;

	return descriptor{ (unsigned)address, (unsigned)(address >> 32) & 0xffff, 4096, 0x31014000 };
}

#ifdef __GFX12__
#define NO_OFFSET "null"
#else
#define NO_OFFSET "0"
#endif
#if defined(__GFX11__) || defined(__GFX12__)
#define MAXIMUM "buffer_atomic_max_i32"
#else
#define MAXIMUM "buffer_atomic_smax"
#endif

//! buffer_maximum *-O[13]: native i32 direct 8
//! buffer_maximum *-O[13]: uses 8:a
KERNEL void buffer_maximum(int n, int *largest)
{
	asm volatile(MAXIMUM " %0, off, %1, " NO_OFFSET : : "v"(n + thread()), "s"(buffer_of(largest)) : "memory");
}

// Not on all of them.
#if !defined(__gfx906__) && !defined(__gfx1010__) && !defined(__gfx1030__)
//! buffer_sum gfx90[8a]*-O[13]: native f32 direct 0
//! buffer_sum gfx9[45]*-O[13]: native f32 direct 0
//! buffer_sum gfx1[12]*-O[13]: native f32 direct 0
//! buffer_sum gfx1[12]*-O[13]: uses 0:a
KERNEL void buffer_sum(float *sum, float x)
{
	asm volatile("buffer_atomic_add_f32 %0, off, %1, " NO_OFFSET : : "v"(x), "s"(buffer_of(sum)) : "memory");
}
#endif
#endif
