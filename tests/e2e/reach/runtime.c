/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of a HIP runtime in name only, in two versions of its interface, that tells by what it
 * returns which copy and which version was called. COPY is its number, from 1 on.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int hipGetDeviceCount(int *count);
int hipGetDevice(int *device);
int hipRuntimeGetVersion(int *version);
int hipGetLastError(void);
int hipPeekAtLastError(void);
int hipFree(void *ptr);
int hipMemcpy(void *to, const void *from, size_t size, int kind);
int hipMemcpy_spt(void *to, const void *from, size_t size, int kind);
int hipGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
		      void *status);
int malloc_old(void **ptr, size_t size);
int malloc_new(void **ptr, size_t size);

static __thread int error;

/* Addresses that lead nowhere: copy, version, number. */
static int allocate(void **ptr, size_t size, uint64_t version)
{
	static uint64_t number;

	*ptr = (void *)((uint64_t)COPY << 44 | version << 40 |
			__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED) << 12);
	return size ? 0 : (error = 2);
}

int malloc_old(void **ptr, size_t size)
{
	return allocate(ptr, size, 4);
}

int malloc_new(void **ptr, size_t size)
{
	return allocate(ptr, size, 6);
}

__asm__(".symver malloc_old, hipMalloc@hip_4.2");
__asm__(".symver malloc_new, hipMalloc@@hip_6.0");

/* Memory of another copy is nothing that it knows. */
int hipFree(void *ptr)
{
	return (uint64_t)ptr >> 44 == COPY ? 0 : (error = 1);
}

int hipGetDeviceCount(int *count)
{
	*count = 1;
	return 0;
}

int hipGetDevice(int *device)
{
	*device = 0;
	return 0;
}

int hipRuntimeGetVersion(int *version)
{
	*version = 50200000 + COPY * 10000000;
	return 0;
}

int hipGetLastError(void)
{
	int last = error;

	error = 0;
	return last;
}

int hipPeekAtLastError(void)
{
	return error;
}

int hipMemcpy(void *to, const void *from, size_t size, int kind)
{
	return to && from && size && kind ? 0 : (error = 1);
}

int hipMemcpy_spt(void *to, const void *from, size_t size, int kind)
{
	return to && from && size && kind ? 0 : (error = 1);
}

/* Flag 2: per-thread default streams. */
int hipGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
		      void *status)
{
	(void)status;
	*function = NULL;
	if (!strcmp(symbol, "hipMalloc"))
		*function = version < 600 ? (void *)malloc_old : (void *)malloc_new;
	else if (!strcmp(symbol, "hipFree"))
		*function = (void *)hipFree;
	else if (!strcmp(symbol, "hipMemcpy"))
		*function = flags & 2 ? (void *)hipMemcpy_spt : (void *)hipMemcpy;
	return *function ? 0 : (error = 500);
}
