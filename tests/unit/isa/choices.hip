// SPDX-License-Identifier: Apache-2.0
/*
 * Code that conditions on the arguments decide about (analyzer/isa/choice.c). Lines "//! KERNEL VARIANTS: WORDS: USES" for a launch:
 * the arguments from byte 0 on in words of 32 bits, "-" where nothing is known; the uses of that launch as in kernels.hip, "~" after
 * one that is not certain, then "atomics N" if there are any; or "addresses KIND:KERNARG": what leads to that of each atomic. Needs no header, so that any compiler can build it for any processor.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define ADD(p, n) __hip_atomic_fetch_add(p, n, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

struct number_or_pointer {
	union {
		float value;
		const float *pointer;
	};
};

__attribute__((device)) static inline int thread()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

__attribute__((device)) static inline float load(const float *p)
{
	return *p;
}

// As rocBLAS passes its scalars.
//! scalar *: 1 8 1 7 0 0: 16:w
//! scalar *: 0 8 1 7 0 0: 8:r 16:w
//! scalar *: 2 8 1 7 0 0: 8:r 16:w
//! scalar *: - 8 1 7 0 0: 8:r~ 16:w
KERNEL scalar(bool is_number, int n, number_or_pointer a, float *out)
{
	float x = is_number ? a.value : load(a.pointer);

	if (thread() < n)
		out[thread()] = x;
}

// The compiler chooses between two addresses: the argument's own, and the pointer in it.
//! selected *: 1 8 1 7 0 0: 16:w
//! selected *: 0 8 1 7 0 0: 8:r 16:w
//! selected *: - 8 1 7 0 0: 8:r~ 16:w
KERNEL selected(bool is_number, int n, number_or_pointer a, float *out)
{
	float x = is_number ? a.value : *a.pointer;

	if (thread() < n)
		out[thread()] = x;
}

// Flags behind each other, which compilers keep in registers from one branch to the next.
//! modes *: 2 9 1 7 0 0: 8:a 16:r atomics 1
//! modes *: 3 9 1 7 0 0:
//! modes *: 4 9 1 7 0 0: 16:w
//! modes *: 0xffffffff 9 1 7 0 0:
KERNEL modes(int mode, int n, number_or_pointer a, int *p)
{
	if (mode == 2) {
		if (thread() < n)
			ADD((int *)a.pointer, p[thread()]);
	} else if (mode > 3) {
		p[thread()] = (int)a.value;
	}
}

//! both *: 0x00010001 0 1 7 0 0: 8:r 16:w
//! both *: 0x00000001 0 1 7 0 0: 16:w
//! both *: 0x00010000 0 1 7 0 0: 16:w
//! both *: - 0 1 7 0 0: 8:r~ 16:w
KERNEL both(bool first, bool unused, bool second, number_or_pointer a, float *out)
{
	out[thread()] = first && second ? load(a.pointer) : 1.0f;
}

// Numbers without a sign, a range that is one comparison, and what is no bit.
//! range *: 3 0 1 7 0 0: 8:r 16:w
//! range *: 6 0 1 7 0 0: 8:r 16:w
//! range *: 7 0 1 7 0 0: 16:w
//! range *: 2 0 1 7 0 0: 16:w
//! range *: 0x80000004 0 1 7 0 0: 16:w
KERNEL range(unsigned kind, number_or_pointer a, float *out)
{
	out[thread()] = kind >= 3 && kind <= 6 ? load(a.pointer) : 1.0f;
}

// A pointer that may be null decides about another one.
//! optional *: 0 0 1 7 5 0: 16:w
//! optional *: 4 0 1 7 5 0: 8:r 16:w
//! optional *: 0 4 1 7 5 0: 8:r 16:w
KERNEL optional(const void *given, number_or_pointer a, float *out)
{
	out[thread()] = given ? load(a.pointer) : 1.0f;
}

// Not the same for all work-items, or by what lies in memory: nothing is decided.
//! undecided *: 0 8 1 7 0 0: 8:r 16:rw
KERNEL undecided(int zero, int n, number_or_pointer a, float *out)
{
	if (thread() < n && out[zero] > 1.0f)
		out[thread()] = load(a.pointer);
}

// In a loop, after something else was decided by the same word.
//! loop *: 0 3 1 7 0 0: 16:rw
//! loop *: 1 3 1 7 0 0: 8:r 16:rw
KERNEL loop(int use, int n, number_or_pointer a, float *out)
{
	for (int i = 0; i < n; i++) {
		out[i] += 1.0f;
		if (use)
			out[i] *= load(a.pointer + i);
	}
}

// A declared pointer that is used under a condition is certain, as far as it is used.
//! declared *: 0 0 1 7 0 0: 16:w
//! declared *: 1 0 1 7 0 0: 8:r 16:w
//! declared *: - 0 1 7 0 0: 8:r 16:w
KERNEL declared(int use, const float *a, float *out)
{
	out[thread()] = use ? load(a) : 1.0f;
}

// The compiler joins a scalar condition to the work-item's in one mask of lanes.
//! joined *: 7 9 0 0 0 0: 8:a 16:a atomics 2
//! joined *: 6 9 0 0 0 0: 16:a atomics 1
//! joined *: - 9 0 0 0 0: 8:a 16:a atomics 2
KERNEL joined(int mode, int n, int *p, int *q)
{
	if (mode == 7 && thread() < n)
		ADD(p, 1);
	ADD(q, 1);
}

// The address is one of two, behind other conditions: there are more results of all of them than ways to select.
//! selected_behind *: 1 0 5 0 0 0 9 0: 16:a atomics 1
//! selected_behind *: 0 3 4 0 0 0 9 0: 24:a atomics 1
//! selected_behind *: 0 0 4 0 0 0 9 0:
//! selected_behind *: 1 0 5 0 0 0 9 0: addresses direct:16
//! selected_behind *: 0 3 4 0 0 0 9 0: addresses direct:24
//! selected_behind *: - 3 4 0 0 0 9 0: addresses set:16,24
KERNEL selected_behind(int which, int v, int u, int *p, int *q)
{
	if (v > 2 || u == 5)
		ADD((which ? p : q) + thread() % 4, 1);
}
