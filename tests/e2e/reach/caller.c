/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that calls HIP: linked to one copy of the runtime, by the old version of its interface
 * if OLD. The second function stands in a static library that is linked into it.
 */
#include <stddef.h>

int hipMalloc(void **ptr, size_t size);
int hipFree(void *ptr);
int caller_allocate(void **ptr, size_t size);
int caller_free(void *ptr);
int helper_free(void *ptr);

#ifdef OLD
__asm__(".symver hipMalloc, hipMalloc@hip_4.2");
#endif

#ifdef HELPER
int helper_free(void *ptr)
{
	return hipFree(ptr);
}
#else
int caller_allocate(void **ptr, size_t size)
{
	return hipMalloc(ptr, size);
}

int caller_free(void *ptr)
{
	return helper_free(ptr);
}
#endif
