/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions of an HSA runtime that is already loaded. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/libc.h"
#include "preload/gpu/gpu.h"

static bool is_runtime_file(const char *path)
{
	const char *base = path ? strrchr(path, '/') : NULL;

	return base && !strncmp(base + 1, "libhsa-runtime64", 16);
}

bool hg_hsa_is_runtime(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && is_runtime_file(info.dli_fname);
}

static int find_hsa_path(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!is_runtime_file(info->dlpi_name))
		return 0;
	snprintf(data, 4096, "%s", info->dlpi_name);
	return 1;
}

void *hg_hsa_query(const char *name)
{
	void *found = hg_libc.dlsym(RTLD_NEXT, name), *handle;
	char path[4096] = "";

	if (found || !hg_libc.dl_iterate_phdr(find_hsa_path, path))
		return found;
	handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		found = hg_libc.dlsym(handle, name);
		hg_dlclose(handle);
	}
	return found;
}
