/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels, in one file or (FIRST, SECOND) in two that are linked; needs no header of HIP's. */
struct dim3 {
	unsigned x, y, z;
};
typedef struct ihipStream_t *hipStream_t;
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);

#define GLOBAL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))

DEVICE int step(int n);

#ifndef SECOND
GLOBAL first(int *a, int n)
{
	__hip_atomic_fetch_add(a + n, step(n), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#endif

#ifndef FIRST
DEVICE int step(int n)
{
	return n * 3;
}

GLOBAL second(int n, int *b)
{
	__hip_atomic_fetch_or(b, n, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#endif
