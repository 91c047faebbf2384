// SPDX-License-Identifier: Apache-2.0
/*
 * Makes memory of many kinds, says "ready", waits for a line, uses it, says "used", waits for a
 * line, and so on until the lines end. A recording may begin and end at any of the pauses. An "f"
 * has a kernel use memory of malloc's, which without XNACK is a memory fault.
 */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call)                                                                           \
	do {                                                                                  \
		hipError_t error = (call);                                                    \
		if (error != hipSuccess) {                                                    \
			fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(error)); \
			exit(1);                                                              \
		}                                                                             \
	} while (0)

#define BYTES (256u * 1024)

__global__ void add(float *sum, float value)
{
	unsafeAtomicAdd(sum, value);
}

__device__ float on_device[64];

__global__ void add_to_variable(float value)
{
	unsafeAtomicAdd(&on_device[0], value);
}

__global__ void add_in_graph(float *sum, float value)
{
	unsafeAtomicAdd(sum, value);
}

static float *fine, *plain, *advised, *freed, *registered;
static hipStream_t stream;
static hipEvent_t event;
static hipGraphExec_t graph;

/* Nothing but the runtime knows of it afterwards. */
static void make_graph(void)
{
	float value = 1.0f;
	void *arguments[] = { &fine, &value };
	hipKernelNodeParams params = {};
	hipGraph_t nodes;
	hipGraphNode_t node;

	params.func = (void *)add_in_graph;
	params.gridDim = dim3(1);
	params.blockDim = dim3(64);
	params.kernelParams = arguments;
	CHECK(hipGraphCreate(&nodes, 0));
	CHECK(hipGraphAddKernelNode(&node, nodes, nullptr, 0, &params));
	CHECK(hipGraphInstantiate(&graph, nodes, nullptr, nullptr, 0));
	CHECK(hipGraphDestroy(nodes));
}

static void make(void)
{
	CHECK(hipMallocManaged((void **)&fine, BYTES, hipMemAttachGlobal));
	CHECK(hipMalloc((void **)&plain, BYTES));
	CHECK(hipMallocManaged((void **)&advised, BYTES, hipMemAttachGlobal));
	CHECK(hipMemAdvise(advised, BYTES, hipMemAdviseSetCoarseGrain, 0));
	CHECK(hipHostMalloc((void **)&freed, BYTES, hipHostMallocDefault));
	CHECK(hipHostFree(freed));
	registered = (float *)aligned_alloc(4096, BYTES);
	CHECK(hipHostRegister(registered, BYTES, hipHostRegisterDefault));
	CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
	*fine = *advised = *registered = 0;
	CHECK(hipMemset(plain, 0, sizeof(float)));
	/* From HIP 5.6.1 on hipMemset may return early, and `stream` does not wait for it: a race
	 * that only a recording from the start could find. */
	CHECK(hipDeviceSynchronize());
	make_graph();
}

static void use(void)
{
	float *where;

	add<<<1, 64, 0, stream>>>(fine, 1.0f);
	add<<<1, 64, 0, stream>>>(plain, 1.0f);
	add<<<1, 64, 0, stream>>>(advised, 1.0f);
	CHECK(hipHostGetDevicePointer((void **)&where, registered, 0));
	add<<<1, 64, 0, stream>>>(where, 1.0f);
	add_to_variable<<<1, 64, 0, stream>>>(1.0f);
	CHECK(hipGraphLaunch(graph, stream));
	CHECK(hipEventRecord(event, stream));
	CHECK(hipEventSynchronize(event));
	CHECK(hipStreamSynchronize(stream));
}

static void fault(void)
{
	add<<<1, 64, 0, stream>>>((float *)aligned_alloc(4096, BYTES), 1.0f);
	CHECK(hipStreamSynchronize(stream));
}

/* Blocks that come and go on other threads, while a recording begins. */
static void churn(volatile bool *stop)
{
	while (!*stop) {
		std::vector<void *> blocks;

		for (int i = 0; i < 32; i++)
			blocks.push_back(malloc(70000 + 1000 * (size_t)i));
		for (void *block : blocks)
			free(block);
	}
}

int main(int argc, char **)
{
	volatile bool stop = false;
	std::vector<std::thread> threads;
	int line;

	make();
	for (int i = 1; i < argc; i++)
		threads.emplace_back(churn, &stop);
	puts("ready");
	fflush(stdout);
	while ((line = getchar()) != EOF) {
		if (line == 'f')
			fault();
		if (line != '\n')
			continue;
		use();
		puts("used");
		fflush(stdout);
	}
	stop = true;
	for (std::thread &thread : threads)
		thread.join();
	printf("fine %g plain-managed %g\n", *fine, *advised);
	CHECK(hipHostUnregister(registered));
	free(registered);
	CHECK(hipFree(fine));
	CHECK(hipFree(advised));
	CHECK(hipFree(plain));
	return 0;
}
