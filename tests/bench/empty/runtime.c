/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A HIP runtime that does nothing, with one device: what is measured over it is the recording. Only
 * what hip.c calls, and what the preload library asks at the first call.
 */
#include <stddef.h>
#include <string.h>

/* hipDeviceProp_t of HIP 5: the name begins it; gcnArchName:
 * docs/memory-model.md#types-and-attributes. */
#define ARCH_OFFSET 396

int hipGetDeviceProperties(void *properties, int device);
int hipGetDeviceProperties(void *properties, int device)
{
	(void)device;
	strcpy(properties, "nothing");
	strcpy((char *)properties + ARCH_OFFSET, "gfx90a:sramecc+:xnack-");
	return 0;
}

#define ANSWERS(name, params, action) \
	int name params;              \
	int name params               \
	{                             \
		action;               \
		return 0;             \
	}

ANSWERS(hipGetDeviceCount, (int *count), *count = 1)
ANSWERS(hipGetDevice, (int *device), *device = 0)
ANSWERS(hipRuntimeGetVersion, (int *version), *version = 50221153)
ANSWERS(hipDriverGetVersion, (int *version), *version = 50221153)
ANSWERS(hipPeekAtLastError, (void), )
ANSWERS(hipGetLastError, (void), )
ANSWERS(hipDeviceGetAttribute, (int *value, int attribute, int device), (void)attribute;
	(void)device; *value = 0)
ANSWERS(hipDeviceTotalMem, (size_t * size, int device), (void)device; *size = 1 << 30)
ANSWERS(hipMemcpyAsync, (void *dst, const void *src, size_t size, int kind, void *stream),
	(void)dst;
	(void)src; (void)size; (void)kind; (void)stream)
ANSWERS(hipIpcGetMemHandle, (char *handle, void *ptr), memset(handle, 1, 64);
	memcpy(handle, &ptr, sizeof(ptr)))
ANSWERS(hipModuleLoad, (void **module, const char *path), (void)path; *module = module)
ANSWERS(hipModuleGetFunction, (void **function, void *module, const char *name), (void)name;
	*function = module)
ANSWERS(hipModuleLaunchKernel,
	(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	 unsigned bz, unsigned shared, void *stream, void **args, void **extra),
	(void)function;
	(void)gx; (void)gy; (void)gz; (void)bx; (void)by; (void)bz; (void)shared; (void)stream;
	(void)args; (void)extra)
