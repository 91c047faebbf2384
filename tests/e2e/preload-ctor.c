/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor allocates: it runs before the preload library's own. */
#include <stdlib.h>

void *preload_ctor_memory;

__attribute__((constructor)) static void allocate(void)
{
	preload_ctor_memory = malloc(123456);
}
