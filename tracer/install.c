/* SPDX-License-Identifier: Apache-2.0 */
/* Finds hipgrain's own files relative to its executable. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tracer/install.h"

#define PRELOAD_NAME  "libhipgrain-preload.so"
#define PROVIDER_NAME "libhipgrain-provider.so"
#define SHIM_NAME     "libhipgrain-sessiond.so"
#define PROBE_NAME    "probe.hipfb"
#define HSA_NAME      "libhsa-runtime64.so.1"

/* Layouts to try, relative to the directory of the executable. */
static const struct {
	const char *preload, *softgpu, *probe;
} layouts[] = {
	/* build tree */
	{ ".", "kernels/softgpu", "kernels/probe" },
	/* installed */
	{ HIPGRAIN_LIBDIR_FROM_BIN, HIPGRAIN_LIBDIR_FROM_BIN "/softgpu", HIPGRAIN_LIBDIR_FROM_BIN },
};

/* BASE/FOLDER/FILE without links and dots if it exists, else NULL; malloc'ed. */
static char *find(const char *base, const char *folder, const char *file)
{
	char *path, *resolved;

	if (asprintf(&path, "%s/%s/%s", base, folder, file) < 0)
		return NULL;
	resolved = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
	free(path);
	return resolved;
}

int install_find(struct install_paths *paths, char *why, size_t why_size)
{
	char base[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", base, sizeof(base) - 1);
	char *slash;

	*paths = (struct install_paths){ 0 };
	if (length < 0) {
		snprintf(why, why_size, "/proc/self/exe: %s", strerror(errno));
		return -errno;
	}
	base[length] = '\0';
	slash = strrchr(base, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) && !paths->preload; i++) {
		char *hsa;

		paths->preload = find(base, layouts[i].preload, PRELOAD_NAME);
		if (paths->preload) {
			paths->provider = find(base, layouts[i].preload, PROVIDER_NAME);
			paths->shim = find(base, layouts[i].preload, SHIM_NAME);
			paths->probe = find(base, layouts[i].probe, PROBE_NAME);
		}
		hsa = paths->preload ? find(base, layouts[i].softgpu, HSA_NAME) : NULL;
		if (hsa) {
			free(hsa);
			if (asprintf(&paths->softgpu, "%s/%s", base, layouts[i].softgpu) < 0)
				paths->softgpu = NULL;
		}
	}
	if (!paths->preload) {
		snprintf(why, why_size, "%s is neither in %s nor in %s/%s", PRELOAD_NAME, base,
			 base, HIPGRAIN_LIBDIR_FROM_BIN);
		return -ENOENT;
	}
	if (!paths->provider || !paths->shim) {
		snprintf(why, why_size, "%s is not beside %s",
			 paths->provider ? SHIM_NAME : PROVIDER_NAME, paths->preload);
		install_paths_free(paths);
		return -ENOENT;
	}
	/* ld.so(8): LD_PRELOAD is a list separated by spaces or colons, without quoting. */
	if (strpbrk(paths->preload, " :")) {
		snprintf(why, why_size, "'%s' cannot be preloaded: its path has a space or a colon",
			 paths->preload);
		install_paths_free(paths);
		return -EINVAL;
	}
	return 0;
}

void install_paths_free(struct install_paths *paths)
{
	free(paths->preload);
	free(paths->provider);
	free(paths->shim);
	free(paths->softgpu);
	free(paths->probe);
	*paths = (struct install_paths){ 0 };
}
