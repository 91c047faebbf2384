// SPDX-License-Identifier: Apache-2.0
/* User-mode queues and the threads that serve them. */
#include "kernels/softkfd/queue.h"

#include <errno.h>

#define REFUSE(name)                          \
	int name(void *argument, size_t size) \
	{                                     \
		(void)argument, (void)size;   \
		return -ENOTTY;               \
	}
REFUSE(kfd_create_queue)
REFUSE(kfd_destroy_queue)
REFUSE(kfd_update_queue)
REFUSE(kfd_set_cu_mask)
REFUSE(kfd_alloc_queue_gws)
REFUSE(kfd_set_scratch_backing)
REFUSE(kfd_set_trap_handler)

void kfd_queues_wake(void) {}

void kfd_queues_hold(void) {}

void kfd_queues_release(void) {}

unsigned kfd_queue_count(unsigned gpu)
{
	(void)gpu;
	return 0;
}

void kfd_queues_forked(void) {}
