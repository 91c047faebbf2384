// SPDX-License-Identifier: Apache-2.0
/* Memory of one process in another, by a key. */
#include "kfd.h"
#include <errno.h>

int kfd_ipc_import(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_ipc_export(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}
