/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

void *FUNCTION(size_t size);

void *FUNCTION(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" ::: "memory");
	return block;
}
