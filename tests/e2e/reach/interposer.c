/* SPDX-License-Identifier: Apache-2.0 */
/* Another tool's wrapper: it goes on to the next function of the name, and asks for more. */
#include <dlfcn.h>
#include <stddef.h>

int hipMalloc(void **ptr, size_t size);

int hipMalloc(void **ptr, size_t size)
{
	int (*next)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_NEXT, "hipMalloc");

	return next ? next(ptr, size + 1) : 302;
}
