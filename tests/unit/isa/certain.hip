// SPDX-License-Identifier: Apache-2.0
/*
 * Atomics that a launch executes for certain, or may execute (analyzer/isa/certain_path.c). Lines "//! KERNEL VARIANTS: WORDS: certain ANSWERS":
 * the arguments of a launch as in choices.hip; for each atomic of other memory than the work-group's, in the order of the code, "yes",
 * "word" (one word in memory decides, the same for all work-items) or "no", and nothing for one that this launch cannot execute. A "no" that could be a "yes" is written where it is known what that lacks.
 * The answers for kernels whose atomics stand in different branches do not depend on how a compiler orders these. Needs no header.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define ADD(p) __hip_atomic_fetch_add(p, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

__attribute__((device)) static inline unsigned thread()
{
	return __builtin_amdgcn_workitem_id_x();
}

__attribute__((device)) static inline unsigned group()
{
	return __builtin_amdgcn_workgroup_id_x();
}

//! always *: - -: certain yes
KERNEL always(int *p)
{
	ADD(p);
}

// One element passes the guard, whatever the size of the grid.
//! guarded *: - - 64: certain yes
//! guarded *: - - 1: certain yes
//! guarded *: - - 0: certain no
//! guarded *: - - -: certain no
KERNEL guarded(int *p, int n)
{
	int i = group() * 256 + thread();

	if (i < n)
		ADD(p + i);
}

//! guarded_wide *: - - 64 0: certain yes
//! guarded_wide *: - - 0 1: certain yes
//! guarded_wide *: - - 0 0: certain no
KERNEL guarded_wide(int *p, unsigned long n)
{
	unsigned long i = group() * 256ul + thread();

	if (i < n)
		ADD(p + i);
}

// A value in memory decides.
//! flag *: - - - -: certain word
KERNEL flag(int *p, const int *flag)
{
	if (*flag)
		ADD(p);
}

//! flag_of_each *: - - - - 64: certain no
KERNEL flag_of_each(int *p, const int *flag, int n)
{
	if ((int)thread() < n && flag[thread()])
		ADD(p);
}

// The atomic is behind a branch that memory decides: it is executed whichever way that goes.
//! behind_flag *: - - - -: certain yes
KERNEL behind_flag(int *p, int *flag)
{
	if (flag[thread()])
		flag[thread()] = 0;
	ADD(p);
}

//! left_early *: - - - -: certain no
KERNEL left_early(int *p, const int *flag)
{
	if (flag[thread()])
		return;
	ADD(p);
}

// The arguments fulfil both, one or neither of two conditions.
//! both *: - - 1 1: certain yes
//! both *: - - - 1: certain no
//! both *: - - 1 0: certain
KERNEL both(int *p, int a, int b)
{
	if (a && b)
		ADD(p);
}

// One work-item of each work-group adds.
//! first *: - -: certain yes
KERNEL first(int *p)
{
	if (thread() == 0)
		ADD(p);
}

// A work-group other than the first one adds: it may not exist.
//! other *: - -: certain no
KERNEL other(int *p)
{
	if (thread() == 5)
		ADD(p);
}

// An argument ends the first loop over elements; memory ends the others.
//! strided *: - - 1000: certain yes
//! strided *: - - 0: certain no
KERNEL strided(int *p, unsigned n)
{
	for (unsigned i = group() * 256 + thread(); i < n; i += 65536)
		ADD(p + i);
}

//! while_flag gfx9*: - - - -: certain word
//! while_flag hipcc*: - - - -: certain word
//! while_flag gfx1*: - - - -: certain no
KERNEL while_flag(int *p, const volatile int *flag)
{
	while (*flag)
		ADD(p);
}

//! do_while_flag *: - - - -: certain yes
KERNEL do_while_flag(int *p, const volatile int *flag)
{
	do
		ADD(p);
	while (*flag);
}

// Memory decides an else within a branch that an argument decides (a jump over it that is always taken).
//! in_else *: - - - - 1: certain no
//! in_else *: - - - - 0: certain yes
KERNEL in_else(int *p, int *q, int w)
{
	if (w) {
		if (p[5] > -1)
			ADD(p);
	} else {
		ADD(q);
	}
}

// An argument decides if memory does.
//! unless *: - - - - 1: certain yes
//! unless *: - - - - 0: certain no
KERNEL unless(int *p, const int *flag, int w)
{
	if (w || *flag)
		ADD(p);
}
