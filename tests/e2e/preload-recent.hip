// SPDX-License-Identifier: Apache-2.0
// Functions that HIP added after 5.2, as far as this release has them, on a runtime that carries them out. Prints
// "EVENT FIELDS" lines, each of which must be in the trace as often as it is printed, and what the GPU computed.
// usage: preload-recent MODULE
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <hip/hip_runtime.h>

#define CHECK(call)                                                                  \
	do {                                                                         \
		hipError_t rc = (call);                                              \
		if (rc != hipSuccess) {                                              \
			std::printf("failed %s: %d\n", #call, (int)rc);              \
			std::exit(1);                                                \
		}                                                                    \
	} while (0)

__global__ void add(float *out, float value)
{
	out[threadIdx.x] += value;
}

// The scratch memory of a graph lies between two steps.
__global__ void store(float *to, float value)
{
	to[threadIdx.x] = value;
}

__global__ void sum(float *to, const float *from)
{
	to[threadIdx.x] += from[threadIdx.x];
}

static float *out;
static hipStream_t stream;

static unsigned long long address(const void *ptr)
{
	return (unsigned long long)(uintptr_t)ptr;
}

#if HIP_VERSION >= 50500000
static void expect_graph_memory(const void *ptr, unsigned size, bool released)
{
	std::printf("alloc api = 122, ptr = 0x%llX, size = %u, device = 0, stream = 0x%llX\n",
		    address(ptr), size, address(stream));
	if (released)
		std::printf("free api = 157, ptr = 0x%llX, stream = 0x%llX\n", address(ptr),
			    address(stream));
}

// Allocated and released by nodes of the graph.
static void memory_nodes()
{
	hipGraph_t graph;
	hipGraphExec_t instance;
	hipGraphNode_t alloc, first, second, release;
	hipMemAllocNodeParams params = {};
	hipKernelNodeParams kernel = {};
	float *scratch, *to = out, value = 2;

	params.poolProps.allocType = hipMemAllocationTypePinned;
	params.poolProps.location.type = hipMemLocationTypeDevice;
	params.poolProps.location.id = 0;
	params.bytesize = 1 << 20;
	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
	scratch = (float *)params.dptr;
	void *stored[] = {&scratch, &value}, *summed[] = {&to, &scratch};
	kernel.gridDim = dim3(1);
	kernel.blockDim = dim3(16);
	kernel.func = (void *)store;
	kernel.kernelParams = stored;
	CHECK(hipGraphAddKernelNode(&first, graph, &alloc, 1, &kernel));
	kernel.func = (void *)sum;
	kernel.kernelParams = summed;
	CHECK(hipGraphAddKernelNode(&second, graph, &first, 1, &kernel));
	CHECK(hipGraphAddMemFreeNode(&release, graph, &second, 1, scratch));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	for (int i = 0; i < 2; i++) {
		CHECK(hipGraphLaunch(instance, stream));
		CHECK(hipStreamSynchronize(stream));
		expect_graph_memory(scratch, 1 << 20, true);
		std::printf("call api = 365, flags = 0, value = 4\n");
	}
	std::printf("nodes %g\n", out[3]);
	CHECK(hipGraphExecDestroy(instance));
	CHECK(hipGraphDestroy(graph));
}

// The same of a captured stream: hipMallocAsync() allocates nothing before the launch.
static void captured_memory()
{
	hipGraph_t graph;
	hipGraphExec_t instance;
	float *scratch;

	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	CHECK(hipMallocAsync((void **)&scratch, 8192, stream));
	store<<<1, 16, 0, stream>>>(scratch, 5.0f);
	sum<<<1, 16, 0, stream>>>(out, scratch);
	CHECK(hipFreeAsync(scratch, stream));
	CHECK(hipStreamEndCapture(stream, &graph));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	CHECK(hipGraphLaunch(instance, stream));
	CHECK(hipStreamSynchronize(stream));
	expect_graph_memory(scratch, 8192, true);
	std::printf("call api = 365, flags = 0, value = 4\n");
	std::printf("captured %g\n", out[3]);
	CHECK(hipGraphExecDestroy(instance));
	CHECK(hipGraphDestroy(graph));
}
#endif

#if HIP_VERSION >= 60200000
static void expect_launch(unsigned api, unsigned grid, unsigned block)
{
	std::printf("launch api = %u, grid_x = %u, block_x = %u, stream = 0x%llX\n", api, grid,
		    block, address(stream));
}

static void expect_bytes(const void *to, float value)
{
	unsigned char bytes[12];
	std::string text;

	std::memcpy(bytes, &to, 8);
	std::memcpy(bytes + 8, &value, 4);
	for (int i = 0; i < 12; i++)
		text += (i ? ", [" : "[") + std::to_string(i) + "] = " + std::to_string(bytes[i]);
	std::printf("args bytes = [ %s ]\n", text.c_str());
}

// What is captured becomes part of a graph that exists; the launch is by a function that was looked up.
static void capture_to_graph()
{
	hipGraph_t graph, same;
	hipGraphExec_t instance;
	hipError_t (*launch)(hipGraphExec_t, hipStream_t) = nullptr;
	hipDriverProcAddressQueryResult found;

	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
					   hipStreamCaptureModeGlobal));
	add<<<1, 24, 0, stream>>>(out, 3.5f);
	CHECK(hipStreamEndCapture(stream, &same));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	CHECK(hipGetProcAddress("hipGraphLaunch", (void **)&launch, HIP_VERSION / 100000, 0, &found));
	CHECK(launch(instance, stream));
	expect_launch(365, 1, 24);
	expect_bytes(out, 3.5f);
	CHECK(hipStreamSynchronize(stream));
	std::printf("to a graph %g\n", out[20]);
	CHECK(hipGraphExecDestroy(instance));
	CHECK(hipGraphDestroy(graph));
}
#endif

#if HIP_VERSION >= 70200000
static void launches(const char *module)
{
	hipLaunchAttribute attribute = {};
	hipLaunchConfig_t config = {};
	HIP_LAUNCH_CONFIG driver = {};
	hipLibrary_t library;
	hipKernel_t kernel, listed;
	hipFunction_t function;
	hipModule_t loaded;
	hipError_t (*launch)(const HIP_LAUNCH_CONFIG *, hipFunction_t, void **, void **) = nullptr;
	hipDriverEntryPointQueryResult found;
	float *to = out, value = 8;
	void *args[] = {&to, &value};

	attribute.id = hipLaunchAttributeCooperative;
	attribute.val.cooperative = 1; // 7.2.4 refuses others
	config.gridDim = dim3(2);
	config.blockDim = dim3(32);
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(hipLaunchKernelExC(&config, (void *)add, args));
	expect_launch(360, 2, 32);
	expect_bytes(out, 8);

	CHECK(hipModuleLoad(&loaded, module));
	CHECK(hipModuleGetFunction(&function, loaded, "fill"));
	driver.gridDimX = 3;
	driver.gridDimY = driver.gridDimZ = driver.blockDimY = driver.blockDimZ = 1;
	driver.blockDimX = 16;
	driver.hStream = stream;
	driver.attrs = &attribute;
	driver.numAttrs = 1;
	value = 9;
	CHECK(hipDrvLaunchKernelEx(&driver, function, args, nullptr));
	expect_launch(361, 3, 16);
	expect_bytes(out, 9);
	CHECK(hipGetDriverEntryPoint("hipDrvLaunchKernelEx", (void **)&launch, hipEnableDefault,
				     &found));
	driver.gridDimX = 4;
	value = 10;
	CHECK(launch(&driver, function, args, nullptr));
	expect_launch(361, 4, 16);
	expect_bytes(out, 10);

	CHECK(hipLibraryLoadFromFile(&library, module, (hipJitOption *)nullptr, nullptr, 0,
				     (hipLibraryOption *)nullptr, nullptr, 0));
	CHECK(hipLibraryGetKernel(&kernel, library, "fill"));
	CHECK(hipLibraryEnumerateKernels(&listed, 1, library));
	value = 11;
	CHECK(hipLaunchKernel((void *)listed, dim3(5), dim3(16), args, 0, stream));
	expect_launch(350, 5, 16);
	expect_bytes(out, 11);
	CHECK(hipStreamSynchronize(stream));
	std::printf("launched %g %g\n", out[3], out[20]);
	CHECK(hipLibraryUnload(library));
	CHECK(hipModuleUnload(loaded));
}

static void locations()
{
	hipMemLocation device = {hipMemLocationTypeDevice, 0};
	hipMemLocation node = {hipMemLocationTypeHostNuma, 0};
	hipMemLocation here = {hipMemLocationTypeHostNumaCurrent, 0};
	unsigned processor, current = 0;
	char *memory;

	syscall(SYS_getcpu, &processor, &current, nullptr);
	CHECK(hipMallocManaged((void **)&memory, 1 << 20));
	CHECK(hipMemAdvise_v2(memory, 4096, hipMemAdviseSetPreferredLocation, node));
	std::printf("advise api = 331, ptr = 0x%llX, size = 4096, advice = 3, target = -1, location = 3, "
		    "node = 0\n",
		    address(memory));
	CHECK(hipMemPrefetchAsync_v2(memory, 4096, device, 0, stream));
	std::printf("prefetch api = 321, ptr = 0x%llX, size = 4096, target = 0, location = 1, node = -1\n",
		    address(memory));
	CHECK(hipMemPrefetchAsync_v2(memory, 8192, here, 0, stream));
	std::printf("prefetch api = 321, ptr = 0x%llX, size = 8192, target = -1, location = 4, node = %u\n",
		    address(memory), current);
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipFree(memory));
}

static void copies()
{
	static char host[2][64];
	void *to[2] = {(char *)out + 1024, (char *)out + 2048}, *from[2] = {host[0], host[1]};
	size_t sizes[2] = {64, 32}, failed = 0;

	std::memset(host, 7, sizeof(host));
	CHECK(hipMemcpyBatchAsync(to, from, sizes, 2, nullptr, nullptr, 0, &failed, stream));
	for (int i = 0; i < 2; i++)
		std::printf("copy api = 254, dst = 0x%llX, src = 0x%llX, size = %zu, stream = 0x%llX\n",
			    address(to[i]), address(from[i]), sizes[i], address(stream));
	CHECK(hipStreamSynchronize(stream));
	std::printf("batch %d\n", ((char *)out)[1024 + 63]);
}
#endif

int main(int argc, char **argv)
{
	CHECK(hipStreamCreate(&stream));
	CHECK(hipHostMalloc((void **)&out, 4096, 0));
	std::memset(out, 0, 4096);
	add<<<1, 2>>>(out, 1.0f);
	CHECK(hipDeviceSynchronize());
#if HIP_VERSION >= 50500000
	memory_nodes();
	captured_memory();
#else
	std::puts("nothing: this release has none of these functions");
#endif
#if HIP_VERSION >= 60200000
	capture_to_graph();
#endif
#if HIP_VERSION >= 70200000
	if (argc > 1)
		launches(argv[1]);
	locations();
	copies();
#endif
	(void)argc;
	(void)argv;
	CHECK(hipHostFree(out));
	std::puts("done");
	return 0;
}
