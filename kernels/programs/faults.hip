// SPDX-License-Identifier: Apache-2.0
// Each memory access fault of a GPU is beside the program that is right; others use memory that is full.
//
// The index goes past the end of the memory.
// (ROCr from 5.5 on has small memory in blocks of 2 MiB, which stay mapped, unless it is told not to.)
// hipgrain-run: walks
// hipgrain-env: HSA_DISABLE_FRAGMENT_ALLOCATOR=1
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG614 kernel=fill argument=0 api=hipMalloc at=@one from=@index confidence=proven
//
// hipgrain-run: stays
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none
//
// The index goes far from all memory, in the only kernel that was not waited for.
// hipgrain-run: far
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG614 kernel=fill argument=0 api=hipMalloc at=@one from=@index confidence=proven
//
// hipgrain-run: null
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG614 kernel=fill argument=0 confidence=proven
//
// The memory belongs to another GPU, to which nothing gave access.
// hipgrain-run: peer
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG614 kernel=fill argument=0 api=hipMalloc at=@other confidence=proven
//
// hipgrain-run: peer_enabled
// hipgrain-env: SOFTGPU_DEVICES=2
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none
//
// hipgrain-run: read_only
// hipgrain-env: HSA_XNACK=1
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG614 kernel=fill argument=0 api=mmap at=@mapping confidence=proven
//
// hipgrain-run: writable
// hipgrain-env: HSA_XNACK=1
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none
//
// The kernel uses the host's address of registered memory, which has another one on the GPU. (With thunks from 6.2.4 on it has the
// same if the driver has SVM.)
// hipgrain-run: registered
// hipgrain-env: SOFTGPU_SVM=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG615 kernel=fill argument=0 api=hipHostRegister at=@registered
// confidence=proven
//
// hipgrain-run: registered_for_gpu
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none
//
// The kernel uses registered memory when that has ended. (HIP 5.7 of Debian has the thunk of 6.2.4.)
// hipgrain-run: unregistered
// hipgrain-runtime: from 5.7: the GPU's access ends with the registration
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: HG622 kernel=fill argument=0 api=mmap at=@kept
//
// The program allocates more memory than there is, and goes on without it.
// hipgrain-run: full
// hipgrain-env: SOFTGPU_VRAM_MIB=256
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: HG616 call=hipMalloc from=@full confidence=proven
//
// hipgrain-run: not_full
// hipgrain-env: SOFTGPU_VRAM_MIB=256
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none
//
// The call returns success and null, and so does all that follows.
// hipgrain-run: full_pool
// hipgrain-runtime: before 5.3: other releases were not seen to return null with success
// hipgrain-env: SOFTGPU_VRAM_MIB=256
// hipgrain-exit: 134
// hipgrain-expect: HG617 call=hipMallocAsync from=@pool confidence=likely
//
// hipgrain-run: full_pool_checked
// hipgrain-runtime: before 5.3: other releases were not seen to return null with success
// hipgrain-env: SOFTGPU_VRAM_MIB=256
// hipgrain-stdout: faults: 7 expected 7
// hipgrain-expect: none

#include "sample.h"

#include <sys/mman.h>

#define ELEMENTS   1024
#define BYTES      (ELEMENTS * sizeof(int))
#define GROUP_SIZE 256
#define VALUE      7
#define MIB        ((size_t)1 << 20)

__global__ void fill(int *to, long skip)
{
	to[skip + blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}

__global__ void clear(int *to)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

static void show(const int *memory)
{
	int seen = 0;

	CHECK(hipMemcpy(&seen, memory, sizeof(seen), hipMemcpyDefault));
	printf("faults: %d expected %d\n", seen, VALUE);
}

static int *one()
{
	int *p;

	CHECK(hipMalloc(&p, BYTES)); // @one
	return p;
}

static void run_index(long skip)
{
	int *to = one(), *other = one();

	clear<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(other);
	CHECK(hipDeviceSynchronize());
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(to, skip); // @index
	CHECK(hipDeviceSynchronize());
	show(to);
}

static void run_null()
{
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(nullptr, 0);
	CHECK(hipDeviceSynchronize());
}

static void run_peer(bool enable)
{
	int *to;

	CHECK(hipSetDevice(1));
	CHECK(hipMalloc(&to, BYTES)); // @other
	CHECK(hipSetDevice(0));
	if (enable)
		CHECK(hipDeviceEnablePeerAccess(1, 0));
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(to, 0);
	CHECK(hipDeviceSynchronize());
	show(to);
}

static void run_mapping(int protection)
{
	void *to = mmap(nullptr, MIB, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // @mapping

	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>((int *)to, 0);
	CHECK(hipDeviceSynchronize());
	printf("faults: %d expected %d\n", *(int *)to, VALUE);
}

static void run_registered(bool for_gpu)
{
	int *host = (int *)aligned_alloc(4096, MIB), *to = host;

	memset(host, 0, MIB);
	CHECK(hipHostRegister(host, MIB, hipHostRegisterDefault)); // @registered
	if (for_gpu)
		CHECK(hipHostGetDevicePointer((void **)&to, host, 0));
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(to, 0);
	CHECK(hipDeviceSynchronize());
	printf("faults: %d expected %d\n", host[0], VALUE);
	CHECK(hipHostUnregister(host));
	free(host);
}

static void run_unregistered()
{
	int *host = (int *)mmap(nullptr, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // @kept

	CHECK(hipHostRegister(host, MIB, hipHostRegisterDefault));
	CHECK(hipHostUnregister(host));
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(host, 0);
	CHECK(hipDeviceSynchronize());
	printf("faults: %d expected %d\n", host[0], VALUE);
}

/* Uses the first block alone if there is no room for the second. */
static void run_full(size_t bytes)
{
	int *first, *last;

	CHECK(hipMalloc(&first, 128 * MIB));         // @holder
	if (hipMalloc(&last, bytes) != hipSuccess) { // @full
		(void)hipGetLastError();
		last = first;
	}
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(last, 0);
	show(last);
	CHECK(hipFree(first));
}

static void run_full_pool(bool checked)
{
	hipStream_t stream;
	int *kept[12] = {};

	CHECK(hipStreamCreate(&stream));
	for (int *&to : kept) {
		CHECK(hipMallocAsync((void **)&to, 32 * MIB, stream)); // @pool
		if (checked && !to)
			break;
		fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(to, 0);
	}
	CHECK(hipStreamSynchronize(stream));
	show(kept[0]);
}

static const variant variants[] = {
	{ "walks", [] { run_index(ELEMENTS); } },
	{ "stays", [] { run_index(0); } },
	{ "far", [] { run_index(1l << 36); } },
	{ "null", run_null },
	{ "peer", [] { run_peer(false); } },
	{ "peer_enabled", [] { run_peer(true); } },
	{ "read_only", [] { run_mapping(PROT_READ); } },
	{ "writable", [] { run_mapping(PROT_READ | PROT_WRITE); } },
	{ "registered", [] { run_registered(false); } },
	{ "registered_for_gpu", [] { run_registered(true); } },
	{ "unregistered", run_unregistered },
	{ "full", [] { run_full(512 * MIB); } },
	{ "not_full", [] { run_full(32 * MIB); } },
	{ "full_pool", [] { run_full_pool(false); } },
	{ "full_pool_checked", [] { run_full_pool(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
