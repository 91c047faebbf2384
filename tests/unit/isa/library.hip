// SPDX-License-Identifier: Apache-2.0
/*
 * Atomics of HIP's headers, which compilers and headers make differently. Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip.
 */
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ void

/*
 * At -O0 clang 17 reloads registers that all lanes need under the mask of a branch: what lanes that do not take it store, and
 * where, is anything.
 */
//! max_float *-O1: cas-max f32 direct 0
//! max_float *-O0@-16: cas-min-or-max f32 direct 0
//! max_float *-O0@21: cas-min-or-max f32 direct 0
//! max_float *-O0@22-: cas-max f32 direct 0
//! max_float *-O0@17: cas-min-or-max f32 unknown
KERNEL max_float(float *to, float value)
{
	atomicMax(to, value);
}

//! min_float *-O1: cas-min f32 direct 0
//! min_float *-O0@-16: cas-min-or-max f32 direct 0
//! min_float *-O0@21: cas-min-or-max f32 direct 0
//! min_float *-O0@22-: cas-min f32 direct 0
//! min_float *-O0@17: cas-min-or-max f32 unknown
KERNEL min_float(float *to, float value)
{
	atomicMin(to, value);
}

//! max_double *-O1: cas-max f64 direct 0
//! max_double *-O0@-21: cas-min-or-max f64 direct 0
//! max_double *-O0@22-: cas-max f64 direct 0
KERNEL max_double(double *to, double value)
{
	atomicMax(to, value);
}

//! min_double *-O1: cas-min f64 direct 0
//! min_double *-O0@-21: cas-min-or-max f64 direct 0
//! min_double *-O0@22-: cas-min f64 direct 0
KERNEL min_double(double *to, double value)
{
	atomicMin(to, value);
}

//! unsafe_float *: native f32 direct 0
//! unsafe_float *: ? native f32 lds
KERNEL unsafe_float(float *to, float value)
{
	unsafeAtomicAdd(to, value);
}

//! unsafe_double *: native f64 direct 0
//! unsafe_double *: ? native f64 lds
KERNEL unsafe_double(double *to, double value)
{
	unsafeAtomicAdd(to, value);
}

//! add_int *: native i32 direct 8
KERNEL add_int(int n, int *to)
{
	for (int i = threadIdx.x; i < n; i++)
		atomicAdd(to + i, i);
}

struct grid {
	int size[3];
	int total;
	float spacing;
};

/* As a mesh of particles is indexed, in a box that repeats. */
__device__ inline int wrapped(int size, int n)
{
	if (n >= size)
		return n - size;
	return n < 0 ? n + size : n;
}

//! mesh *: native i32 direct 24
KERNEL mesh(struct grid grid, int *to, int x, int y, int z)
{
	for (int a = -1; a <= 1; a++)
		for (int b = -1; b <= 1; b++)
			for (int c = -1; c <= 1; c++) {
				int i = wrapped(grid.size[0], x + a), k = wrapped(grid.size[1], y + b);

				atomicAdd(to + i + grid.size[0] * (k + grid.size[1] * wrapped(grid.size[2], z + c)), 1);
			}
}

/* The offset counts bytes. */
//! bytes *: native i32 direct 24
KERNEL bytes(struct grid grid, char *to, int x, int y, int z)
{
	atomicAdd((int *)(to + (x - grid.size[0]) + (y - grid.size[1]) + (z - grid.size[2]) + grid.total), 1);
}

__constant__ int *fixed;

/* Clang 21 puts it where nothing is written; the host does. */
//! through_constant *: native i32 indirect fixed
KERNEL through_constant(int n)
{
	atomicAdd(fixed + n, 1);
}

struct link {
	int *value;
	struct link *next;
};

/*
 * At -O0 clang 21 selects the halves of the address of what it put on the stack by vector registers, with a mask that a scalar
 * comparison of constants makes.
 */
//! end_list *: stores 0>8 :=
//! end_list *: none
KERNEL end_list(struct link *to)
{
	to->next = 0;
}
