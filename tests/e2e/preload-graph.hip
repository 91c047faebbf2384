// SPDX-License-Identifier: Apache-2.0
// Graphs and calls of other shapes whose events are known, for the test preload-graph. Prints
// "EVENT PATTERN" lines, each of which must be in the trace as often as it is printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <hip/hip_ext.h>
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

static float *out;
static hipStream_t stream;

static unsigned long long address(const void *ptr)
{
	return (unsigned long long)(uintptr_t)ptr;
}

static void expect_bytes(float value)
{
	unsigned char bytes[12];
	std::string text;

	std::memcpy(bytes, &out, 8);
	std::memcpy(bytes + 8, &value, 4);
	for (int i = 0; i < 12; i++)
		text += (i ? ", [" : "[") + std::to_string(i) + "] = " + std::to_string(bytes[i]);
	std::printf("args bytes = [ %s ]\n", text.c_str());
}

static void expect_launch(unsigned api, unsigned block)
{
	std::printf("launch api = %u, block_x = %u, stream = 0x%llX\n", api, block,
		    address(stream));
}

// A node's arguments are read when it is added; the variables change afterwards.
static void manual_graph()
{
	hipGraph_t graph, child;
	hipGraphExec_t instance;
	hipGraphNode_t fill, kernel, nested;
	float *to = out, value = 3;
	void *args[] = {&to, &value};
	hipKernelNodeParams params = {};
	hipMemsetParams clear = {};

	clear.dst = out;
	clear.elementSize = 4;
	clear.width = 64;
	clear.height = 1;
	params.func = (void *)add;
	params.gridDim = dim3(1);
	params.blockDim = dim3(16);
	params.kernelParams = args;
	CHECK(hipGraphCreate(&graph, 0));
	CHECK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &clear));
	CHECK(hipGraphAddKernelNode(&kernel, graph, &fill, 1, &params));
	value = 1000;
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	expect_bytes(3);
	for (int i = 0; i < 2; i++) {
		CHECK(hipGraphLaunch(instance, stream));
		expect_launch(365, 16);
		std::printf("fill api = 715, dst = 0x%llX, size = 256, rows = 1\n", address(out));
	}
	// Other arguments in the instance alone.
	value = 5;
	params.blockDim = dim3(32);
	CHECK(hipGraphExecKernelNodeSetParams(instance, kernel, &params));
	expect_bytes(5);
	value = 1000;
	CHECK(hipGraphLaunch(instance, stream));
	expect_launch(365, 32);
	std::printf("fill api = 715, dst = 0x%llX, size = 256, rows = 1\n", address(out));
	CHECK(hipStreamSynchronize(stream));
	std::printf("value %g %g\n", out[1], out[40]);
	CHECK(hipGraphExecDestroy(instance));

	// The graph as a child of another.
	CHECK(hipGraphCreate(&child, 0));
	CHECK(hipGraphAddChildGraphNode(&nested, child, nullptr, 0, graph));
	CHECK(hipGraphInstantiate(&instance, child, nullptr, nullptr, 0));
	CHECK(hipGraphLaunch(instance, stream));
	expect_launch(365, 16);
	std::printf("fill api = 715, dst = 0x%llX, size = 256, rows = 1\n", address(out));
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipGraphExecDestroy(instance));
	CHECK(hipGraphDestroy(child));
	CHECK(hipGraphDestroy(graph));
}

static void captured_graph()
{
	hipGraph_t graph;
	hipGraphExec_t instance;
	static float host[16];

	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	add<<<1, 8, 0, stream>>>(out, 7.0f);
	CHECK(hipMemcpyAsync(host, out, sizeof(host), hipMemcpyDeviceToHost, stream));
	CHECK(hipStreamEndCapture(stream, &graph));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	for (int i = 0; i < 3; i++) {
		CHECK(hipGraphLaunch(instance, stream));
		expect_launch(365, 8);
		std::printf("copy api = 201, dst = 0x%llX, src = 0x%llX, size = 64\n",
			    address(host), address(out));
	}
	expect_bytes(7);
	CHECK(hipStreamSynchronize(stream));
	std::printf("captured %g\n", host[1] - out[9]);
	CHECK(hipGraphExecDestroy(instance));
	CHECK(hipGraphDestroy(graph));
	add<<<1, 4, 0, stream>>>(out, 7.0f); // after the capture: carried out
	expect_launch(350, 4);
	CHECK(hipStreamSynchronize(stream));
}

static void shapes()
{
	hipExtent extent = make_hipExtent(64, 4, 3);
	hipPitchedPtr volume;
	hipMemcpy3DParms copy = {};
	static char host[64 * 4 * 3];
	size_t size = 0;
	void *base;

	CHECK(hipMalloc3D(&volume, extent));
	std::printf("alloc api = 109, ptr = 0x%llX\n", address(volume.ptr));
	CHECK(hipMemset3D(volume, 0x11, extent));
	std::printf("fill api = 314, dst = 0x%llX, size = 64, rows = 4, pitch = %zu, depth = 3, slice = %zu\n",
		    address(volume.ptr), volume.pitch, 4 * volume.pitch);
	copy.srcPtr = volume;
	copy.srcPos = make_hipPos(16, 1, 1);
	copy.dstPtr = make_hipPitchedPtr(host, 64, 64, 4);
	copy.extent = make_hipExtent(32, 2, 2);
	copy.kind = hipMemcpyDeviceToHost;
	CHECK(hipMemcpy3D(&copy));
	std::printf("copy api = 219, dst = 0x%llX, src = 0x%llX, size = 32, rows = 2, dst_pitch = 64, src_pitch = %zu, depth = 2, dst_slice = 256, src_slice = %zu\n",
		    address(host), address(volume.ptr) + 5 * volume.pitch + 16, volume.pitch,
		    4 * volume.pitch);
	std::printf("copied %d %d\n", host[0], host[33]);
	CHECK(hipMemGetAddressRange((hipDeviceptr_t *)&base, &size, volume.ptr));
	std::printf("call api = 651, ptr = 0x%llX\n", address(volume.ptr));
	CHECK(hipFree(volume.ptr));
	std::printf("free api = 150, ptr = 0x%llX\n", address(volume.ptr));
	std::printf("bad %d\n", (int)hipGraphLaunch(nullptr, stream));
	std::printf("error api = 365, code = 1\n");
	(void)hipGetLastError();
}

int main()
{
	CHECK(hipStreamCreate(&stream));
	CHECK(hipHostMalloc((void **)&out, 4096, 0));
	add<<<1, 2>>>(out, 1.0f); // no captures yet
	CHECK(hipDeviceSynchronize());
	std::memset(out, 0, 4096);
	manual_graph();
	captured_graph();
	shapes();
	CHECK(hipHostFree(out));
	std::puts("done");
	return 0;
}
