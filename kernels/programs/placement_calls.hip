// SPDX-License-Identifier: Apache-2.0
// hipMemPrefetchAsync in both directions and hipMemAdvise on memory from each allocator. Only memory that
// can migrate reacts; elsewhere the calls cost time and change nothing, whatever they return.
//
// Memory that cannot migrate.
// hipgrain-run: hip_malloc
// hipgrain-expect: HG304 api=hipMalloc at=@hip_malloc
// hipgrain-expect: HG214 api=hipMalloc at=@hip_malloc
//
// hipgrain-run: ext_default
// hipgrain-expect: HG304 api=hipExtMallocWithFlags at=@ext_default
// hipgrain-expect: HG214 api=hipExtMallocWithFlags at=@ext_default
//
// hipgrain-run: ext_fine
// hipgrain-expect: HG304 api=hipExtMallocWithFlags at=@ext_fine
// hipgrain-expect: HG214 api=hipExtMallocWithFlags at=@ext_fine
//
// hipgrain-run: host_default
// hipgrain-expect: HG304 api=hipHostMalloc at=@host_default
// hipgrain-expect: HG214 api=hipHostMalloc at=@host_default
//
// hipgrain-run: host_noncoherent
// hipgrain-expect: HG304 api=hipHostMalloc at=@host_noncoherent
// hipgrain-expect: HG214 api=hipHostMalloc at=@host_noncoherent
//
// hipgrain-run: malloc_host
// hipgrain-expect: HG304 api=hipMallocHost at=@malloc_host
// hipgrain-expect: HG214 api=hipMallocHost at=@malloc_host
//
// hipgrain-run: mem_alloc_host
// hipgrain-expect: HG304 api=hipMemAllocHost at=@mem_alloc_host
// hipgrain-expect: HG214 api=hipMemAllocHost at=@mem_alloc_host
//
// hipgrain-run: host_alloc
// hipgrain-runtime: before 6.4: from there on hipHostAlloc is hipHostMalloc
// hipgrain-expect: HG201 api=hipHostAlloc call=hipHostAlloc at=@host_alloc confidence=proven
// hipgrain-expect: HG304 api=hipHostAlloc at=@host_alloc
// hipgrain-expect: HG214 api=hipHostAlloc at=@host_alloc
//
// hipgrain-run: registered
// hipgrain-runtime: before 5.7: later thunks (Debian's HIP 5.7 has that of 6.2.4) register in place, where both calls take effect
// hipgrain-expect: HG304 api=hipHostRegister at=@registered
// hipgrain-expect: HG214 api=hipHostRegister at=@registered
//
// Managed memory, with and without XNACK.
// hipgrain-run: managed
// hipgrain-expect: none
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1
// hipgrain-expect: none
//
// The operating system's memory moves with XNACK only; advice is accepted either way.
// hipgrain-run: pages
// hipgrain-env: HSA_XNACK=1
// hipgrain-runtime: before 5.7 or from 6.2: 5.7 to 6.1 refuse hipMemPrefetchAsync of memory that is not hipMallocManaged's
// hipgrain-expect: none
//
// hipgrain-run: pages
// hipgrain-env: HSA_XNACK=1
// hipgrain-runtime: from 5.7 before 6.2: others prefetch any memory while XNACK is on
// hipgrain-expect: HG304 api=aligned_alloc at=@pages
//
// hipgrain-run: pages
// hipgrain-env: HSA_XNACK=0
// hipgrain-runtime: before 6.4: both prefetches have one outcome
// hipgrain-expect: HG304 api=aligned_alloc at=@pages
//
// hipgrain-run: pages
// hipgrain-env: HSA_XNACK=0
// hipgrain-runtime: from 6.4: the prefetch to the GPU fails, that to the CPU moves nothing: one finding each
// hipgrain-expect: HG304 api=aligned_alloc at=@pages
// hipgrain-expect: HG304 api=aligned_alloc at=@pages
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=1
// hipgrain-runtime: before 5.7 or from 6.2: 5.7 to 6.1 refuse hipMemPrefetchAsync of memory that is not hipMallocManaged's
// hipgrain-expect: none
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=1
// hipgrain-runtime: from 5.7 before 6.2: others prefetch any memory while XNACK is on
// hipgrain-expect: HG304 api=mmap at=@map_pages
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=0
// hipgrain-runtime: before 6.4: both prefetches have one outcome
// hipgrain-expect: HG304 api=mmap at=@map_pages
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=0
// hipgrain-runtime: from 6.4: the prefetch to the GPU fails, that to the CPU moves nothing: one finding each
// hipgrain-expect: HG304 api=mmap at=@map_pages
// hipgrain-expect: HG304 api=mmap at=@map_pages

#include "sample_buffers.h"

#define BYTES (16 * 4096)

static const struct {
	const char *name;
	hipMemoryAdvise advice;
} advices[] = {
	{ "SetReadMostly", hipMemAdviseSetReadMostly },
	{ "SetPreferredLocation", hipMemAdviseSetPreferredLocation },
	{ "SetAccessedBy", hipMemAdviseSetAccessedBy },
	{ "SetCoarseGrain", hipMemAdviseSetCoarseGrain },
};

static const struct {
	const char *name;
	int device;
} targets[] = {
	{ "prefetch to the GPU", 0 },
	{ "prefetch to the CPU", hipCpuDeviceId },
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s ALLOCATOR\n", argv[0]);
		return 2;
	}
	buffer b = make_buffer(argv[1], BYTES);
	void *p = b.host ? b.host : b.device;

	/* Each function is called from one place, however many times that runs. */
#pragma clang loop unroll(disable)
	for (const auto &t : targets) {
		SHOW(t.name, hipMemPrefetchAsync(p, BYTES, t.device, 0));
	}
	CHECK(hipDeviceSynchronize());
#pragma clang loop unroll(disable)
	for (const auto &a : advices) {
		SHOW(a.name, hipMemAdvise(p, BYTES, a.advice, 0));
	}
	free_buffer(b);
	return 0;
}
