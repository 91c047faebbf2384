/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates the probe's memory, and reads what the runtime reports about it. */
#include "probe_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

/* docs/memory-model.md#advice-constants, #hsa-constants */
enum { RANGE_COHERENCY = 100, MODE_FINE = 0, MODE_COARSE = 1 };
enum { POOL_FINE = 2, POOL_COARSE = 4, POOL_EXTENDED_FINE = 8 };

/* hsa_amd_pointer_info_t up to global_flags [HSAH] */
struct hsa_info {
	uint32_t size, type;
	void *agent_base, *host_base;
	size_t bytes;
	void *user;
	uint64_t owner;
	uint32_t global_flags;
};

const struct probe_placement probe_placements[] = {
#define PLACEMENT(call, flags, way, advice) { #call, HG_API_##call, flags, PROBE_##way, advice },
#include "placements.def"
};

/*
 * A mapping of its own: advice and registration are about whole pages, and attributes that these
 * set end with the mapping. From thunk 6.2.4 on hipHostUnregister leaves them.
 */
static void *host_pages(void)
{
	void *pages =
	    mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	memset(pages, 0, PROBE_BYTES);
	return pages;
}

static void release_host_pages(void *pages)
{
	if (pages)
		munmap(pages, PROBE_BYTES);
}

static int allocate_device(const struct hip *hip, const struct probe_placement *placement,
			   struct probe_block *block)
{
	void *stream = NULL;
	int error;

	if (placement->way == PROBE_DEVICE_FLAGS)
		return hip->hipExtMallocWithFlags(&block->device, PROBE_BYTES,
						  (unsigned)placement->flags);
	if (placement->way == PROBE_DEVICE)
		return hip->hipMalloc(&block->device, PROBE_BYTES);
	if (!hip->hipMallocAsync)
		return -1;
	/* HIP 5.2.3 crashes with the null stream. */
	error = hip->hipStreamCreate(&stream);
	if (error)
		return error;
	error = hip->hipMallocAsync(&block->device, PROBE_BYTES, stream);
	if (!error)
		error = hip->hipStreamSynchronize(stream);
	hip->hipStreamDestroy(stream);
	return error;
}

/* Allocates on the next GPU, to which the current one gets access if possible. */
static int allocate_peer(const struct hip *hip, int gpu, struct probe_block *block)
{
	int count = 0, peer, error;

	if (hip->hipGetDeviceCount(&count) != 0 || count < 2)
		return -1;
	peer = (gpu + 1) % count;
	error = hip->hipSetDevice(peer);
	if (!error)
		error = hip->hipMalloc(&block->device, PROBE_BYTES);
	if (hip->hipSetDevice(gpu) != 0)
		return 101; /* hipErrorInvalidDevice */
	/* An error here (no access, or access already) shows in what kernels do. */
	if (!error && hip->hipDeviceEnablePeerAccess)
		hip->hipDeviceEnablePeerAccess(peer, 0);
	hip->hipGetLastError();
	return error;
}

static int allocate_host(const struct hip *hip, const struct probe_placement *placement,
			 struct probe_block *block)
{
	int error;

	if (placement->way == PROBE_HOST) {
		error = hip->hipHostMalloc(&block->host, PROBE_BYTES, (unsigned)placement->flags);
	} else {
		block->host = host_pages();
		if (!block->host)
			return 2; /* hipErrorOutOfMemory */
		if (placement->way == PROBE_SYSTEM) {
			block->device = block->host;
			return 0;
		}
		error = hip->hipHostRegister(block->host, PROBE_BYTES, (unsigned)placement->flags);
		if (error) {
			release_host_pages(block->host);
			block->host = NULL;
		}
	}
	return error ? error : hip->hipHostGetDevicePointer(&block->device, block->host, 0);
}

int probe_allocate(const struct hip *hip, const struct probe_placement *placement, int gpu,
		   struct probe_block *block)
{
	int error;

	*block = (struct probe_block){ .placement = placement };
	switch (placement->way) {
	case PROBE_MANAGED:
		error = hip->hipMallocManaged ? hip->hipMallocManaged(&block->device, PROBE_BYTES,
								      (unsigned)placement->flags)
					      : -1;
		block->host = block->device;
		break;
	case PROBE_PEER:
		error = allocate_peer(hip, gpu, block);
		break;
	case PROBE_HOST:
	case PROBE_REGISTERED:
	case PROBE_SYSTEM:
		error = allocate_host(hip, placement, block);
		break;
	default:
		error = allocate_device(hip, placement, block);
	}
	if (error == 0 && placement->advice) {
		error = hip->hipMemAdvise
			    ? hip->hipMemAdvise(block->device, PROBE_BYTES, placement->advice, gpu)
			    : -1;
	}
	return error;
}

void probe_release(const struct hip *hip, struct probe_block *block)
{
	if (!block->placement)
		return;
	switch (block->placement->way) {
	case PROBE_HOST:
		if (block->host)
			hip->hipHostFree(block->host);
		break;
	case PROBE_REGISTERED:
		if (block->host)
			hip->hipHostUnregister(block->host);
		release_host_pages(block->host);
		break;
	case PROBE_SYSTEM:
		release_host_pages(block->host);
		break;
	default:
		if (block->device)
			hip->hipFree(block->device);
	}
	*block = (struct probe_block){ 0 };
}

int probe_granularity(const struct hip *hip, const struct probe_block *block)
{
	int (*get_info)(const void *, struct hsa_info *, void *, void *, void *);
	struct hsa_info info = { .size = sizeof(info) };
	int mode = -1;

	*(void **)&get_info = hip_hsa_function("hsa_amd_pointer_info");
	if (get_info && get_info(block->device, &info, NULL, NULL, NULL) == 0 &&
	    info.type != HG_POINTER_UNKNOWN && info.type != HG_POINTER_RESERVED &&
	    info.global_flags) { /* ROCr 5.2.3 has flags of unknown memory */
		return info.global_flags & (POOL_FINE | POOL_EXTENDED_FINE) ? GRAIN_FINE
		       : info.global_flags & POOL_COARSE                    ? GRAIN_COARSE
									    : GRAIN_UNKNOWN;
	}
	/* Memory from a pool is all of one kind; for other memory the driver keeps it by page. */
	if (block->placement->way != PROBE_MANAGED && block->placement->way != PROBE_SYSTEM)
		return GRAIN_UNKNOWN;
	if (!hip->hipMemRangeGetAttribute ||
	    hip->hipMemRangeGetAttribute(&mode, sizeof(mode), RANGE_COHERENCY, block->device,
					 PROBE_BYTES) != 0)
		return GRAIN_UNKNOWN;
	return mode == MODE_FINE ? GRAIN_FINE : mode == MODE_COARSE ? GRAIN_COARSE : GRAIN_UNKNOWN;
}
