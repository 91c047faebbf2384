/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of two processes that run a collective algorithm of gloo on memory of GPUs, over TCP on the loopback device: what
 * tests/real/rocm runs where a release packages gloo for ROCm, but none of its tests.
 *
 * usage: gloo WAY RANK FOLDER    RANK: 0 or 1; FOLDER: where the two find each other, an empty one.
 *                                WAY: ring, chunked, halving, pipelined, bcube, local, broadcast
 * Each rank gives an array on each GPU: gloo reduces them on the GPUs, which must be able to reach each other's memory,
 * so that two of one GPU are refused. Prints a line for each size. Exit status: 0 if all results are right, 1 if not, 2 for a
 * wrong usage or a failed call.
 */
#include <gloo/hip_allreduce_bcube.h>
#include <gloo/hip_allreduce_halving_doubling.h>
#include <gloo/hip_allreduce_halving_doubling_pipelined.h>
#include <gloo/hip_allreduce_local.h>
#include <gloo/hip_allreduce_ring.h>
#include <gloo/hip_allreduce_ring_chunked.h>
#include <gloo/hip_broadcast_one_to_all.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t status = (call);                                                        \
		if (status != hipSuccess) {                                                        \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));             \
			exit(2);                                                                   \
		}                                                                                  \
	} while (0)

enum { RANKS = 2 };

static int gpus;

/* Array `array` of rank `rank` starts as array + 3 * rank + the index. */
__global__ void fill(float *memory, int count, int start)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		memory[i] = start + i % 1000;
}

/* Adds to *wrong the elements that are not `times` the index and `plus`. */
__global__ void check(const float *memory, int count, int times, int plus, unsigned *wrong)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count && memory[i] != times * (i % 1000) + plus)
		atomicAdd(wrong, 1u);
}

static int start_of(int array, int rank)
{
	return array + 3 * rank;
}

static std::unique_ptr<gloo::Algorithm> choose(const std::string &way, const std::shared_ptr<gloo::Context> &context,
					       const std::vector<float *> &arrays, int count,
					       const std::vector<hipStream_t> &streams)
{
	gloo::Algorithm *chosen = nullptr;
	if (way == "ring")
		chosen = new gloo::HipAllreduceRing<float>(context, arrays, count, streams);
	else if (way == "chunked")
		chosen = new gloo::HipAllreduceRingChunked<float>(context, arrays, count, streams);
	else if (way == "halving")
		chosen = new gloo::HipAllreduceHalvingDoubling<float>(context, arrays, count, streams);
	else if (way == "pipelined")
		chosen = new gloo::HipAllreduceHalvingDoublingPipelined<float>(context, arrays, count, streams);
	else if (way == "bcube")
		chosen = new gloo::HipAllreduceBcube<float>(context, arrays, count, streams);
	else if (way == "local")
		chosen = new gloo::HipAllreduceLocal<float>(context, arrays, count, streams);
	else if (way == "broadcast")
		chosen = new gloo::HipBroadcastOneToAll<float>(context, arrays, count, 1, 0, streams);
	return std::unique_ptr<gloo::Algorithm>(chosen);
}

/* The number of wrong elements in this rank's arrays. */
static unsigned run(const std::string &way, const std::shared_ptr<gloo::Context> &context, int count)
{
	std::vector<float *> arrays(gpus);
	std::vector<hipStream_t> streams(gpus);
	std::vector<unsigned *> counters(gpus);
	unsigned wrong = 0;
	int plus = 0, times = 0;
	for (int array = 0; array < gpus; array++) {
		HIP(hipSetDevice(array));
		HIP(hipStreamCreateWithFlags(&streams[array], hipStreamNonBlocking));
		HIP(hipMalloc((void **)&arrays[array], count * sizeof(float)));
		fill<<<count / 256 + 1, 256, 0, streams[array]>>>(arrays[array], count,
								  start_of(array, context->rank));
		HIP(hipGetLastError());
	}
	for (int rank = 0; rank < RANKS; rank++)
		for (int array = 0; array < gpus; array++)
			if (way == "broadcast" ? rank == 1 && array == 0 : way != "local" || rank == context->rank) {
				plus += start_of(array, rank);
				times++;
			}
	auto algorithm = choose(way, context, arrays, count, streams);
	if (!algorithm) {
		fprintf(stderr, "gloo: no way %s\n", way.c_str());
		exit(2);
	}
	algorithm->run();
	for (int array = 0; array < gpus; array++) {
		unsigned here;
		HIP(hipSetDevice(array));
		HIP(hipDeviceSynchronize());
		HIP(hipMalloc((void **)&counters[array], sizeof(here)));
		HIP(hipMemset(counters[array], 0, sizeof(here)));
		check<<<count / 256 + 1, 256>>>(arrays[array], count, times, plus, counters[array]);
		HIP(hipGetLastError());
		HIP(hipMemcpy(&here, counters[array], sizeof(here), hipMemcpyDeviceToHost));
		wrong += here;
	}
	algorithm.reset();
	for (int array = 0; array < gpus; array++) {
		HIP(hipSetDevice(array));
		HIP(hipFree(counters[array]));
		HIP(hipFree(arrays[array]));
		HIP(hipStreamDestroy(streams[array]));
	}
	return wrong;
}

int main(int count, char **arguments)
{
	if (count != 4) {
		fprintf(stderr, "usage: gloo WAY RANK FOLDER\n");
		return 2;
	}
	const int rank = atoi(arguments[2]);
	unsigned total = 0;
	HIP(hipGetDeviceCount(&gpus));
	auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("127.0.0.1"));
	auto store = std::make_shared<gloo::rendezvous::FileStore>(arguments[3]);
	auto context = std::make_shared<gloo::rendezvous::Context>(rank, RANKS);
	context->connectFullMesh(store, device);
	for (int size : {1, 1000, 30000, 300000}) {
		unsigned wrong = run(arguments[1], context, size);
		printf("rank %d: %s of %d elements: %u wrong\n", rank, arguments[1], size, wrong);
		total += wrong;
	}
	return total != 0;
}
