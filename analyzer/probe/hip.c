/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the HIP runtime, and identifies its GPUs. */
#include "hip_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/hip_library.h"

/* hipDeviceProp_t begins with the name; gcnArchName by layout
 * (docs/memory-model.md#types-and-attributes). */
enum { PROPERTIES_SIZE = 8192, NAME_SIZE = 256, ARCH_SIZE = 256 };
enum { ARCH_R0600 = 1160, ARCH_R0000 = 396 };

int hip_load(struct hip *hip, char *error, size_t size)
{
	const char *missing = NULL;
	void *library;
	Dl_info info;

	memset(hip, 0, sizeof(*hip));
	library = hip_library_open(NULL, error, size);
	if (!library)
		return -1;
#define FIND(result, name, parameters) *(void **)&hip->name = dlsym(library, #name);
#define FIND_REQUIRED(result, name, parameters) \
	FIND(result, name, parameters)          \
	if (!hip->name)                         \
		missing = #name;
	HIP_FUNCTIONS(FIND_REQUIRED, FIND)
#undef FIND_REQUIRED
#undef FIND
	if (missing) {
		snprintf(error, size, "libamdhip64 has no function %s", missing);
		return -1;
	}
	if (dladdr(*(void **)&hip->hipRuntimeGetVersion, &info) && info.dli_fname)
		snprintf(hip->path, sizeof(hip->path), "%s", info.dli_fname);
	if (hip->hipRuntimeGetVersion(&hip->version) != 0)
		hip->version = 0;
	return 0;
}

void hip_identify(const struct hip *hip, int gpu, char *name, size_t name_size, char *arch,
		  size_t arch_size)
{
	static char properties[PROPERTIES_SIZE] __attribute__((aligned(16)));
	int (*get)(void *, int) = hip->hipGetDevicePropertiesR0600;
	size_t offset = ARCH_R0600;

	name[0] = arch[0] = '\0';
	if (!get) {
		get = hip->hipGetDeviceProperties;
		offset = ARCH_R0000;
	}
	memset(properties, 0, sizeof(properties));
	if (!get || get(properties, gpu) != 0)
		return;
	snprintf(name, name_size, "%.*s", NAME_SIZE - 1, properties);
	snprintf(arch, arch_size, "%.*s", ARCH_SIZE - 1, properties + offset);
}

int hip_attribute(const struct hip *hip, int attribute, int gpu)
{
	int value;

	return hip->hipDeviceGetAttribute(&value, attribute, gpu) == 0 ? value : -1;
}

void *hip_hsa_function(const char *name)
{
	void *library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);

	return library ? dlsym(library, name) : NULL;
}
