// SPDX-License-Identifier: Apache-2.0
/* Attributes of host memory, as the driver's requests name them. */
#include "kfd.h"
#include <errno.h>

int kfd_svm_request(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_set_xnack_mode(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}
