/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the HIP runtime that the probe calls, found in whatever release is installed.
 * Prototypes as in HIP's headers, handles as void *; numbers: docs/memory-model.md.
 */
#ifndef HIPGRAIN_PROBE_HIP_CALLS_H
#define HIPGRAIN_PROBE_HIP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HIP_FUNCTION(result, name, parameters): must be there. OPTIONAL: NULL in releases without it. */
#define HIP_FUNCTIONS(HIP_FUNCTION, OPTIONAL)                                               \
	HIP_FUNCTION(int, hipRuntimeGetVersion, (int *))                                    \
	HIP_FUNCTION(int, hipGetDeviceCount, (int *))                                       \
	HIP_FUNCTION(int, hipSetDevice, (int))                                              \
	HIP_FUNCTION(int, hipDeviceGetAttribute, (int *, int, int))                         \
	HIP_FUNCTION(int, hipDeviceSynchronize, (void))                                     \
	HIP_FUNCTION(int, hipGetLastError, (void))                                          \
	HIP_FUNCTION(int, hipModuleLoadData, (void **, const void *))                       \
	HIP_FUNCTION(int, hipModuleGetFunction, (void **, void *, const char *))            \
	HIP_FUNCTION(int, hipModuleLaunchKernel,                                            \
		     (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
		      unsigned, void *, void **, void **))                                  \
	HIP_FUNCTION(int, hipMalloc, (void **, size_t))                                     \
	HIP_FUNCTION(int, hipFree, (void *))                                                \
	HIP_FUNCTION(int, hipExtMallocWithFlags, (void **, size_t, unsigned))               \
	HIP_FUNCTION(int, hipHostMalloc, (void **, size_t, unsigned))                       \
	HIP_FUNCTION(int, hipHostFree, (void *))                                            \
	HIP_FUNCTION(int, hipHostGetDevicePointer, (void **, void *, unsigned))             \
	HIP_FUNCTION(int, hipHostRegister, (void *, size_t, unsigned))                      \
	HIP_FUNCTION(int, hipHostUnregister, (void *))                                      \
	HIP_FUNCTION(int, hipMemcpy, (void *, const void *, size_t, int))                   \
	HIP_FUNCTION(int, hipMemset, (void *, int, size_t))                                 \
	HIP_FUNCTION(int, hipStreamCreate, (void **))                                       \
	HIP_FUNCTION(int, hipStreamDestroy, (void *))                                       \
	HIP_FUNCTION(int, hipStreamSynchronize, (void *))                                   \
	HIP_FUNCTION(int, hipEventCreate, (void **))                                        \
	HIP_FUNCTION(int, hipEventDestroy, (void *))                                        \
	HIP_FUNCTION(int, hipEventRecord, (void *, void *))                                 \
	HIP_FUNCTION(int, hipEventSynchronize, (void *))                                    \
	OPTIONAL(int, hipMallocManaged, (void **, size_t, unsigned))                        \
	OPTIONAL(int, hipMallocAsync, (void **, size_t, void *))                            \
	OPTIONAL(int, hipMemAdvise, (const void *, size_t, int, int))                       \
	OPTIONAL(int, hipMemPrefetchAsync, (const void *, size_t, int, void *))             \
	OPTIONAL(int, hipMemRangeGetAttribute, (void *, size_t, int, const void *, size_t)) \
	OPTIONAL(int, hipDeviceEnablePeerAccess, (int, unsigned))                           \
	OPTIONAL(int, hipDeviceGetPCIBusId, (char *, int, int))                             \
	OPTIONAL(int, hipGetDeviceProperties, (void *, int))                                \
	OPTIONAL(int, hipGetDevicePropertiesR0600, (void *, int))

#define HIP_MEMBER(result, name, parameters) result(*name) parameters;
struct hip {
	HIP_FUNCTIONS(HIP_MEMBER, HIP_MEMBER)
	char path[4096]; /* of the library */
	int version;     /* hipRuntimeGetVersion() */
};
#undef HIP_MEMBER

/*
 * Load the runtime into this process. 0, or -1 with the reason in error[size].
 */
int hip_load(struct hip *hip, char *error, size_t size);

/* Stores name and target id of a GPU; empty if the runtime does not answer. */
void hip_identify(const struct hip *hip, int gpu, char *name, size_t name_size, char *arch,
		  size_t arch_size);

/* Returns the value of an attribute, or -1. */
int hip_attribute(const struct hip *hip, int attribute, int gpu);

/* Returns a function of the HSA runtime below HIP, or NULL if it is not there. */
void *hip_hsa_function(const char *name);

#endif