// SPDX-License-Identifier: Apache-2.0
/*
 * The bytes that work-items access for certain behind the arguments (analyzer/isa/reach.c), in launches of 4 groups of 64.
 * Lines "//! KERNEL VARIANTS: WORDS: reach ANSWERS": the arguments as in choices.hip; for each pointer and kind of access (r, w, a) that is
 * known KERNARG:FIRST-LAST. Needs no header.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device)) static inline

DEVICE unsigned thread()
{
	return __builtin_amdgcn_workitem_id_x();
}

DEVICE unsigned number()
{
	return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + thread();
}

/* As the device library of HIP 5 computes it. */
DEVICE unsigned library_number()
{
	unsigned group = __builtin_amdgcn_workgroup_id_x(), size = __builtin_amdgcn_workgroup_size_x();
	unsigned rest = __builtin_amdgcn_grid_size_x() - group * size;

	return group * (rest < size ? rest : size) + thread();
}

//! all *: - -: reach 0w:0-1023
KERNEL all(int *x)
{
	x[number()] = 1;
}

//! below *: - - 100: reach 0w:0-399
//! below *: - - 1000: reach 0w:0-1023
//! below *: - - 0: reach
//! below *: - - 0xffffffff: reach
//! below *: - - -: reach
KERNEL below(int *x, int n)
{
	int i = number();

	if (i < n)
		x[i] = 1;
}

//! library hipcc*: - - 100: reach 0w:0-399
KERNEL library(int *x, int n)
{
	int i = library_number();

	if (i < n)
		x[i] = 1;
}

//! below_unsigned *: - - 100: reach 0w:0-199
//! below_unsigned *: - - 0xffffffff: reach 0w:0-511
KERNEL below_unsigned(short *x, unsigned n)
{
	unsigned i = number();

	if (i < n)
		x[i] = 1;
}

//! below_wide *: - - 100 0: reach 0w:0-799
//! below_wide *: - - 0 1: reach 0w:0-2047
KERNEL below_wide(double *x, unsigned long n)
{
	unsigned long i = number();

	if (i < n)
		x[i] = 1;
}

//! copies *: - - - - 8: reach 0w:0-31 8r:0-31
KERNEL copies(int *__restrict__ x, const int *__restrict__ y, int n)
{
	int i = number();

	if (i >= n)
		return;
	x[i] = y[i] + 1;
}

//! neighbours *: - - - - 8: reach 0w:0-31 8r:4-35
KERNEL neighbours(int *__restrict__ x, const int *__restrict__ y, int n)
{
	int i = number();

	if (i <= n - 1)
		x[i] = y[i + 1];
}

// Each work-item's first element of several.
//! strided *O1: - - 100 -: reach 0r:0-399 0w:0-399
KERNEL strided(int *x, int n, int step)
{
	for (int i = number(); i < n; i += step)
		x[i] += 1;
}

//! atomics *: - - 100: reach 0a:0-399
KERNEL atomics(unsigned *x, int n)
{
	int i = number();

	if (i < n)
		__hip_atomic_fetch_add(&x[i], 3u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Each group the same.
//! in_group *: - -: reach 0w:0-255
KERNEL in_group(int *x)
{
	x[thread()] = 1;
}

//! one_word *: - -: reach 0w:8-11
KERNEL one_word(int *x)
{
	x[2] = 1;
}

// Where is in memory.
//! by_memory *: - - - - 100: reach 8r:0-399
KERNEL by_memory(float *f, const int *cells, int n)
{
	int i = number();

	if (i < n)
		f[cells[i]] += 1;
}

// Who does is in memory.
//! if_memory *: - - - - 100: reach 8r:0-399
KERNEL if_memory(float *f, const int *flags, int n)
{
	int i = number();

	if (i < n && flags[i])
		f[i] = 1;
}

// Every other element, and gaps between them.
//! gaps *: - -: reach
KERNEL gaps(int *x)
{
	x[2 * number()] = 1;
}

// A part that an argument chooses, which is not followed.
//! part *: - - 5: reach
KERNEL part(int *x, int from)
{
	x[from + number()] = 1;
}

// A loop that waits for memory may never end.
//! waits gfx942*: - - - -: reach 0r:0-3
KERNEL waits(volatile int *gate, int *x)
{
	while (*gate == 0)
		__builtin_amdgcn_s_sleep(1);
	x[number()] = 1;
}

// Backwards.
//! backwards *: - - 100: reach
KERNEL backwards(int *x, int n)
{
	x[n - number()] = 1;
}

// The others.
//! above *: - - 100: reach
KERNEL above(int *x, int n)
{
	int i = number();

	if (i >= n)
		x[i] = 1;
}

// Of those below a number, and below another one.
//! both *: - - 100 50: reach
KERNEL both(int *x, int n, int m)
{
	int i = number();

	if (i < n && i < m)
		x[i] = 1;
}
