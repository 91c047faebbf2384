// SPDX-License-Identifier: Apache-2.0
/* Requests of a render node about buffers. */
#include "kfd.h"
#include <errno.h>

int kfd_gem_ioctl(unsigned gpu, int fd, unsigned long request, void *argument)
{
	(void)gpu;
	(void)fd;
	(void)request;
	(void)argument;
	return -ENOTTY;
}
