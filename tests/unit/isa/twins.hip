/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for gfx906, to be read as gfx900's as well: the code of `plain` is the same there, that of
 * `product` has an instruction that gfx900 does not have.
 */
#define KERNEL extern "C" __attribute__((global))

KERNEL void plain(unsigned *a, unsigned b)
{
	__atomic_fetch_add(a, b, __ATOMIC_RELAXED);
}

KERNEL void product(int *a, int b, int c)
{
	int sum;

	__asm__ volatile("v_dot4_i32_i8 %0, %1, %2, 0" : "=v"(sum) : "v"(b), "v"(c));
	__atomic_fetch_add(a, sum, __ATOMIC_RELAXED);
}
