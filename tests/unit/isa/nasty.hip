// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels whose addresses are hard to follow: pointers in disguise, moved around, chosen without a branch.
 * Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip; "unknown" is right wherever more cannot be proven, and
 * an offset that is not the pointer's is not. tests/oracle runs every kernel and compares.
 */
#include <hip/hip_runtime.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define APART  __device__ __noinline__

typedef unsigned long long word;

/* The compiler knows nothing of the result; the machine code is a move at most. */
template <class T> static __device__ inline T opaque(T value)
{
	asm volatile("" : "+v"(value));
	return value;
}

/* ---- pointers chosen by arithmetic ---- */

//! by_masks *-O0: native i32 set 0,8
//! by_masks *-O[123]@-20: native i32 set 0,8
// Later ones make it ((a ^ b) & mask) ^ b, of which it would have to be known that both b are the same.
//! by_masks *-O[123]@21-: native i32 unknown
KERNEL by_masks(char *a, char *b, word mask)
{
	atomicAdd((int *)(((word)a & mask) | ((word)b & ~mask)), 1);
}

//! by_masked_difference *: native i32 unknown
KERNEL by_masked_difference(char *a, char *b, word mask)
{
	atomicAdd((int *)(b + (((word)a - (word)b) & mask)), 1);
}

//! by_product *: native i32 unknown
KERNEL by_product(char *a, char *b, word one)
{
	atomicAdd((int *)(b + one * ((word)a - (word)b)), 1);
}

//! by_two_products *: native i32 unknown
KERNEL by_two_products(char *a, char *b, word one)
{
	atomicAdd((int *)(one * (word)a + (1 - one) * (word)b), 1);
}

//! by_xor *-O[123]: native i32 unknown
//! by_xor *-O0: native i32 set 0,8
KERNEL by_xor(char *a, char *b, word mask)
{
	atomicAdd((int *)((word)b ^ (((word)a ^ (word)b) & mask)), 1);
}

struct two {
	word a, b;
	word mask;
};

//! by_masks_in_struct *: native i32 unknown
KERNEL by_masks_in_struct(struct two t)
{
	atomicAdd((int *)((t.a & t.mask) | (t.b & ~t.mask)), 1);
}

//! by_product_in_struct *-O[123]: native i32 set 0,8
//! by_product_in_struct *-O0: native i32 unknown
KERNEL by_product_in_struct(struct two t)
{
	atomicAdd((int *)(t.b + (t.mask & 1) * (t.a - t.b)), 1);
}

//! by_shift *: native i32 unknown
KERNEL by_shift(char *a, word zero)
{
	atomicAdd((int *)((word)a << zero), 1);
}

//! product_plus_number *: native i32 unknown
KERNEL product_plus_number(char *a, word one, word n)
{
	atomicAdd((int *)((word)a * one + n * 4), 1);
}

/* ---- bits of pointers ---- */

//! xor_swap *: native i32 unknown
KERNEL xor_swap(char *a, char *b, int n)
{
	word x = opaque((word)a), y = opaque((word)b);

	if (n & 1) {
		x = opaque(x ^ y);
		y = opaque(y ^ x);
		x = opaque(x ^ y);
	}
	atomicAdd((int *)x, 1);
}

/* With another key, the first exclusive or leads elsewhere. */
//! xor_key *: native i32 unknown
KERNEL xor_key(char *a, word key)
{
	atomicAdd((int *)(opaque((word)a ^ key) ^ key), 1);
}

//! tagged *: native i32 direct 0
KERNEL tagged(char *a, int n)
{
	word tag = opaque((word)a | 5);

	atomicAdd((int *)(tag & ~(word)7) + (tag & 3) + n, 1);
}

//! high_bits_tag *: native i32 direct 0
KERNEL high_bits_tag(char *a, word n)
{
	word tag = opaque((word)a | (word)7 << 60);

	atomicAdd((int *)(tag & ~((word)15 << 60)) + n, 1);
}

//! complement *: native i32 direct 0
KERNEL complement(char *a, long n)
{
	atomicAdd((int *)(n - (long)opaque(~(word)a) - 1), 1);
}

//! twice_negated *: native i32 direct 0
KERNEL twice_negated(char *a, long n)
{
	atomicAdd((int *)(n - (long)opaque(-(word)a)), 1);
}

//! twice_complemented *: native i32 direct 0
KERNEL twice_complemented(char *a, long n)
{
	atomicAdd((int *)~opaque(~(word)a) + n, 1);
}

//! halves_of_two *: native i32 unknown
KERNEL halves_of_two(char *a, char *b)
{
	word high = (word)a >> 32 << 32, low = (word)b & 0xffffffff;

	/* Allocations lie in the same 4 GiB here: it is b. */
	atomicAdd((int *)(opaque(high) | low), 1);
}

//! put_together *: native i32 direct 0
KERNEL put_together(unsigned low, unsigned high, int n)
{
	atomicAdd((int *)((word)high << 32 | low) + n, 1);
}

//! put_together_swapped *: native i32 unknown
KERNEL put_together_swapped(unsigned high, unsigned low, int n)
{
	atomicAdd((int *)((word)high << 32 | low) + n, 1);
}

//! put_together_apart *: native i32 unknown
KERNEL put_together_apart(unsigned low, word n, unsigned high)
{
	atomicAdd((int *)((word)high << 32 | low) + n, 1);
}

//! by_shuffled_bytes *: native i32 unknown
KERNEL by_shuffled_bytes(char *a)
{
	word x = __builtin_bswap64(opaque(__builtin_bswap64((word)a)));

	atomicAdd((int *)x, 1);
}

//! rotated *: native i32 unknown
KERNEL rotated(char *a)
{
	word x = opaque((word)a << 13 | (word)a >> 51);

	atomicAdd((int *)(x >> 13 | x << 51), 1);
}

/* ---- differences ---- */

//! through_difference *: native i32 direct 8
KERNEL through_difference(char *a, char *b)
{
	atomicAdd((int *)(a + ((word)b - (word)opaque(a))), 1);
}

//! difference_as_index *: native i32 set 0,16
KERNEL difference_as_index(int *a, int *from, int *to)
{
	atomicAdd(a + (to - from), 1);
}

//! hashed *: native i32 direct 0
KERNEL hashed(int *table, char *a)
{
	atomicAdd(table + ((word)a * 0x9e3779b97f4a7c15u >> 56), 1);
}

struct hash_table {
	int *bucket;
	word mask;
};

//! hashed_in_struct *: native i32 direct 0
KERNEL hashed_in_struct(struct hash_table t, char *a)
{
	atomicAdd(t.bucket + ((word)a * 0x9e3779b97f4a7c15u >> 32 & t.mask), 1);
}

/* Begin and end are pointers of one array; either is right. */
//! ring *: native i32 direct 0
KERNEL ring(int *begin, int *end, int step, int n)
{
	int *p = begin;

	for (int i = 0; i < n; i++) {
		atomicAdd(p, 1);
		p += step;
		if (p >= end)
			p = begin;
	}
}

//! backwards_ring *-O0@17: miscompiled
//! backwards_ring *: native i32 set 0,8
KERNEL backwards_ring(int *begin, int *end, int n)
{
	int *p = begin;

	for (int i = 0; i < n; i++) {
		if (p == begin)
			p = end;
		atomicSub(--p, 1);
	}
}

/* ---- structs, unions, packed ones ---- */

union either {
	int *p;
	word number;
	struct {
		unsigned low, high;
	} half;
};

struct variant {
	int which;
	union either u[2];
};

//! in_union *-O0@17: miscompiled
//! in_union *: native i32 set 16,24
KERNEL in_union(int n, struct variant v)
{
	int *p = v.which ? (int *)((word)v.u[0].half.high << 32 | v.u[0].half.low) : v.u[1].p;

	atomicAdd(p + n, 1);
}

struct __attribute__((packed)) packed_one {
	char c;
	int *p;
	int n;
};

//! packed_by_one *-O[123]: native i32 direct 1
//! packed_by_one *-O0: native i32 unknown
KERNEL packed_by_one(struct packed_one s)
{
	atomicAdd(s.p + s.n, 1);
}

struct __attribute__((packed)) packed_four {
	int n;
	int *p;
	int *q;
};

//! packed_by_four *-O[123]: native i32 set 4,12
// Up to clang 17 it is copied in parts.
//! packed_by_four *-O0@-17: native i32 unknown
//! packed_by_four *-O0@18-: native i32 set 4,12
KERNEL packed_by_four(struct packed_four s)
{
	atomicAdd((s.n & 1 ? s.p : s.q) + s.n, 1);
}

struct deep {
	struct {
		struct {
			int *p[2];
			long n;
		} b[2];
	} a[2];
};

//! deep_static *: native i32 direct 56
KERNEL deep_static(struct deep d)
{
	atomicAdd(d.a[1].b[0].p[1], 1);
}

//! deep_dynamic *-O[123]: native i32 set 0,8,16,24,32,40,48,56,64,72,80,88
//! deep_dynamic *-O0: native i32 unknown
KERNEL deep_dynamic(struct deep d, int n)
{
	atomicAdd(d.a[n & 1].b[n >> 1 & 1].p[0], 1);
}

//! in_vector *: native i32 direct 8
KERNEL in_vector(uint4 v, int n)
{
	atomicAdd((int *)((word)v.w << 32 | v.z) + n, 1);
}

//! in_vector_odd *: native i32 direct 4
KERNEL in_vector_odd(uint4 v, int n)
{
	atomicAdd((int *)((word)v.z << 32 | v.y) + n, 1);
}

//! in_double *: native i32 direct 8
KERNEL in_double(int n, double d)
{
	atomicAdd((int *)__double_as_longlong(d) + n, 1);
}

//! copied_by_bytes *: native i32 unknown
KERNEL copied_by_bytes(struct variant v, int n)
{
	struct variant copy;
	char *to = (char *)&copy;

	for (unsigned i = 0; i < sizeof(v); i++)
		((volatile char *)to)[i] = ((const char *)&v)[i];
	atomicAdd(copy.u[n & 1].p, 1);
}

/* ---- memory ---- */

struct node {
	struct node *next;
	int count;
};

struct heads {
	struct node *head[4];
};

//! lists_of_struct *-O0: native i32 unknown
//! lists_of_struct *-O[123]@-16: native i32 unknown
//! lists_of_struct *-O[123]@17-: native i32 indirect 8,16,24,32
KERNEL lists_of_struct(int n, struct heads h)
{
	for (struct node *at = h.head[n & 3]; at; at = at->next)
		atomicAdd(&at->count, 1);
}

//! second_of_list *-O[123]: native i32 indirect 8,16,24,32
//! second_of_list *-O0: native i32 unknown
KERNEL second_of_list(int n, struct heads h)
{
	struct node *at = h.head[n & 3];

	atomicAdd(&at->next->count, 1);
}

//! head_or_next *: native i32 unknown
KERNEL head_or_next(int n, struct heads h)
{
	struct node *at = h.head[n & 1];

	if (n & 4)
		at = at->next;
	atomicAdd(&at->count, 1);
}

//! xor_list *: native i32 unknown
KERNEL xor_list(word *cells, int n)
{
	word before = 0, at = cells[0];

	for (int i = 0; i < n; i++) {
		word next = *(word *)at ^ before;

		atomicAdd((int *)(at + 8), 1);
		before = at;
		at = next;
	}
}

//! taken_pointer *: native i32 indirect 0
//! taken_pointer *: native i64 direct 0
KERNEL taken_pointer(word *slot, int *a, int n)
{
	if (threadIdx.x == 0)
		atomicAdd((int *)atomicExch(slot, (word)a) + n, 1);
}

//! stored_pointer *: native i32 indirect 0
KERNEL stored_pointer(int *volatile *slot, int *a, int n)
{
	slot[threadIdx.x] = a;
	atomicAdd(slot[threadIdx.x] + n, 1);
}

//! stored_and_taken *: native i32 indirect 0,8
//! stored_and_taken *: paths 0>0/8>0/4:a 8>0/4:a
KERNEL stored_and_taken(int **slot, int *a, int n)
{
	slot[threadIdx.x] = a;
	__threadfence();
	atomicAdd((n & 1 ? slot[threadIdx.x] : a) + n, 1);
}

//! relative_pointer *: native i32 direct 0
KERNEL relative_pointer(int *a)
{
	atomicAdd((int *)((char *)(a + 2) + a[0]), 1);
}

__device__ int *kept[4];
__constant__ int *fixed[4];
__device__ int counted;
/* The distribution's compiler fails where the address of a managed variable is selected or cast. */
__managed__ int *managed_pointer;
struct global {
	int n;
	struct variant v[3];
};
__device__ struct global global_struct;

//! of_table *: native i32 indirect kept
KERNEL of_table(int n)
{
	atomicAdd(kept[n & 3] + threadIdx.x, 1);
}

//! of_constant_table *: native i32 indirect fixed
KERNEL of_constant_table(int n)
{
	atomicAdd(fixed[(n + threadIdx.x) & 3], 1);
}

//! managed *: native i32 indirect managed_pointer
KERNEL managed(int n)
{
	atomicAdd(managed_pointer + n, n);
}

//! of_global_struct *@-21: native i32 indirect global_struct
// Its last members might be what lies below another variable (before_variable of kernels.hip).
//! of_global_struct *@22-: native i32 indirect
KERNEL of_global_struct(int n)
{
	atomicAdd(global_struct.v[n % 3].u[1].p, 1);
	atomicAdd(&global_struct.v[n % 3].which, 0);
}

//! argument_or_kept *: native i32 indirect 0 kept
// The argument decides, so that each way is known by itself: the pointer in it is used directly.
//! argument_or_kept *-O0: paths 0>0/4:a kept>0>0/4:a
//! argument_or_kept *-O2: paths kept>0>0/4:a
//! argument_or_kept *-O2: uses 0:a incomplete
KERNEL argument_or_kept(int *a, int n)
{
	atomicAdd((n & 1 ? a : kept[0]) + threadIdx.x, 1);
}

//! argument_or_variable *-O0@17: miscompiled
//! argument_or_variable *: native i32 set 0 counted
KERNEL argument_or_variable(int *a, int n)
{
	atomicAdd(n & 1 ? a : &counted, 1);
}

/* ---- LDS ---- */

//! pointer_in_lds *: native i32 unknown
KERNEL pointer_in_lds(int *a, int *b, int n)
{
	__shared__ int *p[64];

	p[threadIdx.x] = threadIdx.x & 1 ? a : b;
	__syncthreads();
	atomicAdd(p[(threadIdx.x + n) & 63], 1);
}

//! one_pointer_in_lds *: native i32 unknown
KERNEL one_pointer_in_lds(int *a, int *b, int n)
{
	__shared__ int *p;

	if (threadIdx.x == 0)
		p = n & 1 ? a : b;
	__syncthreads();
	atomicAdd(p + threadIdx.x, 1);
}

APART void add_one(int *p)
{
	atomicAdd(p, 1);
}

//! lds_through_call *-O0@17: miscompiled
//! lds_through_call *: native i32 direct 0
// From clang 17 on both are calls.
//! lds_through_call *-O[123]@-16: native i32 lds
KERNEL lds_through_call(int *a, int n)
{
	__shared__ int here;

	here = 0;
	__syncthreads();
	add_one(n & 1 ? &here : a);
	add_one(&here);
	__syncthreads();
	a[1] = here;
}

/* ---- private memory ---- */

//! pointer_to_pointer *-O0@17: miscompiled
//! pointer_to_pointer *: native i32 set 0,8,16
KERNEL pointer_to_pointer(int *a, int *b, int *c, int n)
{
	int **q = &a;

	if (threadIdx.x & 1)
		q = &b;
	if (n & 2)
		*q = c;
	atomicAdd(n & 4 ? a : b, 1);
}

//! sorted_pointers *-O[123]: native i32 set 0,8,16
//! sorted_pointers *-O0: native i32 unknown
KERNEL sorted_pointers(int *a, int *b, int *c, int n)
{
	int *p[3] = { a, b, c };

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if ((p[k][0] ^ n) > (p[k + 1][0] ^ n)) {
				int *t = p[k];

				p[k] = p[k + 1];
				p[k + 1] = t;
			}
	atomicAdd(p[1] + 1, 1);
}

//! array_in_private_struct *: native i32 unknown
KERNEL array_in_private_struct(int *a, int *b, int *c, int n)
{
	struct deep d = {};

	d.a[0].b[1].p[0] = a;
	d.a[1].b[0].p[0] = b;
	d.a[1].b[1].p[0] = c;
	d.a[0].b[0].p[0] = b;
	atomicAdd(d.a[n & 1].b[threadIdx.x & 1].p[0], 1);
}

//! rotated_pointers *: native i32 set 0,8,16
KERNEL rotated_pointers(int *a, int *b, int *c, int n)
{
	for (int i = 0; i < n; i++) {
		int *t = a;

		atomicAdd(a + i, 1);
		a = b;
		b = c;
		c = t;
	}
}

//! ternary_in_loop *-O0@17: miscompiled
//! ternary_in_loop *: native i32 set 0,8,16
KERNEL ternary_in_loop(int *a, int *b, int *c, const int *key, int n)
{
	int *p = a;

	for (int i = 0; i < n; i++) {
		p = key[i + threadIdx.x] & 1 ? p + 1 : key[i] & 2 ? b : c;
		if (key[i + 1] & 4)
			continue;
		atomicAdd(p, 1);
	}
}

//! swap_then_break *-O0@17: miscompiled
//! swap_then_break *: native i32 set 0,8
KERNEL swap_then_break(int *a, int *b, const int *key, int n)
{
	for (int i = 0; i < n; i++) {
		int *t = a;

		if (key[i + threadIdx.x] & 1)
			break;
		a = b;
		b = t;
	}
	atomicAdd(a, 1);
	atomicOr(b, 1);
}

//! one_of_eight *: native i32 set 0,8,16,24,32,40,48,56
//! one_of_eight *-O[3]: native i32 set 24,32,40,48,56
KERNEL one_of_eight(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h, int n)
{
	int *p;

	switch ((n + threadIdx.x) & 7) {
	case 0: p = a; break;
	case 1: p = b; break;
	case 2: p = c; break;
	case 3: p = d; break;
	case 4: p = e; break;
	case 5: p = f; break;
	case 6: p = g; break;
	default: p = h; break;
	}
	atomicAdd(p, 1);
}

/* ---- calls ---- */

APART int *pick(int *a, int *b, int n)
{
	return n & 1 ? a : b + 1;
}

//! returned_pointer *-O0@17: miscompiled
//! returned_pointer *: native i32 set 0,8,16
KERNEL returned_pointer(int *a, int *b, int *c, int n)
{
	atomicAdd(pick(pick(a, b, n), c, n >> 1), 1);
}

APART void pick_into(int **to, int *a, int *b, int n)
{
	if (n & 1)
		*to = a;
	else if (n & 2)
		*to = b;
}

//! pointer_by_reference *-O[3]: native i32 set 0,16
// clang 17 to 21 put variables whose address goes to other functions into LDS, one for each lane.
//! pointer_by_reference *-O0: native i32 set 0,8,16
//! pointer_by_reference *-O[123]@-16: native i32 set 0,8,16
//! pointer_by_reference *-O[123]@17-21: native i32 unknown
//! pointer_by_reference *-O[123]@22-: native i32 set 0,8,16
KERNEL pointer_by_reference(int *a, int *b, int *c, int n)
{
	int *p = c;

	pick_into(&p, a, b, n + threadIdx.x);
	atomicAdd(p, 1);
}

APART void add_to_deep(struct deep d, int n)
{
	atomicAdd(d.a[1].b[1].p[1] + n, 1);
}

//! struct_by_value *-O[123]: native i32 direct 0
//! struct_by_value *-O0: native i32 unknown
KERNEL struct_by_value(int *a, int *b, int n)
{
	struct deep d = {};

	d.a[1].b[1].p[1] = a;
	d.a[0].b[0].p[0] = b;
	add_to_deep(d, n);
}

APART void many_arguments(word a0, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9,
			  word b0, word b1, word b2, word b3, word b4, word b5, word b6, word b7, int *p, int *q)
{
	atomicAdd(p + (a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9) % 3, 1);
	atomicOr(q + (b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7) % 3, 1);
}

//! by_the_stack *: native i32 direct 0
//! by_the_stack *: native i32 direct 8
KERNEL by_the_stack(int *a, int *b, word n)
{
	many_arguments(n, 1, 2, n, 4, 5, 6, 7, 8, 9, 1, 2, 3, n, 5, 6, 7, n, a, b);
}

template <class F> APART void call_apart(const F &f, int n)
{
	f(n);
}

//! lambda_by_reference *-O0@17: miscompiled
//! lambda_by_reference *-O0: native i32 set 0,8
//! lambda_by_reference *-O[123]@-16: native i32 set 0,8
//! lambda_by_reference *-O[123]@17: native i32 unknown
//! lambda_by_reference *-O[123]@18-: native i32 set 0,8
KERNEL lambda_by_reference(int *a, int *b, int n)
{
	int *p = b;

	call_apart([&](int i) { atomicAdd(i & 1 ? a : p, i); }, n);
}

//! lambda_by_value *-O[123]@-16: native i32 direct 0
//! lambda_by_value *-O[123]@-16: native i32 direct 8
//! lambda_by_value *-O[123]@17: native i32 unknown
//! lambda_by_value *-O[123]@18-: native i32 direct 0
//! lambda_by_value *-O[123]@18-: native i32 direct 8
//! lambda_by_value *-O0: native i32 set 0,8
KERNEL lambda_by_value(int *a, int *b, int n)
{
	call_apart([=](int i) { atomicAdd(a + i, i); }, n);
	call_apart([=](int i) { atomicAdd(b + i, i); }, n + 1);
}

struct shape {
	int *p;
	__device__ shape(int *p) : p(p)
	{
	}
	__device__ virtual void add(int n)
	{
		atomicAdd(p, n);
	}
};

struct other_shape : shape {
	int *q;
	__device__ other_shape(int *p, int *q) : shape(p), q(q)
	{
	}
	__device__ void add(int n) override
	{
		atomicAdd(q, n);
	}
};

APART void add_shape(shape *s, int n)
{
	s->add(n);
}

//! virtual_call *: none
KERNEL virtual_call(int *a, int *b, int n)
{
	shape s(a);
	other_shape o(a, b);

	add_shape(n & 1 ? &s : &o, n);
}

APART void add_two(int *p)
{
	atomicAdd(p + 1, 2);
}

// clang 17 calls add_one() also for b; later ones compare f and call either.
//! function_chosen *-O[123]@-16: native i32 direct 8
//! function_chosen *-O[123]@17: native i32 unknown
//! function_chosen *-O[123]@18-: native i32 set 0,8
//! function_chosen *-O[123]@18-: native i32 direct 0
//! function_chosen *-O0: native i32 unknown
KERNEL function_chosen(int *a, int *b, int n)
{
	void (*f)(int *) = n & 1 ? add_one : add_two;

	f(a);
	add_one(b);
}

APART int *descend(int *a, int *b, int n)
{
	if (n <= 0)
		return a;
	atomicAdd(b, n);
	return descend(b, a, n - 1);
}

//! recursion_with_result *-O[3]: native i32 direct 0
//! recursion_with_result *-O[123]: native i32 set 0,8
//! recursion_with_result *-O0: native i32 unknown
KERNEL recursion_with_result(int *a, int *b, int n)
{
	atomicOr(descend(a, b, n), 1);
}

/* ---- other lanes ---- */

//! of_first_lane *-O0@17: miscompiled
//! of_first_lane *: native i32 set 0,8
KERNEL of_first_lane(int *a, int *b, int n)
{
	word p = (word)((threadIdx.x + n) & 1 ? a : b);
	unsigned low = __builtin_amdgcn_readfirstlane((unsigned)p);
	unsigned high = __builtin_amdgcn_readfirstlane((unsigned)(p >> 32));

	atomicAdd((int *)((word)high << 32 | low), 1);
}

//! of_some_lane *-O0@17: miscompiled
//! of_some_lane *: native i32 set 0,8
KERNEL of_some_lane(int *a, int *b, int n)
{
	word p = (word)(threadIdx.x & 1 ? a : b);
	unsigned low = __builtin_amdgcn_readlane((unsigned)p, n);
	unsigned high = __builtin_amdgcn_readlane((unsigned)(p >> 32), n);

	atomicAdd((int *)((word)high << 32 | low), 1);
}

//! of_lane_switched_off *-O0@17: miscompiled
//! of_lane_switched_off *-O[123]: native i32 set 0,8
//! of_lane_switched_off *-O0@-16: native i32 set 0,8
// Later ones load p in the branch: in lanes that are off the register holds a number, which is no address.
//! of_lane_switched_off *-O0@18-: native i32 set 0,8
KERNEL of_lane_switched_off(int *a, int *b, int n)
{
	word p = (word)a;
	unsigned low = 0, high = 0;

	if (threadIdx.x & 1)
		p = (word)b;
	p = opaque(p);
	if (threadIdx.x & 2) {
		low = __builtin_amdgcn_readlane((unsigned)p, n);
		high = __builtin_amdgcn_readlane((unsigned)(p >> 32), n);
		atomicAdd((int *)((word)high << 32 | low), 1);
	}
}

//! shuffled *: native i32 unknown
KERNEL shuffled(int *a, int *b, int n)
{
	word p = (word)(threadIdx.x & 1 ? a : b);

	atomicAdd((int *)__shfl_xor(p, n), 1);
}

//! of_neighbour *-O0@17: miscompiled
//! of_neighbour *: native i32 set 0,8
KERNEL of_neighbour(int *a, int *b)
{
	word p = (word)(threadIdx.x & 1 ? a : b);
	unsigned low = (unsigned)__builtin_amdgcn_update_dpp((int)p, (int)p, 0xb1, 15, 15, false);
	unsigned high = (unsigned)__builtin_amdgcn_update_dpp((int)(p >> 32), (int)(p >> 32), 0xb1, 15, 15, false);

	atomicAdd((int *)((word)high << 32 | low), 1);
}

/* ---- instructions written by hand ---- */

/* At -O0 the compiler gives asm vector registers, whatever it asks for. */
#define SCALARS "v_readfirstlane_b32 s20, %2\n\tv_readfirstlane_b32 s21, %3\n\t"

static __device__ inline unsigned low_half(word x)
{
	return (unsigned)x;
}

static __device__ inline unsigned high_half(word x)
{
	return (unsigned)(x >> 32);
}

//! scalar_and_offset *-O0@17: miscompiled
//! scalar_and_offset *: native i32 set 0,8
KERNEL scalar_and_offset(int *a, int *b, int n)
{
	word p = (word)(n & 1 ? a : b);

	asm volatile(SCALARS "global_atomic_add %0, %1, s[20:21] offset:16" ::"v"((unsigned)threadIdx.x * 4u), "v"(n),
		     "v"(low_half(p)), "v"(high_half(p))
		     : "memory", "s20", "s21");
}

/* The offset is what lies between two allocations: that of b is touched. */
//! scalar_and_difference *: native i32 unknown
KERNEL scalar_and_difference(int *a, int *b, int n)
{
	word low = (word)a < (word)b ? (word)a : (word)b, high = (word)a < (word)b ? (word)b : (word)a;

	asm volatile(SCALARS "global_atomic_add %0, %1, s[20:21]" ::"v"((unsigned)(high - low)), "v"(n),
		     "v"(low_half(low)), "v"(high_half(low))
		     : "memory", "s20", "s21");
}

//! negative_offset *: native i32 direct 0
KERNEL negative_offset(int *a, int n)
{
	asm volatile("global_atomic_add %0, %1, off offset:-64" ::"v"(a + n), "v"(n) : "memory");
}

//! flat_by_hand *-O0@17: miscompiled
//! flat_by_hand *: native i32 direct 0
KERNEL flat_by_hand(int *a, int n)
{
	__shared__ int here;

	here = 0;
	int *p = n & 1 ? (int *)&here : a;
	asm volatile("flat_atomic_add %0, %1\n\ts_waitcnt vmcnt(0) lgkmcnt(0)" ::"v"(p), "v"(n) : "memory");
	a[1] = here;
}

//! carry_chain *: native i32 direct 0
KERNEL carry_chain(char *a, word n)
{
	unsigned low, high;

	asm volatile("v_add_co_u32 %0, vcc, %2, %4\n\tv_addc_co_u32 %1, vcc, %3, %5, vcc"
		     : "=&v"(low), "=&v"(high)
		     : "v"(low_half((word)a)), "v"(high_half((word)a)), "v"(low_half(n)), "v"(high_half(n))
		     : "vcc");
	atomicAdd((int *)((word)high << 32 | low), 1);
}

#define RESOURCE                                                                                        \
	SCALARS "s_and_b32 s21, s21, 0xffff\n\ts_mov_b32 s22, -1\n\ts_mov_b32 s23, 0x27000\n\t"
#define SCALARS_CHANGED "memory", "scc", "s20", "s21", "s22", "s23"

//! buffer_by_hand *-O0@17: miscompiled
//! buffer_by_hand *: native i32 set 0,8
KERNEL buffer_by_hand(int *a, int *b, int n)
{
	word p = (word)(n & 1 ? a : b);

	asm volatile(RESOURCE "buffer_atomic_add %0, %1, s[20:23], 0 offen offset:8" ::"v"(n),
		     "v"((unsigned)threadIdx.x * 4u), "v"(low_half(p)), "v"(high_half(p))
		     : SCALARS_CHANGED);
}

/* The descriptor begins at one, the offset leads to the other. */
//! buffer_and_difference *-O0@17: miscompiled
//! buffer_and_difference *: native i32 set 0,8
KERNEL buffer_and_difference(int *a, int *b, int n)
{
	word low = (word)a < (word)b ? (word)a : (word)b, high = (word)a < (word)b ? (word)b : (word)a;

	asm volatile(RESOURCE "buffer_atomic_add %0, %1, s[20:23], 0 offen" ::"v"(n), "v"((unsigned)(high - low)),
		     "v"(low_half(low)), "v"(high_half(low))
		     : SCALARS_CHANGED);
}

//! bits_inserted *: native i32 set 0,8
KERNEL bits_inserted(char *a, char *b, unsigned mask)
{
	word x = (word)a, y = (word)b;
	unsigned low, high;

	asm volatile("v_bfi_b32 %0, %1, %2, %3" : "=v"(low) : "v"(mask), "v"(low_half(x)), "v"(low_half(y)));
	asm volatile("v_bfi_b32 %0, %1, %2, %3"
		     : "=v"(high) : "v"(mask), "v"(high_half(x)), "v"(high_half(y)));
	atomicAdd((int *)((word)high << 32 | low), 1);
}

/* Exec is set by hand: half of the lanes keep the old pointer. */
//! exec_by_hand *: native i32 set 0,8
KERNEL exec_by_hand(int *a, int *b, word mask)
{
	word p = (word)opaque(a), q = (word)opaque(b);
	unsigned low = (unsigned)p, high = (unsigned)(p >> 32);

	asm volatile("s_mov_b64 s[20:21], exec\n\tv_readfirstlane_b32 s22, %4\n\tv_readfirstlane_b32 s23, %5\n\t"
		     "s_mov_b64 exec, s[22:23]\n\tv_mov_b32 %0, %2\n\tv_mov_b32 %1, %3\n\t"
		     "s_mov_b64 exec, s[20:21]"
		     : "+v"(low), "+v"(high)
		     : "v"(low_half(q)), "v"(high_half(q)), "v"(low_half(mask)), "v"(high_half(mask))
		     : "s20", "s21", "s22", "s23");
	atomicAdd((int *)((word)high << 32 | low), 1);
}

/* ---- what the runtime hands over ---- */

//! through_dispatch_packet *: native i32 unknown
KERNEL through_dispatch_packet(int *a, int *b, int n)
{
	const char *packet = (const char *)__builtin_amdgcn_dispatch_ptr();
	int *const *arguments = *(int *const *const *)(packet + 40);

	atomicAdd(opaque(arguments)[n & 1], 1);
}

//! through_implicit_arguments *: native i32 unknown
KERNEL through_implicit_arguments(int *a, int *b, int n)
{
	const char *implicit = (const char *)__builtin_amdgcn_implicitarg_ptr();
	int *const *arguments = (int *const *)(implicit - 24);

	atomicAdd(arguments[n & 1], 1);
}

/* ---- what is read and written ---- */

//! uses_by_bytes *: none
//! uses_by_bytes *: uses 0:w 8:r
KERNEL uses_by_bytes(char *to, const short *from, int n)
{
	to[threadIdx.x] = (char)from[threadIdx.x + n];
}

//! uses_in_place *: none
//! uses_in_place *: uses 0:rw
KERNEL uses_in_place(double *a, int n)
{
	a[threadIdx.x] *= n;
}

//! uses_of_choice *-O0@17: miscompiled
//! uses_of_choice *: none
//! uses_of_choice *: uses 0:rw 8:rw
KERNEL uses_of_choice(int *a, int *b, int n)
{
	int *to = n & 1 ? a : b, *from = n & 1 ? b : a;

	to[threadIdx.x] = from[threadIdx.x + 64];
}

//! uses_unused *: none
//! uses_unused *: uses 8:w
KERNEL uses_unused(int *a, int *b, int *c, int n)
{
	b[threadIdx.x] = n + (a == c);
}

APART void copy_one(int *to, const int *from)
{
	*to = *from;
}

//! uses_through_call *: none
//! uses_through_call *: uses 0:w 8:r
KERNEL uses_through_call(int *a, int *b)
{
	copy_one(a + threadIdx.x, b + threadIdx.x);
}

//! uses_in_memory *: none
//! uses_in_memory *: uses 0:r incomplete
KERNEL uses_in_memory(int **slot, int *a, int n)
{
	slot[0][threadIdx.x] = n;
}

//! uses_cast_away *: none
//! uses_cast_away *: uses 0:rw
KERNEL uses_cast_away(const int *a, int n)
{
	const_cast<int *>(a)[threadIdx.x] = a[threadIdx.x + 64] + n;
}

//! uses_wide *: none
//! uses_wide *: uses 0:w 8:r
KERNEL uses_wide(int4 *to, const int4 *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

//! uses_nontemporal *: none
//! uses_nontemporal *: uses 0:w 8:r
KERNEL uses_nontemporal(int *to, const int *from)
{
	__builtin_nontemporal_store(__builtin_nontemporal_load(from + threadIdx.x), to + threadIdx.x);
}

//! uses_scalar_and_offset *: none
//! uses_scalar_and_offset *: uses 0:w 8:w
KERNEL uses_scalar_and_offset(int *a, int *b, int n)
{
	word p = (word)(n & 1 ? a : b);

	asm volatile(SCALARS "global_store_dword %0, %1, s[20:21]" ::"v"((unsigned)threadIdx.x * 4u), "v"(n),
		     "v"(low_half(p)), "v"(high_half(p))
		     : "memory", "s20", "s21");
}

//! uses_buffer *: none
//! uses_buffer *: uses 0:w
KERNEL uses_buffer(int *a, int n)
{
	asm volatile(RESOURCE "buffer_store_dword %0, %1, s[20:23], 0 offen" ::"v"(n), "v"((unsigned)threadIdx.x * 4u),
		     "v"(low_half((word)a)), "v"(high_half((word)a))
		     : SCALARS_CHANGED);
}

//! uses_scalar_store *: none
//! uses_scalar_store *: uses 0:w
KERNEL uses_scalar_store(int *a, int n)
{
	asm volatile(SCALARS "v_readfirstlane_b32 s22, %0\n\ts_store_dword s22, s[20:21], 0x0" ::"v"(n), "v"(0u),
		     "v"(low_half((word)a)), "v"(high_half((word)a))
		     : SCALARS_CHANGED);
}

//! uses_lds_or_global *-O0@17: miscompiled
//! uses_lds_or_global *: none
//! uses_lds_or_global *: uses 0:w
KERNEL uses_lds_or_global(int *a, int n)
{
	__shared__ int here[64];
	int *p = n & 1 ? here : a;

	p[threadIdx.x] = n;
	__syncthreads();
	a[threadIdx.x] = here[threadIdx.x ^ 1];
}

//! uses_in_loop *: none
//! uses_in_loop *-O0: uses 0:rw 8:rw 16:r
//! uses_in_loop *-O[123]: uses 0:rw 8:w 16:r
KERNEL uses_in_loop(int *a, int *b, const int *key, int n)
{
	for (int i = 0; i < n; i++) {
		int *t = a;

		b[threadIdx.x] = a[threadIdx.x] + key[i];
		a = b;
		b = t;
	}
}
