/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fixes name, as the newest release of HIP that is known declares it: 10.2, from which on
 * hipMemAdvise is hipMemAdvise_v2 [CLR102]. Not HIP's header: tests/fixes/headers compiles against
 * it where that release is not installed.
 */
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#include <stddef.h>

typedef enum { hipSuccess } hipError_t;
typedef enum { hipMemcpyHostToDevice = 1, hipMemcpyDefault = 4 } hipMemcpyKind;
typedef enum {
	hipMemAdviseSetReadMostly = 1,
	hipMemAdviseSetPreferredLocation = 3,
	hipMemAdviseSetAccessedBy = 5,
	hipMemAdviseSetCoarseGrain = 100,
	hipMemAdviseUnsetCoarseGrain = 101
} hipMemoryAdvise;
typedef enum {
	hipMemLocationTypeInvalid,
	hipMemLocationTypeNone = 0,
	hipMemLocationTypeDevice,
	hipMemLocationTypeHost
} hipMemLocationType;
typedef struct {
	hipMemLocationType type;
	int id;
} hipMemLocation;
typedef enum { hipMemAccessFlagsProtReadWrite = 3 } hipMemAccessFlags;
typedef enum { hipMemPoolAttrReleaseThreshold = 4 } hipMemPoolAttr;
typedef struct ihipStream_t *hipStream_t;

#define hipCpuDeviceId             (-1)
#define hipStreamNonBlocking       1
#define hipEventDisableSystemFence 0x20000000
#define hipDeviceMallocFinegrained 1
#define hipHostMallocMapped        2
#define hipHostMallocCoherent      0x40000000
#define hipHostMallocNonCoherent   0x80000000

/* Functions of which fixes have no whole call: the names. */
#define NAME(function) hipError_t function(void)
NAME(hipDeviceEnablePeerAccess);
NAME(hipEventRecord);
NAME(hipExtMallocWithFlags);
NAME(hipFree);
NAME(hipFreeAsync);
NAME(hipGetDeviceCount);
NAME(hipGetLastError);
NAME(hipHostGetDevicePointer);
NAME(hipHostRegister);
NAME(hipHostUnregister);
NAME(hipIpcCloseMemHandle);
NAME(hipIpcOpenMemHandle);
NAME(hipMalloc);
NAME(hipMallocAsync);
NAME(hipMallocHost);
NAME(hipMemCreate);
NAME(hipMemGetAddressRange);
NAME(hipMemGetInfo);
NAME(hipMemMap);
NAME(hipMemSetAccess);
NAME(hipMemcpy);
NAME(hipMemcpy2DAsync);
NAME(hipMemcpyAsync);
NAME(hipMemset);
NAME(hipSetDevice);
NAME(hipStreamBeginCapture);
NAME(hipStreamDestroy);
NAME(hipStreamEndCapture);
NAME(hipStreamSynchronize);
NAME(hipStreamWaitEvent);
#undef NAME

hipError_t hipHostMalloc(void **memory, size_t bytes, unsigned flags);
hipError_t hipMallocManaged(void **memory, size_t bytes, unsigned flags);
hipError_t hipMemPrefetchAsync(const void *memory, size_t bytes, int device, hipStream_t stream);
hipError_t hipMemAdvise_v2(const void *memory, size_t bytes, hipMemoryAdvise advice,
			   hipMemLocation location);
#define hipMemAdvise hipMemAdvise_v2

#endif
