/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for the test of analyzer/isa, compiled in every variant "safe|unsafe-O0|O1|O2|O3"
 * (unsafe: -munsafe-fp-atomics). What each must come out as was worked out by hand from its source:
 *
 *   //! KERNEL VARIANTS: SPEC        VARIANTS is a glob; @17, @17-20, @17-, @-16: clang 17 only, ...
 *
 * SPEC is one atomic: MANNER TYPE ORIGIN [PLACES], where MANNER is native, lock, cas-OP or swap (a
 * compare-and-swap of which it cannot be determined whether it is one of these), ORIGIN and
 * PLACES are those of isa.h (kernarg offsets or a symbol). "? SPEC" may, but need not, be there.
 * "facts WORD...": what else is known of the kernel (describe_facts() of expect.c).
 * "paths ...": accesses through pointers in memory (paths.hip). "miscompiled": the compiler's code is
 * wrong (expect.c looks that it is), so that nothing is compared. "none": no atomics. "uses OFFSET:rwa ... [incomplete]": what the arguments are used for. The
 * atomics of a kernel must be exactly those of the lines that apply to a variant.
 */
#include <hip/hip_runtime.h>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#define KERNEL extern "C" __global__ void

//! add_direct unsafe-*: native f32 direct 0
//! add_direct safe-*: cas-add f32 direct 0
//! add_direct unsafe-*: ? native f32 lds
//! add_direct unsafe-O[123]: uses 0:a
//! add_direct safe-O[123]: facts
//! add_direct safe-O[123]: uses 0:ra
KERNEL add_direct(float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(a, 1.0f); // @add_direct
}

//! add_second unsafe-*: native f32 direct 8
//! add_second safe-*: cas-add f32 direct 8
//! add_second unsafe-*: ? native f32 lds
KERNEL add_second(int n, float *a)
{
	atomicAdd(a + n + threadIdx.x, 1.0f);
}

//! add_double unsafe-*: native f64 direct 0
//! add_double safe-*@-20: cas-add f64 direct 0
// HIP 6.4's headers leave it to the compiler, which takes the hardware's; those of ROCm 7 do not.
//! add_double safe-*@21: native f64 direct 0
//! add_double safe-*@22-: cas-add f64 direct 0
//! add_double *-O0@18-: ? native f64 lds
KERNEL add_double(double *a, int n)
{
	atomicAdd(&a[threadIdx.x * n], 1.0);
}

//! unsafe_double *: native f64 direct 16
//! unsafe_double *-O0@18-: ? native f64 lds
KERNEL unsafe_double(const double *x, int n, double *a)
{
	unsafeAtomicAdd(&a[threadIdx.x * n], x[threadIdx.x]);
}

//! pick_uniform *-O0@17: miscompiled
//! pick_uniform *: native i32 set 0,8
//! pick_uniform *: uses 0:a 8:a
KERNEL pick_uniform(int *a, int *b, int n)
{
	int *p = n > 5 ? a : b;

	atomicAdd(p + threadIdx.x, 3);
}

//! pick_divergent *-O0@17: miscompiled
//! pick_divergent *: native i32 set 0,8
KERNEL pick_divergent(int *a, int *b, int n)
{
	int *p = (threadIdx.x & n) ? a + 7 : b;

	atomicAdd(p + threadIdx.x, 3);
}

//! both_branches *-O0@17: miscompiled
//! both_branches *: native i32 direct 0
//! both_branches *: native i32 direct 8
//! both_branches *: native i64 direct 16
KERNEL both_branches(int *a, int *b, unsigned long long *c, int n)
{
	if ((int)threadIdx.x < n)
		atomicMax(a + threadIdx.x, n);
	else
		atomicSub(b, (int)threadIdx.x);
	atomicAdd(c, 1ull);
}

/* A value chosen lane by lane while others are switched off: none of them may get lost. */
//! three_ways *: native i32 set 0,8,16
KERNEL three_ways(int *a, int *b, int *c, int n)
{
	int *p = a;
	int t = threadIdx.x;

	if (t > n) {
		p = b;
		if (t & 4)
			p = c + t;
	}
	atomicXor(p, t);
}

struct functor {
	int n;
	float scale;
	float *out;
	__device__ void operator()(int i) const
	{
		atomicAdd(out + i % n, scale);
	}
};

template <class F> __global__ void for_each(F f)
{
	f(blockIdx.x * blockDim.x + threadIdx.x);
}
template __global__ void for_each<functor>(functor);
//! for_each unsafe-*: native f32 direct 8
//! for_each safe-*: cas-add f32 direct 8
//! for_each unsafe-*: ? native f32 lds

struct table {
	int n, m;
	int *p[3];
	long last;
};

//! table_static *: native i32 direct 16
KERNEL table_static(int k, struct table t)
{
	atomicAdd(t.p[0] + k, 1);
}

/* The index is a number of the program: any aligned word of the argument may be it. */
//! table_dynamic *-O[123]: native i32 set 8,16,24,32,40
//! table_dynamic *-O0: native i32 unknown
KERNEL table_dynamic(int k, struct table t)
{
	atomicAdd(t.p[(k + threadIdx.x) % 3], 1);
}

//! in_memory *: native i32 indirect 0
KERNEL in_memory(int **pp, int n)
{
	atomicAdd(pp[n] + threadIdx.x, 1);
}

struct node {
	struct node *next;
	int count;
};

/* The first node is the argument, the others are loaded. */
//! list *: native i32 indirect 0
//! list *: paths 0>0:r 0>8:a 0>0>0*>0:r 0>0>0*>8:a
//! list *-O[123]: uses 0:ra incomplete
KERNEL list(struct node *n)
{
	for (; n; n = n->next)
		atomicAdd(&n->count, 1);
}

//! histogram *-O[123]: native i32 lds
//! histogram *-O0: ? native i32 lds
//! histogram *: native i32 direct 0
//! histogram *-O[123]: uses 0:a 8:r
KERNEL histogram(int *bins, const unsigned char *data, int n)
{
	__shared__ int local[256];

	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		atomicAdd(&local[data[i]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

//! spin_lock *: lock i32 direct 0
//! spin_lock *-O0: native i32 direct 0
// Up to clang 16 it releases by a store.
//! spin_lock *-O[123]@-16: uses 0:wa 8:rw
//! spin_lock *-O[123]@17-: native i32 direct 0
//! spin_lock *-O[123]@17-: uses 0:a 8:rw
KERNEL spin_lock(int *lock, float *sum)
{
	while (atomicCAS(lock, 0, 1) != 0) {
	}
	__threadfence();
	*sum += 1.0f;
	__threadfence();
	atomicExch(lock, 0);
}

//! one_cas *: native i32 direct 8
KERNEL one_cas(int n, int *a)
{
	atomicCAS(a + threadIdx.x, n, n + 1);
}

//! exchange *: native i32 direct 0
KERNEL exchange(int *a, int *old)
{
	old[threadIdx.x] = atomicExch(a, (int)threadIdx.x);
}

__device__ __noinline__ void add_in_callee(int *p, int v)
{
	atomicAdd(p + v, v);
}

//! through_call *: native i32 direct 8
KERNEL through_call(int n, int *a)
{
	add_in_callee(a, n);
}

//! two_calls *-O0: native i32 set 0,8
//! two_calls *-O[123]@-16: native i32 direct 0
//! two_calls *-O[123]@-16: native i32 direct 8
// From clang 17 on both are calls: one instruction for both arguments.
//! two_calls *-O[123]@17-: native i32 set 0,8
KERNEL two_calls(int *a, int *b, int n)
{
	add_in_callee(a, n);
	add_in_callee(b + 1, n);
}

__device__ int counters[64];
__device__ int *target;
__constant__ int *fixed_target;

//! variable *: native i32 global counters
KERNEL variable(int n)
{
	atomicAdd(&counters[n], 1);
}

//! through_variable *: native i32 indirect target
KERNEL through_variable(int n)
{
	atomicAdd(target + n, 1);
}

//! through_constant *: native i32 indirect fixed_target
KERNEL through_constant(int n)
{
	atomicAdd(fixed_target + n, 1);
}

//! wide_min *: native i64 direct 0
KERNEL wide_min(unsigned long long *a)
{
	atomicMin(a, (unsigned long long)threadIdx.x);
}

/* A hand-written loop: what it computes decides, not the instruction's type. */
//! float_max *: cas-max f32 direct 0
KERNEL float_max(float *a, float v)
{
	int *p = (int *)a;
	int old = *p, seen;

	v *= threadIdx.x;
	do {
		seen = old;
		old = atomicCAS(p, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
	} while (old != seen);
}

//! int_product *: cas-other i32 direct 0
KERNEL int_product(int *p, int v)
{
	int old = *p, seen;

	do {
		seen = old;
		old = atomicCAS(p, seen, seen * v);
	} while (old != seen);
}

//! stride *: native i32 direct 0
KERNEL stride(int *p, int n, int step)
{
	for (int i = 0; i < n; i++, p += step)
		atomicOr(p, i);
}

//! ping_pong *: native i32 set 0,8
KERNEL ping_pong(int *a, int *b, int n)
{
	for (int i = 0; i < n; i++) {
		int *t = a;

		atomicAdd(a + i, i);
		a = b;
		b = t;
	}
}

//! integer_pointer *: native i32 direct 8
KERNEL integer_pointer(int n, uintptr_t where)
{
	atomicAdd((int *)where + n, 1);
}

/* Only the metadata can tell that the first is the pointer. */
//! byte_offset *: native i32 direct 0
KERNEL byte_offset(char *p, long offset)
{
	atomicAdd((int *)(p + offset), 1);
}

struct pair {
	char *p;
	long offset;
};

/* In a struct nothing can: one of the two is the pointer. */
//! pair_offset *: native i32 set 0,8
KERNEL pair_offset(struct pair pair)
{
	atomicAdd((int *)(pair.p + pair.offset), 1);
}

//! rebase *: native i32 direct 16
KERNEL rebase(char *from, char *to, char *base)
{
	atomicAdd((int *)(base + (to - from) / 8 * 4), 1);
}

/* What is subtracted is no pointer to the result; of what is added, either may be. */
//! difference *: native i32 set 8,16
KERNEL difference(char *from, char *to, char *base)
{
	atomicAdd((int *)(base + (to - from)), 1);
}

//! round_down *: native i32 direct 0
KERNEL round_down(int *p, int n)
{
	atomicAdd((int *)((uintptr_t)(p + n + threadIdx.x) & ~(uintptr_t)63), 1);
}

//! cast_away *: native i32 direct 8
KERNEL cast_away(int n, const int *p)
{
	atomicAdd((int *)p + n, 1);
}

//! gather *: native i32 direct 0
//! gather *-O[123]: uses 0:a 8:r
KERNEL gather(char *p, const unsigned *index)
{
	atomicAdd((int *)(p + index[threadIdx.x]), 1);
}

/* A private array: the words lie in scratch, the index is unknown. */
//! private_array *-O[123]: native i32 set 0,8,16,24
//! private_array *-O0: native i32 unknown
KERNEL private_array(int *a, int *b, int *c, int *d, int n)
{
	int *t[4];

	t[(n + 0) & 3] = a;
	t[(n + 1) & 3] = b;
	t[(n + 2) & 3] = c;
	t[(n + 3) & 3] = d;
	atomicAdd(t[threadIdx.x & 3], 1);
}

/* Every scalar register is clobbered in between: pointers wait in lanes of vector registers. */
#define TEN(x) "s" #x "0", "s" #x "1", "s" #x "2", "s" #x "3", "s" #x "4", "s" #x "5", "s" #x "6", \
	       "s" #x "7", "s" #x "8", "s" #x "9"
#define TAKE_SCALARS() asm volatile("s_nop 0" ::: TEN(1), TEN(2), "s30", "s31", "s33", "s34", "s35", \
				    "s36", "s37", "s38", "s39", TEN(4), TEN(5), TEN(6), TEN(7), \
				    TEN(8), "s90", "s91", "s92", "s93", "s94", "s95")
//! spilled *-O[123]: native i32 direct 0
//! spilled *-O[123]: native i32 direct 8
//! spilled *-O[123]: native i32 direct 16
//! spilled *-O[123]: native i32 direct 24
#ifdef __OPTIMIZE__ /* without, no register is left to call with */
KERNEL spilled(int *a, int *b, int *c, int *d, int n)
{
	for (int i = 0; i < n; i++) {
		atomicAnd(a + i, n);
		atomicOr(b + i, n);
		TAKE_SCALARS();
		atomicAnd(c + i, n);
		atomicOr(d + i, n);
	}
}
#endif

__device__ __noinline__ void recursive(int *p, int n)
{
	if (n > 0) {
		atomicAdd(p, n);
		recursive(p + 1, n - 1);
	}
}

/* The first level is seen; deeper ones are not, which must not become a claim. */
//! recursion *-O0: native i32 unknown
//! recursion *-O[123]: native i32 direct 0
KERNEL recursion(int *p, int n)
{
	recursive(p, n);
}

typedef void (*operation)(int *, int);
__device__ operation operations[2] = {add_in_callee, recursive};

//! by_pointer *: none
//! by_pointer *: uses incomplete
KERNEL by_pointer(int *p, int n)
{
	operations[n](p, n);
}

//! lds_or_global *-O0@17: miscompiled
//! lds_or_global *: native i32 direct 0
//! lds_or_global *-O[123]: ? native i32 lds
KERNEL lds_or_global(int *p, int n)
{
	__shared__ int local[64];
	int *q;

	local[threadIdx.x] = n;
	__syncthreads();
	q = n > (int)threadIdx.x ? &local[threadIdx.x] : p;
	atomicAdd(q, n);
	__syncthreads();
	p[threadIdx.x] = local[threadIdx.x];
}

/* Lanes leave the loop one by one; the pointer of those that left stays theirs. */
//! early_exit *-O0@17: miscompiled
//! early_exit *: native i32 set 0,8
KERNEL early_exit(int *a, int *b, const int *stop, int n)
{
	int *p = a;

	for (int i = 0; i < n; i++) {
		if (stop[i + threadIdx.x] > n) {
			p = b + i;
			break;
		}
		if (stop[i + threadIdx.x] < 0)
			break;
	}
	atomicAdd(p, n);
}

//! counted *: native i32 direct 0
KERNEL counted(unsigned *total, const float *x, float limit)
{
	if (x[threadIdx.x] > limit)
		atomicAdd(total, 1u);
}

/*
 * A call that never returns stands at the end of the kernel: what follows is another function. The
 * 64-bit ones are the device library's, on the hostcall buffer whose pointer is a hidden argument.
 */
//! with_printf *-O[123]: facts hostcall release acquire spin
//! with_printf *-O[123]: native i32 direct 0
// The hidden argument of hostcalls is where the code object's version has it (clang 18: version 5).
//! with_printf *-O[123]@-17: swap i64 direct 40
//! with_printf *-O[123]@-17: ? native i64 direct 40
//! with_printf *-O[123]@-17: ? native i64 indirect 40
//! with_printf *-O[123]@17: ? cas-add i64 direct 40
//! with_printf *-O[123]@18-: swap i64 direct 96
//! with_printf *-O[123]@18-: ? native i64 direct 96
//! with_printf *-O[123]@18-: ? native i64 indirect 96
//! with_printf *-O[123]@18-: ? cas-add i64 direct 96
//! with_printf *-O[123]@18-: ? cas-other i64 direct 96
#ifdef __OPTIMIZE__
KERNEL with_printf(int *a, int n)
{
	assert(n > 0);
	printf("%d %d\n", n, a[1]);
	atomicXor(a, n);
	printf("%d\n", n);
}
#endif

//! copy *: none
//! copy *-O[123]: uses 0:w 8:r
KERNEL copy(float *to, const float *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = from[i] * 2.0f;
}

/* ---- more of what compilers make of pointers ---- */

//! else_part *: native i32 set 0,8
KERNEL else_part(int *a, int *b, const int *x, int n)
{
	int *p;

	if (x[threadIdx.x] > n)
		p = a + x[0];
	else
		p = b + x[1];
	atomicAdd(p, 1);
}

//! nested_else *: native i32 set 0,8,16
KERNEL nested_else(int *a, int *b, int *c, int n)
{
	int t = threadIdx.x;
	int *p;

	if (t < n) {
		if (t & 1)
			p = a;
		else
			p = b;
	} else {
		p = c;
	}
	atomicMax(p + t, n);
}

//! switch_pointer *-O[023]: native i32 set 0,8,16
//! switch_pointer *-O1@-16: native i32 set 0,8,16
// clang 17 skips the load of c by s_cbranch_execz and copies the pair, loaded or not, to all lanes: as there are lanes
// that need it only where it was loaded, all is right, but that is not followed.
//! switch_pointer *-O1@17: native i32 unknown
//! switch_pointer *-O1@18-: native i32 set 0,8,16
KERNEL switch_pointer(int *a, int *b, int *c, int n)
{
	int *p;

	switch ((n + threadIdx.x) % 3) {
	case 0:
		p = a;
		break;
	case 1:
		p = b;
		break;
	default:
		p = c;
	}
	atomicAdd(p, 1);
}

//! swapped *-O0@17: miscompiled
//! swapped *: native i32 set 0,8
//! swapped *: native i64 set 0,8
KERNEL swapped(char *a, char *b, int n)
{
	if (n & 1) {
		char *t = a;

		a = b;
		b = t;
	}
	atomicAdd((int *)a + threadIdx.x, 1);
	atomicAdd((unsigned long long *)b + threadIdx.x, 1ull);
}

/* Below the variable: a constant that is subtracted from its address. */
//! before_variable *-O0: native i32 global counters
//! before_variable *-O[123]@-21: native i32 global counters
// clang 22 begins 12 bytes below it, within another variable: it may be either.
//! before_variable *-O[123]@22-: native i32 unknown
KERNEL before_variable(int n)
{
	atomicAdd(&counters[n + (int)threadIdx.x % 4 - 3], 1);
}

__device__ int others[64];
/* Without optimisation, two calls of one function: no single variable can be named. */
//! two_variables *-O[123]: native i32 global counters
//! two_variables *-O[123]: native i32 global others
//! two_variables *-O0: native i32 unknown
//! two_variables *: native i64 global wide_counter
__device__ unsigned long long wide_counter;
KERNEL two_variables(int n)
{
	atomicAdd(&counters[n], 1);
	atomicAdd(&others[n], 1);
	atomicAdd(&wide_counter, 1ull);
}

struct inner {
	float *to;
	int n;
};

struct outer {
	long pad[3];
	struct inner inner[2];
};

//! nested_struct unsafe-*: native f32 direct 48
//! nested_struct safe-*: cas-add f32 direct 48
//! nested_struct unsafe-*: ? native f32 lds
KERNEL nested_struct(int n, struct outer outer)
{
	atomicAdd(outer.inner[1].to + n, 2.0f);
}

//! in_struct_in_memory *: native i32 indirect 0
KERNEL in_struct_in_memory(const struct table *t, int n)
{
	atomicAdd(t->p[1] + n, 1);
}

//! twice_in_memory *: native i32 indirect 8
KERNEL twice_in_memory(int n, int ***ppp)
{
	atomicAdd(ppp[1][0] + n, 1);
}

//! narrow_index *: native i32 direct 0
KERNEL narrow_index(int *p, const unsigned char *index, short s)
{
	atomicAdd(p + index[threadIdx.x] + s, 1);
}

//! backwards *: native i32 direct 8
KERNEL backwards(long n, int *end)
{
	for (int *p = end; p > end - n; p--)
		atomicSub(p - 1, 1);
}

//! grid_stride *: native i64 direct 8
KERNEL grid_stride(int n, unsigned long long *sums)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n * 100u;
	     i += gridDim.x * blockDim.x)
		atomicMax(&sums[i % 37], (unsigned long long)i);
}

template <typename T> __global__ void add_any(const T *x, T *sum, int n)
{
	if ((int)threadIdx.x < n)
		unsafeAtomicAdd(sum, x[threadIdx.x]);
}
template __global__ void add_any<double>(const double *, double *, int);
//! add_any *: native f64 direct 8
//! add_any *-O0@18-: ? native f64 lds

/* What is multiplied is no pointer. */
//! call_lambda *: native i32 direct 0
template <class F> __global__ void call_lambda(F f, int n)
{
	f(n);
}
static inline void launch_lambda(int *to, long offset, int n)
{
	call_lambda<<<1, 64>>>([=] __device__(int i) { atomicAdd(to + offset + i, 1); }, n);
}

//! int_min *: native i32 direct 0
//! int_min *: native i32 direct 8
//! int_min *: native i64 direct 16
KERNEL int_min(int *a, unsigned *b, long long *c)
{
	atomicMin(a, (int)threadIdx.x);
	atomicMax(b, threadIdx.x);
	atomicXor((unsigned long long *)c, (unsigned long long)threadIdx.x);
}

//! wrap_around *: native i32 direct 0
//! wrap_around *: native i32 direct 8
KERNEL wrap_around(unsigned *a, unsigned *b, unsigned limit)
{
	atomicInc(a + threadIdx.x, limit);
	atomicDec(b + threadIdx.x, limit);
}

//! scopes *: native i32 direct 0
//! scopes *: native i32 direct 8
KERNEL scopes(int *a, int *b)
{
	__hip_atomic_fetch_add(a, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
	__hip_atomic_fetch_or(b, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

// Lanes leave the inner loop in two places, and the outer one in a third.
//! search_and_add *-O0@17: miscompiled
//! search_and_add safe-O[123]: cas-add f32 direct 32
//! search_and_add unsafe-O[123]: native f32 direct 32
//! search_and_add *-O[123]: native f32 lds
//! search_and_add *-O0: ? cas-add f32 direct 32
//! search_and_add *-O0: ? native f32 lds
//! search_and_add *-O0: ? native f32 direct 32
KERNEL search_and_add(const int *first, const int *column, const float *values, const float *x, float *y, int rows, int n, int many)
{
	__shared__ float sums[512];
	int i = threadIdx.x;

	for (int k = i; k < rows; k += 256)
		sums[k] = 0;
	__syncthreads();
	for (; i < n; i += 256) {
		int row = 0;

		if (many > 4) {
			int low = 0, high = rows - 1;

			while (low <= high) {
				int middle = (low + high) / 2;

				if (first[middle] <= i && i < first[middle + 1]) {
					row = middle;
					break;
				}
				if (first[middle] > i)
					high = middle - 1;
				else
					low = middle + 1;
			}
		} else {
			while (first[row + 1] <= i)
				row++;
		}
		if (column[i] < row)
			continue;
		if (column[i] < rows)
			atomicAdd(&sums[column[i]], values[i] * x[row]);
		else
			atomicAdd(&y[column[i]], values[i] * x[row]);
	}
	__syncthreads();
	for (int k = threadIdx.x; k < rows; k += 256)
		atomicAdd(&y[k], sums[k]);
}

struct vector {
	double x, y, z;
};

__device__ vector cross(vector a, vector b)
{
	return { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

__device__ double dot(vector a, vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ double length(vector a)
{
	return sqrt(dot(a, a));
}

/*
 * So many waves are wanted that, unoptimized, registers are few: the addresses of functions and of
 * returns go to memory through the first lanes of a vector register, with a constant in exec.
 */
//! spilled_to_memory *: native i32 direct 16
//! spilled_to_memory *: native f64 direct 8
//! spilled_to_memory *-O0@18-: ? native f64 lds
extern "C" __global__ __launch_bounds__(256, 8) void spilled_to_memory(const double *in, double *out, int *count, int n)
{
	vector u = { in[0], in[1], in[2] }, v = { in[3], in[4], in[5] };

	for (int i = 0; i < n; i++) {
		vector w = cross(u, v);
		double s = 1 / length(w), t = dot(u, w) / length(cross(v, w));

		u = { w.x * s, w.y * s + t, w.z * t };
		v = cross(w, u);
		if (t > s || (s > 2 && length(u) > length(v)))
			atomicAdd(count + i, (int)(s * t));
	}
	unsafeAtomicAdd(out, length(v) * dot(u, v));
}

/* Of the amount by which 64 bits are shifted six bits count. */
//! shifted_around *: native i32 direct 0
KERNEL shifted_around(int *a)
{
	asm volatile("v_lshlrev_b64 %0, 64, %0" : "+v"(a));
	atomicAdd(a, 1);
}
