// SPDX-License-Identifier: Apache-2.0
/*
 * Code that the numbers of a launch decide about (analyzer/isa/evaluate.c). Lines "//! KERNEL VARIANTS: WORDS: ATOMICS" for a launch
 * of 2 work-groups of 64 work-items: the arguments from byte 0 on in words of 32 bits, "-" where nothing is known; then what each
 * atomic updates, "none" if none is executed. That is the argument at a byte, or one of several ("0,8"), or what lies at an offset
 * behind it ("0->16"); "!" after it: some work-item does for certain, "*": and with each of them. Words from 0x7f0000000000 on are
 * addresses; the dword at 0x7f0000010000 + 4 * k is k, for k up to 15. Needs no header, so that any compiler can build it for any processor.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define ADD(p) __hip_atomic_fetch_add(p, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

__attribute__((device)) static inline int thread()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

__attribute__((device)) static inline int group()
{
	return (int)__builtin_amdgcn_workgroup_id_x();
}

//! choice *: 0 0x7f01 0 0x7f02 1: 0!
//! choice *: 0 0x7f01 0 0x7f02 0: 8!
//! choice *: 0 0x7f01 0 0x7f02 -: 0,8!
KERNEL choice(unsigned *a, unsigned *b, int which)
{
	ADD(which ? a : b);
}

struct table {
	unsigned *to[4];
};

//! member *-O[13]: 0 0x7f01 0 0x7f02 0 0x7f03 0 0x7f04 2: 16!
//! member *-O[13]: 0 0x7f01 0 0x7f02 0 0x7f03 0 0x7f04 0: 0!
KERNEL member(table t, int which)
{
	ADD(t.to[which]);
}

//! entry *: 0 0x7f01 3: 0->24!
//! entry *: 0 0x7f01 -1: 0->-8!
KERNEL entry(unsigned **t, int which)
{
	ADD(t[which]);
}

//! rounds *: 0 0x7f01 2: 0->0,0->8!*
//! rounds *: 0 0x7f01 1: 0->0!
//! rounds *: 0 0x7f01 0: none
KERNEL rounds(unsigned **t, int count)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < count; i++)
		ADD(t[i]);
}

// More than are told apart: where they lie is known all the same.
//! many *: 0 0x7f01 100: 0->0,0->8,0->16,0->24,0->32,0->40,0->48,0->56,0->776,0->784,0->792,0->64..768!
KERNEL many(unsigned **t, int count)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < count; i++)
		ADD(t[i]);
}

//! swapped *: 0 0x7f01 0 0x7f02 7: 8!
//! swapped *: 0 0x7f01 0 0x7f02 8: 0!
KERNEL swapped(unsigned *a, unsigned *b, int count)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < count; i++) {
		unsigned *next = b;

		b = a;
		a = next;
		asm volatile("" ::: "memory");
	}
	ADD(a + thread());
}

// A word in memory, which is known or not.
//! flag *: 0 0x7f00 0x10000 0x7f00: none
//! flag *: 0 0x7f00 0x10004 0x7f00: 0!
//! flag *: 0 0x7f00 0x10100 0x7f00: 0
KERNEL flag(unsigned *a, const int *set)
{
	if (*set)
		ADD(a);
}

// Items are 0 to 63 of groups 0 and 1.
//! items *: 0 0x7f01 0 0x7f02 64: 0!
//! items *: 0 0x7f01 0 0x7f02 0: 8!
//! items *: 0 0x7f01 0 0x7f02 63: 0,8!
KERNEL items(unsigned *a, unsigned *b, int limit)
{
	ADD(thread() < limit ? a : b);
}

// No number without a sign is below 0, whatever it is.
//! below *gfx9*: 0 0x7f01 0x10100 0x7f00 0 0: none
//! below *-O0: 0 0x7f01 0x10100 0x7f00 0 0: none
//! below *: 0 0x7f01 0x10100 0x7f00 1 0: 0
KERNEL below(unsigned *a, const unsigned long *from, unsigned long limit)
{
	if (*from + thread() < limit)
		ADD(a);
}

//! groups *: 0 0x7f01 0 0x7f02 2: 0!
//! groups *: 0 0x7f01 0 0x7f02 1: 0,8!
KERNEL groups(unsigned *a, unsigned *b, int limit)
{
	ADD(group() < limit ? a : b);
}

// A loop that ends by what is not known may take any round.
//! until *-O[13]: 0 0x7f01 0 0x7f02 0 0x7f03: 0,8!
//! until *-O0: 0 0x7f01 0 0x7f02 0 0x7f03: 0,8
KERNEL until(unsigned *a, unsigned *b, const volatile int *done)
{
	while (!*done) {
		unsigned *next = b;

		b = a;
		a = next;
	}
	ADD(a);
}

// Whether the end of a loop is known says nothing of what its rounds do.
//! within *-O[13]: 0 0x7f01 0 0x7f02 0 0x7f03 3: 0,8!
//! within *-O0: 0 0x7f01 0 0x7f02 0 0x7f03 3: 0,8
KERNEL within(unsigned *a, unsigned *b, const volatile int *swap, int count)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < count; i++) {
		if (*swap) {
			unsigned *next = b;

			b = a;
			a = next;
		}
	}
	ADD(a);
}

// More rounds than are followed one after the other.
//! endless *-O[13]: 0 0x7f01 0 0x7f02 0x7fffffff: 0,8!
KERNEL endless(unsigned *a, unsigned *b, int count)
{
	unsigned x = 1;

#pragma clang loop unroll(disable)
	for (int i = 0; i < count; i++) {
		x = x * 1664525u + 1013904223u;
		asm volatile("" ::: "memory");
	}
	ADD(x >> 16 & 1 ? a : b);
}

// Carries from one half of a number to the other.
//! wide *: 0 0x7f01 0 0x7f02 0xffffffff 0 1 0: 8!
//! wide *: 0 0x7f01 0 0x7f02 0xfffffffe 0 1 0: 0!
KERNEL wide(unsigned *a, unsigned *b, unsigned long x, unsigned long y)
{
	ADD((x + y) >> 32 ? b : a);
}

// A pointer is compared with null, and with another one.
//! null *: 0 0 0 0x7f02: 8!
//! null *: 0 0x7f01 0 0x7f02: 0!
KERNEL null(unsigned *a, unsigned *b)
{
	ADD(a ? a : b);
}

// One side of an if that is the same for all work-items.
//! sides *: 0 0x7f01 0 0x7f02 5: 0!
//! sides *: 0 0x7f01 0 0x7f02 4: 8!
KERNEL sides(unsigned *a, unsigned *b, int which)
{
	if (which & 1) {
		ADD(a + thread());
	} else {
		ADD(b + thread());
	}
}

// Pointers in memory on both sides of an if, by work-items of all groups.
//! ids *: 0 0x7f01 128: 0->0!
//! ids *-O1: 0 0x7f01 30: 0->0,0->16!
KERNEL ids(unsigned **t, int limit)
{
	int i = group() * 64 + thread();

	if (i < limit)
		ADD(t[0] + i);
	else
		ADD(t[2]);
}

// In 64 bits: products, carries and comparisons of numbers that are not known, but from where to where they go.
//! wide_ids *: 0 0x7f01 64 0 128 0: 0!
//! wide_ids *-O0: 0 0x7f01 64 0 127 0: 0
//! wide_ids *: 0 0x7f01 64 0 0 0: none
//! wide_ids *: 0 0x7f01 64 0 0 1: 0!
KERNEL wide_ids(unsigned *a, unsigned items, unsigned long limit)
{
	unsigned long i = (unsigned long)(unsigned)group() * items + (unsigned)thread();

	if (i < limit)
		ADD(a);
}

//! wide_below *: 0 0x7f01 -1 -1: none
//! wide_below *: 0 0x7f01 0 0: none
//! wide_below *: 0 0x7f01 64 0: 0!
KERNEL wide_below(unsigned *a, long last)
{
	if ((long)thread() < last)
		ADD(a);
}

// Some work-items have a carry and others not.
//! wide_carry *-O0: 0 0x7f01 -16 0 0 1: 0
//! wide_carry *-O0: 0 0x7f01 -128 0 0 1: 0!
//! wide_carry *gfx90a*: 0 0x7f01 0 1 0 1: none
KERNEL wide_carry(unsigned *a, unsigned long first, unsigned long limit)
{
	if (first + (unsigned)thread() < limit)
		ADD(a);
}

// Of gfx10 and later compilers write exec by the comparison itself.
//! guarded *: 0 0x7f01 64: 0!
//! guarded *: 0 0x7f01 0: none
//! guarded *-O0: 0 0x7f01 63: 0
//! guarded *-O[13]: 0 0x7f01 63: 0!
KERNEL guarded(unsigned *a, int limit)
{
	if (thread() < limit)
		ADD(a + thread());
}

//! guarded_wide *: 0 0x7f01 -1 -1: none
//! guarded_wide *: 0 0x7f01 64 0: 0!
KERNEL guarded_wide(unsigned *a, long limit)
{
	if (thread() < limit)
		ADD(a + thread());
}

// Both branches by work-items, and a word that each of them reads.
//! guarded_twice *: 0 0x7f01 0x10004 0x7f00 64 0: 0!
//! guarded_twice *: 0 0x7f01 0x10004 0x7f00 0 0: none
//! guarded_twice *-O0: 0 0x7f01 0x10004 0x7f00 64 8: none
//! guarded_twice *gfx9*: 0 0x7f01 0x10004 0x7f00 64 8: none
//! guarded_twice *gfx1[12]*: 0 0x7f01 0x10004 0x7f00 64 8: none
KERNEL guarded_twice(unsigned *a, const unsigned *set, int limit, unsigned least)
{
	if (thread() < limit && set[thread() & 7] > least)
		ADD(a + thread());
}

// At -O0 the limit lies beside the array: an index that is known to stay within it leaves that as it is.
//! private_array *: 0 0x7f01 64: 0!
//! private_array *: 0 0x7f01 0: none
KERNEL private_array(unsigned *a, int limit)
{
	volatile int array[4];

	array[thread() & 3] = 1;
	if (thread() < limit)
		ADD(a);
}

// A byte of the arguments, by an index that is known.
//! byte *-O[13]: 0 0x7f01 0 0x7f02 0x03020100 0 1: 8!
//! byte *-O[13]: 0 0x7f01 0 0x7f02 0x03020100 0 2: 0!
struct bytes {
	unsigned char at[8];
};

KERNEL byte(unsigned *a, unsigned *b, bytes from, int index)
{
	ADD(from.at[index] & 1 ? b : a);
}

// Each work-item reads a word of its own: all of them are looked up, and one that is not known is any number.
//! each *: 0 0x7f01 0x10004 0x7f00 0: 0!
//! each *gfx9*: 0 0x7f01 0x10004 0x7f00 8: none
//! each *-O0: 0 0x7f01 0x10004 0x7f00 8: none
//! each *: 0 0x7f01 0x10004 0x7f00 7: 0
//! each *: 0 0x7f01 0x10030 0x7f00 20: 0
KERNEL each(unsigned *a, const unsigned *set, unsigned limit)
{
	if (set[thread() & 7] > limit)
		ADD(a);
}

// The sizes of a work-group, which code objects up to version 4 load from the dispatch packet; what lies beside them is not known.
typedef const __attribute__((address_space(4))) unsigned short *packet;

//! sizes *: 0 0x7f01 0 0x7f02 1064 4: 0!
//! sizes *: 0 0x7f01 0 0x7f02 1065 4: 8!
//! sizes *: 0 0x7f01 0 0x7f02 1064 6: 0,8!
//! sizes *: 0 0x7f01 0 0x7f02 1064 -: 0,8!
KERNEL sizes(unsigned *a, unsigned *b, int which, int last)
{
	packet at = (packet)__builtin_amdgcn_dispatch_ptr();

	ADD(at[2] + 1000 * at[3] * at[last] == which ? a : b);
}
