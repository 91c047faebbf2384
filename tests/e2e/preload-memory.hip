// SPDX-License-Identifier: Apache-2.0
// Memory that kernels are given, for the test preload-memory. Prints what the runtime must have been
// queried, as "memory PATTERN" once for each event, and "last N" for what hipGetLastError() says.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <hip/hip_runtime.h>

#define SIZE 8192

struct functor {
	int pad;
	float *out;
};

__global__ void take(float *a, const float *b, functor f)
{
	a[0] = b[0];
	if (f.out)
		f.out[0] = 1.0f;
}

static char *registered;
static bool same_pages;

static void must(hipError_t error)
{
	if (error) {
		std::printf("failed: %s\n", hipGetErrorName(error));
		std::exit(1);
	}
}

static void last()
{
	std::printf("last %d\n", (int)hipGetLastError());
}

#if HIP_VERSION >= 50700000 /* seen with 5.7.1; 5.2.3 knows neither */
#define MANAGED	   hipMemoryTypeManaged
#define FINE_FLAGS hipDeviceMallocFinegrained
#else
#define MANAGED	   hipMemoryTypeHost
#define FINE_FLAGS 0
#endif

/* hsa_amd_pointer_type_t: HIP of 7.2.4 takes managed memory from addresses that it reserves in ROCr. */
#if HIP_VERSION >= 70200000
#define MANAGED_HSA 5
#else
#define MANAGED_HSA 0
#endif

/*
 * hipMemoryType, and hipMemRangeCoherencyMode of HIP 5. Memory from a pool is what the pool is, and is
 * not queried for its range.
 */
static void queried(const void *ptr, int size, int type, int managed, int coherency, unsigned flags = 0)
{
	const int unknown = INT32_MIN, invalid = -2, place = managed ? invalid : unknown;
	/* ROCr from 6 on gives a GPU the pages themselves: the driver knows of them, ROCr does not. */
	const bool pages = managed || (ptr == registered && same_pages);
	/* hsa_amd_pointer_type_t: locked memory is what was registered. */
	int hsa_type = managed ? MANAGED_HSA : pages ? 0 : ptr == registered ? 2 : 1;

	std::printf("memory ptr = 0x%llX, size = %d, type = %d, device = 0, managed = %d, "
		    "flags = 0x%X, coherency = %d, preferred = %d, last_prefetch = %d, "
		    "hsa_type = %d, pool_flags = 0x%X\n",
		    (unsigned long long)(uintptr_t)ptr, size, type, managed, flags,
		    pages ? coherency : unknown, place, place, hsa_type,
		    pages	 ? 0u
		    : coherency ? 4u
				 : 2u);
}

static void launch(void *a, const void *b, void *out)
{
	take<<<1, 1>>>((float *)a, (const float *)b, functor{ 0, (float *)out });
	last();
	must(hipDeviceSynchronize());
}

static void run_graph(void *a, const void *b)
{
	functor none = { 0, nullptr };
	void *args[] = { &a, &b, &none };
	hipKernelNodeParams params = {};
	hipGraphNode_t node;
	hipGraph_t graph;
	hipGraphExec_t instance;
	hipStream_t stream;

	params.func = (void *)take;
	params.gridDim = params.blockDim = dim3(1);
	params.kernelParams = args;
	must(hipStreamCreate(&stream));
	must(hipGraphCreate(&graph, 0));
	must(hipGraphAddKernelNode(&node, graph, nullptr, 0, &params));
	must(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	must(hipGraphLaunch(instance, stream));
	must(hipStreamSynchronize(stream));
	last();
}

int main()
{
	char *device, *fine, *host, *coarse, *managed, *unused, *alias, *again = nullptr;
	void *signal;

	must(hipMalloc(&unused, SIZE));
	must(hipMalloc(&device, SIZE));
	must(hipExtMallocWithFlags((void **)&fine, SIZE, hipDeviceMallocFinegrained));
	must(hipHostMalloc(&host, SIZE, 0));
	must(hipHostMalloc(&coarse, SIZE, hipHostMallocPortable));
	must(hipMallocManaged(&managed, SIZE));

	// An address in the middle, one inside a struct, and one argument that is no address.
	launch(device + 64, fine, coarse + 128);
	queried(device, SIZE, hipMemoryTypeDevice, 0, 1);
	queried(fine, SIZE, hipMemoryTypeDevice, 0, 0, FINE_FLAGS);
	queried(coarse, SIZE, hipMemoryTypeHost, 0, 1, hipHostMallocPortable);
	launch(device + 64, fine, coarse + 128); // nothing new
	launch(device, coarse, (void *)nullptr);
	launch(device, host, nullptr);
	queried(host, SIZE, hipMemoryTypeHost, 0, 0);

	// Advice changes the answer, part of it makes it indeterminate.
	launch(device, managed, nullptr);
	queried(managed, SIZE, MANAGED, 1, 0);
	must(hipMemAdvise(managed, 1, hipMemAdviseSetCoarseGrain, 0));
	launch(device, managed, nullptr);
	queried(managed, SIZE, MANAGED, 1, 2);
	must(hipMemAdvise(managed, SIZE, hipMemAdviseSetCoarseGrain, 0));
	launch(device, managed, nullptr);
	queried(managed, SIZE, MANAGED, 1, 1);

	// Registered memory goes by its host address, whatever address the kernel got.
	registered = (char *)aligned_alloc(4096, SIZE);
	must(hipHostRegister(registered, SIZE, 0));
	must(hipHostGetDevicePointer((void **)&alias, registered, 0));
	same_pages = alias == registered;
	launch(device, alias + 32, nullptr);
	queried(registered, SIZE, hipMemoryTypeHost, 0, 0);
	must(hipHostUnregister(registered));

	// Memory in the place of other memory is queried again. The kernel may give the place to a thread first.
	for (int tries = 0; again != fine && tries < 16; tries++) {
		if (again)
			fine = again;
		must(hipFree(fine));
		must(hipMalloc(&again, SIZE));
		// As launch(), whose lines would be as many as the tries.
		take<<<1, 1>>>((float *)device, (const float *)again, functor{ 0, nullptr });
		must(hipGetLastError());
		must(hipDeviceSynchronize());
		queried(again, SIZE, hipMemoryTypeDevice, 0, 1);
	}
	std::printf("again %d\n", again == fine);

	// Kernels of graphs: when the graph is made ready.
	must(hipMalloc(&again, SIZE));
	run_graph(again, device);
	queried(again, SIZE, hipMemoryTypeDevice, 0, 1);
	launch(again, device, nullptr);

	// The runtime cannot say anything about this one, and that must not become the program's error.
	must(hipExtMallocWithFlags(&signal, 8, hipMallocSignalMemory));
	launch(device, signal, nullptr);

	// An error of the program's own is there before the launch, and stays what it was.
	must(hipMalloc(&again, SIZE));
	(void)hipMemcpy(nullptr, host, 16, hipMemcpyDefault);
	std::printf("peek %d\n", (int)hipPeekAtLastError());
	launch(again, host, nullptr);
	launch(again, host, nullptr);
	queried(again, SIZE, hipMemoryTypeDevice, 0, 1);
	return 0;
}
