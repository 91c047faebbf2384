// SPDX-License-Identifier: Apache-2.0
// HIP as the compiler makes it: a graph of two launches, captured.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

#define CHECK(call)                                                    \
	do {                                                           \
		hipError_t rc = (call);                                \
		if (rc != hipSuccess) {                                \
			std::printf("failed %s: %d\n", #call, (int)rc); \
			std::exit(1);                                  \
		}                                                      \
	} while (0)

extern "C" __global__ void by_graph(float *sum, float value)
{
	if (threadIdx.x == 0)
		atomicAdd(sum, value);
}

extern "C" void use_graph(float *sum, int count)
{
	hipStream_t stream;
	hipGraph_t graph;
	hipGraphExec_t instance;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	for (int i = 0; i < 2; i++)
		by_graph<<<1, 64, 0, stream>>>(sum, 1);
	CHECK(hipStreamEndCapture(stream, &graph));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	for (int i = 0; i < count; i++)
		CHECK(hipGraphLaunch(instance, stream));
	CHECK(hipStreamSynchronize(stream));
}
