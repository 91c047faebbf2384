/* SPDX-License-Identifier: Apache-2.0 */
/* Finds interposed functions of HIP and HSA by name in the rows that the linker collects. */
#include "preload/core/wrappers.h"

#include <string.h>

const struct hg_hip_function *hg_hip_find_row(const char *name)
{
	for (const struct hg_hip_function *const *row = __start_hg_hip_functions;
	     row < __stop_hg_hip_functions; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

void *hg_hip_wrapper(const char *name)
{
	const struct hg_hip_function *row = hg_hip_find_row(name);

	return row ? row->wrapper : NULL;
}
