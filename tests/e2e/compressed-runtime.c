/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What later HIP runtimes do and the distribution's does not: it unpacks compressed bundles. Loaded
 * between the preload library and that runtime. With HG_TEST_ACCEPT in the environment it also
 * takes any image for a module, with any kernel, that does nothing when it is launched.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/containers/unpack.h"

struct wrapper {
	uint32_t magic, version;
	const void *image, *unused;
};

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* The image as it is, or unpacked; that stays. */
static const void *unpacked(const void *image)
{
	struct codeobj_compressed header;
	size_t size, used;
	uint8_t *bytes;

	/* Version 1 does not say where it ends, but is smaller than what it becomes. */
	if (memcmp(image, "CCOB", 4) || codeobj_compressed_header(image, 1u << 30, &header, NULL))
		return image;
	if (unpack_bundle(image,
			  header.total_size ? (size_t)header.total_size
					    : (size_t)header.uncompressed_size,
			  &bytes, &size, &used, NULL))
		return image;
	return bytes;
}

void **__hipRegisterFatBinary(const struct wrapper *wrapper);
void **__hipRegisterFatBinary(const struct wrapper *wrapper)
{
	struct wrapper *mine = malloc(sizeof(*mine));
	void **(*real)(const void *) = next("__hipRegisterFatBinary");

	if (!mine)
		abort();
	*mine = *wrapper;
	mine->image = unpacked(wrapper->image);
	return real(mine);
}

int hipModuleLoadData(void **module, const void *image);
int hipModuleLoadData(void **module, const void *image)
{
	int (*real)(void **, const void *) = next("hipModuleLoadData");

	if (getenv("HG_TEST_ACCEPT")) {
		*module = malloc(1);
		return 0;
	}
	return real(module, unpacked(image));
}

int hipModuleGetFunction(void **function, void *module, const char *name);
int hipModuleGetFunction(void **function, void *module, const char *name)
{
	int (*real)(void **, void *, const char *) = next("hipModuleGetFunction");

	if (getenv("HG_TEST_ACCEPT")) {
		*function = malloc(1);
		return 0;
	}
	return real(function, module, name);
}

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
			  void **extra);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
			  void **extra)
{
	int (*real)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		    void *, void **, void **) = next("hipModuleLaunchKernel");

	if (getenv("HG_TEST_ACCEPT"))
		return 0;
	return real(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}
