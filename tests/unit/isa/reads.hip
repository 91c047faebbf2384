// SPDX-License-Identifier: Apache-2.0
/*
 * Loads of known bytes that come before all stores (analyzer/isa/reads.c), and the bytes that a kernel accesses behind its arguments.
 * Lines "//! KERNEL VARIANTS: WORDS: reads ANSWERS": the arguments of a launch as in choices.hip; for each pointer that is read so and
 * its first byte KERNARG+OFFSET, with "!" where it decides a branch for certain, or "?" where it is not certain that it is executed.
 * "bytes ANSWERS": for each argument KERNARG:FIRST-LAST, or KERNARG:? if they are not known. Needs no header.
 */
#define KERNEL extern "C" __attribute__((global)) void

struct list {
	unsigned long count;
	double *data;
	unsigned long limit, other;
};

__attribute__((device)) static inline unsigned thread()
{
	return __builtin_amdgcn_workitem_id_x();
}

//! decides *: - -: reads 0+0!
//! decides *: - -: bytes 0:0-7 8:0-3
KERNEL decides(const list *l, int *p)
{
	if (l->count)
		*p = 1;
}

//! first_item *: - -: reads 0+0!
KERNEL first_item(const list *l, int *p)
{
	if (thread() == 0)
		if (l->count > 5)
			*p = 1;
}

//! other_items *: - -: reads 0+0?
KERNEL other_items(const list *l, int *p)
{
	if (thread() == 1)
		if (l->count > 5)
			*p = 1;
}

// What it reads is stored, and decides nothing.
//! copied *: - -: reads 0+16
//! copied *: - -: bytes 0:16-23 8:0-7
KERNEL copied(const list *l, unsigned long *p)
{
	*p = l->limit;
}

// A flag in memory decides.
//! behind_flag *: - - - - - -: reads 0+16? 8+0!
KERNEL behind_flag(const list *l, const int *flag, int *p)
{
	if (*flag)
		if (l->limit)
			*p = 1;
}

// An argument decides.
//! behind_argument *: - - - - 1: reads 0+16!
//! behind_argument *: - - - - 0: reads
//! behind_argument *: - - - - -: reads 0+16?
KERNEL behind_argument(const list *l, int *p, int n)
{
	if (n)
		if (l->limit)
			*p = 1;
}

// It loads both ahead of the selection.
//! selected *: - - - - - -: reads 0+0 8+0
KERNEL selected(const list *l, const int *all, unsigned long *p)
{
	unsigned long count = l->count, which = *all ? 7 : count;

	if (which > 3)
		*p = 1;
}

//! behind_store *: - -: reads
//! behind_store *: - -: bytes 0:0-7 8:0-3
KERNEL behind_store(const list *l, volatile int *p)
{
	*p = 1;
	if (l->count)
		*p = 2;
}

// Another work-item may have stored it: the barrier says so.
//! behind_barrier *: - -: reads
KERNEL behind_barrier(list *l, int *p)
{
	if (thread() == 0)
		l->count = 5;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
	if (l->count)
		p[thread()] = 1;
}

// In a loop that stores, ahead of that or behind it.
//! ahead_in_loop *: - - - - 9: reads 0+0!
KERNEL ahead_in_loop(const volatile list *l, volatile int *p, int n)
{
	for (int i = 0; i < n && l->count; i++)
		*p = 1;
}

//! in_loop *: - -: reads
KERNEL in_loop(const volatile list *l, volatile int *p)
{
	do
		*p = 1;
	while (l->count);
}

//! own_memory *: - -: reads 0+0!
KERNEL own_memory(const volatile list *l, int *p)
{
	volatile int kept[4] = { 1, 2, 3, 4 };

	if (l->count)
		*p = kept[thread() & 3];
}

// An index that has no bound.
//! indexed *: - - -: bytes 0:? 8:0-3
KERNEL indexed(const int *a, int *p, int i)
{
	*p = a[i];
}

//! bounded *: - -: bytes 0:64-319 8:0-3
KERNEL bounded(const int *a, int *p)
{
	*p = a[16 + (thread() & 63)];
}

// The upper ones first.
//! downwards *: - -: bytes 0:4-19 8:0-3
KERNEL downwards(const volatile int *a, int *p)
{
	int upper = a[4];

	*p = upper + a[1];
}

// One of two: that of the other is not known.
//! one_of_two *: - - - - -: reads
//! one_of_two *: - - - - -: bytes 0:? 8:? 16:0-3
KERNEL one_of_two(const int *a, const int *b, int *p, int n)
{
	*p = *(n ? a : b);
}
