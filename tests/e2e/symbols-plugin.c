/* SPDX-License-Identifier: Apache-2.0 */
/* A library with one allocating function, FUNCTION, which the test loads and unloads. */
#include <stdlib.h>

void *FUNCTION(size_t size);

void *FUNCTION(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" ::: "memory");
	return block;
}
