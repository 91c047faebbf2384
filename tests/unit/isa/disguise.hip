// SPDX-License-Identifier: Apache-2.0
/*
 * Pointers in disguise: what is added to a pointer, or what its bits are combined with, leads to another allocation.
 * Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip. "direct 0" would be wrong in most of these kernels: tests/oracle
 * runs them with arguments that lead elsewhere. Needs no header, so that any compiler can build it for any processor.
 */
#define KERNEL   extern "C" __attribute__((global)) void
#define DEVICE   __attribute__((device))
#define SHARED   __attribute__((shared))
#define ADD(p)   __hip_atomic_fetch_add((int *)(p), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define LOW(x)   ((unsigned)(x))
#define HIGH(x)  ((unsigned)((x) >> 32))
#define BOTH(h, l) ((word)(h) << 32 | (l))

typedef unsigned long long word;

struct pair {
	word a, b;
};

struct mixed {
	word a, b, mask;
};

/* The compiler knows nothing of the result; the machine code is a move at most. */
template <class T> DEVICE static inline T opaque(T value)
{
	asm volatile("" : "+v"(value));
	return value;
}

DEVICE static inline int thread()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

/* ---- exclusive or ---- */

//! xor_argument *: native i32 unknown
KERNEL xor_argument(char *a, word k)
{
	ADD((word)a ^ k);
}

//! xor_arguments *: native i32 unknown
KERNEL xor_arguments(word a, word k)
{
	ADD(a ^ k);
}

//! xor_in_struct *: native i32 unknown
KERNEL xor_in_struct(struct pair p)
{
	ADD(p.a ^ p.b);
}

/* Both lie in the same 4 GiB. */
//! xor_lower_half *: native i32 unknown
KERNEL xor_lower_half(char *a, unsigned k)
{
	ADD((word)a ^ k);
}

//! xor_signed_half *: native i32 unknown
KERNEL xor_signed_half(char *a, int k)
{
	ADD((word)a ^ (word)(long)k);
}

//! xor_product *: native i32 unknown
KERNEL xor_product(char *a, word k, word one)
{
	ADD((word)a ^ opaque(k * one));
}

//! xor_loaded *: native i32 unknown
KERNEL xor_loaded(char *a, const word *k)
{
	ADD((word)a ^ *k);
}

DEVICE int counted[64];

//! xor_variable *: native i32 unknown
KERNEL xor_variable(word k)
{
	ADD((word)&counted[1] ^ k);
}

//! xor_complement *: native i32 unknown
KERNEL xor_complement(char *a, word k)
{
	ADD(~opaque(~((word)a ^ k)));
}

//! xor_and_add *: native i32 unknown
KERNEL xor_and_add(char *a, word k, word n)
{
	ADD(((word)a ^ k) + n);
}

/* An index may be computed in any way. */
//! xor_of_index *: native i32 direct 0
KERNEL xor_of_index(int *a, int n, int m)
{
	ADD(a + ((thread() ^ n ^ m) & 63));
}

//! xor_of_wide_index *: native i32 direct 0
KERNEL xor_of_wide_index(char *a, word n, word m)
{
	ADD(a + (n ^ m));
}

/* ---- masks ---- */

//! masked_argument *-O0: native i32 set 0,8
//! masked_argument *-O[123]@-20: native i32 set 0,8
// Later ones make it ((a ^ k) & mask) ^ k.
//! masked_argument *-O[123]@21-: native i32 unknown
KERNEL masked_argument(char *a, word k, word mask)
{
	ADD(((word)a & mask) | (k & ~mask));
}

//! masked_by_sign *: native i32 unknown
KERNEL masked_by_sign(char *a, word k, int n)
{
	word mask = (word)-(long)(n & 1);

	ADD((opaque((word)a & mask)) | (opaque(k & ~mask)));
}

//! rounded_down *: native i32 direct 0
KERNEL rounded_down(char *a, int align)
{
	ADD((word)a & -(word)(long)align);
}

/* The upper bits of one, the lower ones of the other. */
//! halves_of_words *: native i32 unknown
KERNEL halves_of_words(char *a, char *b)
{
	ADD(BOTH(HIGH((word)a), opaque(LOW((word)a) & 0xffffff) | (LOW((word)b) & 0xff000000u)));
}

//! lower_part *: native i32 unknown
KERNEL lower_part(char *a, char *b)
{
	ADD(opaque((word)a & 0xffffff) | ((word)b & ~(word)0xffffff));
}

//! aligned_up *: native i32 direct 0
KERNEL aligned_up(char *a, int n)
{
	ADD(a + (-(word)a & 15) + 4 * n);
}

//! peeled *: native i32 direct 0
KERNEL peeled(char *a, int n)
{
	ADD(a + 16 - (opaque((word)a) & 15) + 4 * n);
}

/* ---- products and differences ---- */

//! product_back *: native i32 unknown
KERNEL product_back(char *a, char *b, word one)
{
	ADD((word)a - one * ((word)a - (word)b));
}

//! product_back_of_numbers *: native i32 unknown
KERNEL product_back_of_numbers(word a, word b, word one)
{
	ADD(a - one * (a - b));
}

//! product_of_variable *: native i32 unknown
KERNEL product_of_variable(word k, word one)
{
	ADD((word)&counted[1] + one * (k - (word)&counted[1]));
}

/* Which of them is the pointer, which the difference? */
//! number_and_difference *: native i32 set 0,8
KERNEL number_and_difference(word k, char *to, char *from)
{
	ADD(k + (opaque((word)to) - opaque((word)from)));
}

//! number_without_pointer *: native i32 unknown
KERNEL number_without_pointer(char *a, word sum)
{
	ADD(sum - (word)a);
}

//! negative_index *: native i32 direct 0
KERNEL negative_index(char *a, word n)
{
	ADD((word)a - n);
}

//! added_index *: native i32 direct 0
KERNEL added_index(char *a, word n)
{
	ADD(a + n);
}

//! added_numbers *: native i32 set 0,8
KERNEL added_numbers(word a, word n)
{
	ADD(a + n);
}

/* ---- a difference that goes a way of its own ---- */

//! difference_of_bytes *: native i32 unknown
KERNEL difference_of_bytes(char *a, char *b)
{
	word x = __builtin_bswap64(opaque(__builtin_bswap64((word)b - (word)a)));

	ADD(a + opaque(x));
}

//! difference_at_least *: native i32 unknown
KERNEL difference_at_least(char *a, char *b, unsigned least)
{
	unsigned by = LOW((word)b) - LOW((word)a);

	ADD(a + opaque(by > least ? by : least));
}

//! difference_in_bytes_stored *: native i32 unknown
KERNEL difference_in_bytes_stored(char *a, char *b)
{
	word by = (word)b - (word)a, copy;

	for (int i = 0; i < 8; i++)
		((volatile char *)&copy)[i] = ((const volatile char *)&by)[i];
	ADD(a + copy);
}

//! difference_of_other_lane *: native i32 unknown
KERNEL difference_of_other_lane(char *a, char *b)
{
	word by = (word)b - (word)a;
	int lane = thread() << 2;
	unsigned low = (unsigned)__builtin_amdgcn_ds_bpermute(lane, (int)LOW(by));
	unsigned high = (unsigned)__builtin_amdgcn_ds_bpermute(lane, (int)HIGH(by));

	ADD(a + BOTH(high, low));
}

//! difference_rotated *: native i32 unknown
KERNEL difference_rotated(char *a, char *b, unsigned zero)
{
	word by = (word)b - (word)a;
	unsigned low, high;

	asm volatile("v_alignbit_b32 %0, %1, %1, %2" : "=v"(low) : "v"(LOW(by)), "v"(zero));
	asm volatile("v_alignbit_b32 %0, %1, %1, %2" : "=v"(high) : "v"(HIGH(by)), "v"(zero));
	ADD(a + BOTH(high, low));
}

/* ---- instructions written by hand ---- */

//! inserted *: native i32 set 0,8
KERNEL inserted(char *a, word k, unsigned mask)
{
	unsigned low, high;

	asm volatile("v_bfi_b32 %0, %1, %2, %3" : "=v"(low) : "v"(mask), "v"(LOW((word)a)), "v"(LOW(k)));
	asm volatile("v_bfi_b32 %0, %1, %2, %3" : "=v"(high) : "v"(mask), "v"(HIGH((word)a)), "v"(HIGH(k)));
	ADD(BOTH(high, low));
}

//! inserted_index *: native i32 direct 0
KERNEL inserted_index(int *a, unsigned n, unsigned m)
{
	unsigned i;

	asm volatile("v_bfi_b32 %0, %1, %2, %3" : "=v"(i) : "v"(7u), "v"(n), "v"(m));
	ADD(a + (i & 63));
}

//! xor_add *: native i32 unknown
KERNEL xor_add(char *a, word k)
{
	unsigned low, high;

	asm volatile("v_xad_u32 %0, %1, %2, 0" : "=v"(low) : "v"(LOW((word)a)), "v"(LOW(k)));
	asm volatile("v_xad_u32 %0, %1, %2, 0" : "=v"(high) : "v"(HIGH((word)a)), "v"(HIGH(k)));
	ADD(BOTH(high, low));
}

//! xor_not *: native i32 unknown
KERNEL xor_not(char *a, word k)
{
	unsigned low, high;

	asm volatile("v_xnor_b32 %0, %1, %2" : "=v"(low) : "v"(LOW((word)a)), "v"(~LOW(k)));
	asm volatile("v_xnor_b32 %0, %1, %2" : "=v"(high) : "v"(HIGH((word)a)), "v"(~HIGH(k)));
	ADD(BOTH(high, low));
}

//! index_by_xor_add *: native i32 direct 0
KERNEL index_by_xor_add(char *a, unsigned n)
{
	unsigned low;

	asm volatile("v_xad_u32 %0, %1, %2, %3" : "=v"(low) : "v"((unsigned)thread() * 4), "v"(n), "v"(LOW((word)a)));
	ADD(BOTH(HIGH((word)a), low));
}

//! or_of_three *: native i32 set 0,8
KERNEL or_of_three(char *a, word k, word mask)
{
	unsigned low, high;

	asm volatile("v_or3_b32 %0, %1, %2, 0"
		     : "=v"(low) : "v"(opaque(LOW((word)a & mask))), "v"(opaque(LOW(k & ~mask))));
	asm volatile("v_or3_b32 %0, %1, %2, 0"
		     : "=v"(high) : "v"(opaque(HIGH((word)a & mask))), "v"(opaque(HIGH(k & ~mask))));
	ADD(BOTH(high, low));
}

//! and_or *: native i32 set 0,8
KERNEL and_or(char *a, word k, unsigned mask)
{
	unsigned low, high;

	asm volatile("v_and_or_b32 %0, %1, %2, %3"
		     : "=v"(low) : "v"(LOW((word)a)), "v"(mask), "v"(opaque(LOW(k) & ~mask)));
	asm volatile("v_and_or_b32 %0, %1, %2, %3"
		     : "=v"(high) : "v"(HIGH((word)a)), "v"(mask), "v"(opaque(HIGH(k) & ~mask)));
	ADD(BOTH(high, low));
}

//! complement_by_mask *: native i32 direct 0
KERNEL complement_by_mask(char *a, word n)
{
	word x = opaque(~(word)0 & ~(word)a);

	ADD(n - x - 1);
}

//! permuted *: native i32 unknown
KERNEL permuted(char *a, char *b)
{
	word by = (word)b - (word)a;
	unsigned low = __builtin_amdgcn_perm(LOW(by), LOW(by), opaque(0x03020100u));
	unsigned high = __builtin_amdgcn_perm(HIGH(by), HIGH(by), opaque(0x03020100u));

	ADD(a + BOTH(high, low));
}

//! selected_halves *-O0@17: miscompiled
//! selected_halves *: native i32 set 0,8
KERNEL selected_halves(char *a, char *b, int n)
{
	unsigned low = n & 1 ? LOW((word)a) : LOW((word)b);
	unsigned high = n & 1 ? HIGH((word)a) : HIGH((word)b);

	ADD(BOTH(opaque(high), opaque(low)));
}

#if defined(__GFX9__) || !defined(__HIP_DEVICE_COMPILE__)
/* Instructions that take a part of a register. */
//! parts *gfx9*: native i32 unknown
//! parts disguise-O?: native i32 unknown
KERNEL parts(char *a, char *b)
{
	unsigned low;

	asm volatile("v_or_b32_sdwa %0, %1, %2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD"
		     : "=v"(low) : "v"(LOW((word)a)), "v"(opaque(LOW((word)b) & 0xffff0000u)));
	ADD(BOTH(HIGH((word)a), low));
}

//! added_part *gfx9*: native i32 direct 0
//! added_part disguise-O?: native i32 direct 0
KERNEL added_part(char *a, unsigned n)
{
	unsigned low;

	asm volatile("v_add_u32_sdwa %0, %1, %2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD"
		     : "=v"(low) : "v"(n * 4), "v"(LOW((word)a)));
	ADD(BOTH(HIGH((word)a), low));
}
#endif

/* ---- no disguise ---- */

/* As rocRAND steps to an aligned address: a few bits of the pointer are an index. */
//! aligned_head *: native i32 direct 0
KERNEL aligned_head(char *a, unsigned n)
{
	unsigned head = LOW((word)a) >> 2 & 3;

	ADD(a + 16ull * (head > n ? n : head));
}
