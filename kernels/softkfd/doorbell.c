// SPDX-License-Identifier: Apache-2.0
/* The pages of doorbells. */
#include "kernels/softkfd/queue.h"

#include <errno.h>
#include <sys/mman.h>

void *kfd_doorbell_mmap(unsigned gpu, void *address, size_t size, int protection, int flags)
{
	(void)gpu, (void)address, (void)size, (void)protection, (void)flags;
	errno = ENODEV;
	return MAP_FAILED;
}
