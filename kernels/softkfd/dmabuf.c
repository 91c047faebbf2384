// SPDX-License-Identifier: Apache-2.0
/* Memory objects as files that other drivers and processes import. */
#include "kfd.h"
#include <errno.h>

int kfd_get_dmabuf_info(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_import_dmabuf(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_export_dmabuf(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}
