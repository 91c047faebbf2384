/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables that a recorded program is started with. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/environment.h"
#include "tracer/install.h"
#include "tracer/softgpu_name.h"

int environment_prepend(const char *name, const char *first)
{
	const char *old = getenv(name);
	size_t length = strlen(first);
	char *value;
	int result;

	if (!old || !*old)
		return setenv(name, first, 1);
	if (strncmp(old, first, length) == 0 && (!old[length] || strchr(": ", old[length])))
		return 0;
	if (asprintf(&value, "%s:%s", first, old) < 0)
		return -1;
	result = setenv(name, value, 1);
	free(value);
	return result;
}

const char *environment_lacks(const struct install_paths *install)
{
	if (install->driver)
		return NULL;
	return "this hipgrain was built without the software GPU";
}

/*
 * N of libhsa-runtime64.so.1.N.M, AMD's HSA runtime of programs that name no folder for it: 5 for
 * ROCr 5.2, 13 for 6.1 (ROCm/ROCR-Runtime, CMakeLists.txt). -1: it is not found.
 */
static int hsa_version(void)
{
	static const char first[] = "libhsa-runtime64.so.1.";
	void *here = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	const char *folders = getenv("LD_LIBRARY_PATH"), *file;
	char *list = NULL, *rest, *folder, *path, *found = NULL;
	struct link_map *map;
	int version = -1;

	/* Before the folders of the system, of which this is one. */
	if (!here || dlinfo(here, RTLD_DI_LINKMAP, &map) ||
	    asprintf(&list, "%s:%.*s", folders ? folders : "",
		     (int)(strrchr(map->l_name, '/') - map->l_name), map->l_name) < 0)
		list = NULL;
	rest = list;
	while (!found && (folder = strsep(&rest, ":")))
		if (*folder && asprintf(&path, "%s/libhsa-runtime64.so.1", folder) >= 0) {
			found = realpath(path, NULL);
			free(path);
		}
	file = found ? strrchr(found, '/') + 1 : "";
	if (!strncmp(file, first, strlen(first)))
		version = atoi(file + strlen(first));
	free(found);
	free(list);
	if (here)
		dlclose(here);
	return version;
}

/*
 * ROCr cuts small allocations from blocks of 2 MiB, in which a kernel that leaves its own meets no
 * fault, unless it is told not to. That is harmless before ROCr 5.5 (1.8) only: later ones share no
 * memory outside of blocks whose size is not whole pages (docs/runtimes.md).
 */
static int environment_blocks(void)
{
	int version = hsa_version();

	return version >= 0 && version < 8 ? setenv("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1", 0) : 0;
}

/*
 * The software GPU is a driver that is preloaded beneath AMD's libraries (kernels/softkfd); the
 * cache of compiled code beside it is looked up by name.
 */
static int environment_device(const struct install_paths *install)
{
	char *cache;
	int result;

	if (asprintf(&cache, "%.*s/comgr", (int)(strrchr(install->driver, '/') - install->driver),
		     install->driver) < 0)
		return -1;
	result = environment_preload(install->driver) |
		 environment_prepend("LD_LIBRARY_PATH", cache) | environment_blocks();
	free(cache);
	return result;
}

int environment_softgpu(const struct install_paths *install, const struct softgpu_model *model)
{
	char number[24];
	int result = environment_device(install);

	if (model->xcds) {
		snprintf(number, sizeof(number), "%u", model->xcds);
		result |= setenv("SOFTGPU_XCDS", number, 1);
	}
	if (model->xcds > 1)
		result |= setenv("SOFTGPU_ARCH", HG_SOFTGPU_XCDS_ARCH, 0);
	if (model->check)
		result |= setenv("SOFTGPU_CHECK", model->check, 1);
	if (model->limited) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)model->time_limit);
		result |= setenv("SOFTGPU_TIME_LIMIT", number, 1);
	}
	if (model->seeded) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)model->seed);
		result |= setenv("SOFTGPU_SEED", number, 1);
	}
	return result;
}

int environment_enter(const struct install_paths *install, const char *verb, char **arguments)
{
	static const struct softgpu_model model;
	const char *preload = getenv("LD_PRELOAD");
	size_t count = 0;
	char **command;

	if (dlsym(RTLD_DEFAULT, "softgpu_smi_open"))
		return 0;
	while (arguments[count])
		count++;
	command = calloc(count + 3, sizeof(*command));
	if (!command)
		return -1;
	command[0] = (char *)"hipgrain";
	command[1] = (char *)verb;
	memcpy(command + 2, arguments, count * sizeof(*command));
	if (preload && strstr(preload, strrchr(install->driver, '/')))
		errno = ELIBACC; /* the loader has ignored it */
	else if (environment_softgpu(install, &model) == 0)
		execv("/proc/self/exe", command);
	free(command);
	return -1;
}

/*
 * The GNU C library's loader replaces $LIB, in LD_PRELOAD too (ld.so(8), "Dynamic string tokens").
 * musl's does not, and ignores what it cannot open, whereas it ends a program for a library that it
 * cannot link. From the directory of libraries the path leads to the root, which is its own parent.
 */
#define ONLY_GNU "/usr/$LIB/../../../../../../.."

int environment_preload(const char *library)
{
	void *here = dlopen("/usr/$LIB/libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	char *value;
	int result;

	if (!here) /* libraries lie elsewhere */
		return environment_prepend("LD_PRELOAD", library);
	dlclose(here);
	if (asprintf(&value, "%s%s", ONLY_GNU, library) < 0)
		return -1;
	result = environment_prepend("LD_PRELOAD", value);
	free(value);
	return result;
}

/*
 * Kokkos before 3.7 reads KOKKOS_PROFILE_LIBRARY alone; a later one warns of it, and ends programs
 * where both are set and differ. So it is set where the user has set it.
 */
int environment_kokkos(const struct install_paths *install)
{
	const char *old = getenv("KOKKOS_TOOLS_LIBS"), *older = getenv("KOKKOS_PROFILE_LIBRARY");
	const char *behind = old ? old : older ? older : "";
	size_t length = install->kokkos ? strlen(install->kokkos) : 0;
	char *value;
	int result;

	/* It is a list. Two that differ are Kokkos' to judge. */
	if (!length || strchr(install->kokkos, ';') || (old && older && strcmp(old, older)) ||
	    (!strncmp(behind, install->kokkos, length) &&
	     (!behind[length] || behind[length] == ';')))
		return 0;
	if (asprintf(&value, "%s%s%s", install->kokkos, *behind ? ";" : "", behind) < 0)
		return -1;
	result = setenv("KOKKOS_TOOLS_LIBS", value, 1);
	if (older)
		result |= setenv("KOKKOS_PROFILE_LIBRARY", value, 1);
	free(value);
	return result;
}

int environment_options(int stack_depth, const char *threshold, bool no_memory_queries,
			const char *kernel_arguments)
{
	char number[16];
	int result = 0;

	if (stack_depth >= 0) {
		snprintf(number, sizeof(number), "%d", stack_depth);
		result |= setenv("HIPGRAIN_STACK_DEPTH", number, 1);
	}
	if (threshold) {
		result |=
		    setenv("HIPGRAIN_THRESHOLD", strcmp(threshold, "all") ? threshold : "0", 1);
	}
	if (no_memory_queries)
		result |= setenv("HIPGRAIN_MEMORY_QUERIES", "0", 1);
	if (kernel_arguments)
		result |= setenv("HIPGRAIN_KERNEL_ARGUMENTS", kernel_arguments, 1);
	return result;
}
