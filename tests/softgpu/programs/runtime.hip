// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime beyond allocate, copy and launch: graphs, events, symbols, rectangles,
// pools, occupancy, limits.
#include "program.h"

#include <hip/hip_ext.h>
#include <unistd.h>

#define N 1000

// hipPointerAttribute_t: its member was renamed in HIP 6.
#if HIP_VERSION_MAJOR >= 6
#define POINTER_TYPE type
#else
#define POINTER_TYPE memoryType
#endif

__global__ void scale_kernel(int *v, int factor, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		v[i] = v[i] * factor + i;
}

// Spins until the host writes.
__global__ void wait_kernel(volatile int *flag)
{
	while (!*flag)
		;
}

static std::vector<int> counting(int first, int n = N)
{
	std::vector<int> v(n);

	for (int i = 0; i < n; i++)
		v[i] = first + i;
	return v;
}

static std::vector<int> scaled(std::vector<int> v, int factor)
{
	for (size_t i = 0; i < v.size(); i++)
		v[i] = v[i] * factor + (int)i;
	return v;
}

// ---- graphs ----

static bool captured(void)
{
	std::vector<int> in = counting(5), got(N), want = scaled(scaled(in, 3), 2);
	device<int> v(N);
	hipStream_t stream, other;
	hipEvent_t fork, join;
	hipGraph_t graph;
	hipGraphExec_t executable;
	size_t nodes = 0;

	HIP(hipStreamCreate(&stream));
	HIP(hipStreamCreate(&other));
	HIP(hipEventCreate(&fork));
	HIP(hipEventCreate(&join));
	HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	HIP(hipMemcpyAsync(v, in.data(), N * 4, hipMemcpyHostToDevice, stream));
	scale_kernel<<<groups(N, 64), 64, 0, stream>>>(v, 3, N);
	HIP(hipEventRecord(fork, stream));
	HIP(hipStreamWaitEvent(other, fork, 0));
	scale_kernel<<<groups(N, 64), 64, 0, other>>>(v, 2, N);
	HIP(hipEventRecord(join, other));
	HIP(hipStreamWaitEvent(stream, join, 0));
	HIP(hipMemcpyAsync(got.data(), v, N * 4, hipMemcpyDeviceToHost, stream));
	HIP(hipStreamEndCapture(stream, &graph));
	HIP(hipGraphGetNodes(graph, nullptr, &nodes));
	HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
	for (int run = 0; run < 3; run++) {
		std::fill(got.begin(), got.end(), 0);
		HIP(hipGraphLaunch(executable, stream));
		HIP(hipStreamSynchronize(stream));
		if (!same(got, want))
			return false;
	}
	HIP(hipGraphExecDestroy(executable));
	HIP(hipGraphDestroy(graph));
	HIP(hipStreamDestroy(stream));
	HIP(hipStreamDestroy(other));
	return nodes == 4;
}

static bool built(void)
{
	std::vector<int> got(N), first(N, 0x01010101), want;
	device<int> v(N);
	hipStream_t stream;
	hipGraph_t graph;
	hipGraphExec_t executable;
	hipGraphNode_t set, kernel, copy;
	hipMemsetParams fill = {};
	hipKernelNodeParams node = {};
	int *pointer = v, factor = 7, n = N;
	void *arguments[] = { &pointer, &factor, &n };

	HIP(hipStreamCreate(&stream));
	HIP(hipGraphCreate(&graph, 0));
	fill.dst = v;
	fill.value = 1;
	fill.elementSize = 1;
	fill.width = N * 4;
	fill.height = 1;
	HIP(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
	node.func = (void *)scale_kernel;
	node.gridDim = dim3(groups(N, 128));
	node.blockDim = dim3(128);
	node.kernelParams = arguments;
	HIP(hipGraphAddKernelNode(&kernel, graph, &set, 1, &node));
	HIP(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, got.data(), v, N * 4,
				    hipMemcpyDeviceToHost));
	HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
	HIP(hipGraphLaunch(executable, stream));
	HIP(hipStreamSynchronize(stream));
	if (!same(got, scaled(first, 7)))
		return false;
	// Other arguments for the node that is already instantiated.
	factor = 2;
	HIP(hipGraphExecKernelNodeSetParams(executable, kernel, &node));
	HIP(hipGraphLaunch(executable, stream));
	HIP(hipStreamSynchronize(stream));
	HIP(hipGraphExecDestroy(executable));
	HIP(hipGraphDestroy(graph));
	HIP(hipStreamDestroy(stream));
	return same(got, scaled(first, 2));
}

// ---- events, and what is not done yet ----

static bool events(void)
{
	hipStream_t stream;
	hipEvent_t before, after;
	int *flag, *flag_there;
	float ms = 0;
	bool waited;

	HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	HIP(hipEventCreate(&before));
	HIP(hipEventCreate(&after));
	HIP(hipHostMalloc((void **)&flag, 4, hipHostMallocCoherent));
	HIP(hipHostGetDevicePointer((void **)&flag_there, flag, 0));
	*flag = 0;
	HIP(hipEventRecord(before, stream));
	wait_kernel<<<1, 1, 0, stream>>>(flag_there);
	HIP(hipEventRecord(after, stream));
	waited =
	    hipStreamQuery(stream) == hipErrorNotReady && hipEventQuery(after) == hipErrorNotReady;
	// The kernel began at last when the event before it was done, and ends after the sleep.
	HIP(hipEventSynchronize(before));
	usleep(30000);
	__atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
	HIP(hipEventSynchronize(after));
	HIP(hipEventElapsedTime(&ms, before, after));
	printf("# %g ms between the events\n", (double)ms);
	waited = waited && hipStreamQuery(stream) == hipSuccess;
	HIP(hipHostFree(flag));
	HIP(hipStreamDestroy(stream));
	return waited && ms >= 29;
}

static bool launch_with_events(void)
{
	device<int> v(counting(1));
	hipEvent_t start, stop;
	float ms = -1;

	HIP(hipEventCreate(&start));
	HIP(hipEventCreate(&stop));
	hipExtLaunchKernelGGL(scale_kernel, dim3(groups(N, 64)), dim3(64), 0, 0, start, stop, 0,
			      (int *)v, 5, N);
	HIP(hipEventSynchronize(stop));
	HIP(hipEventElapsedTime(&ms, start, stop));
	return ms >= 0 && same(v.get(), scaled(counting(1), 5));
}

// ---- symbols ----

__device__ int table[N];
__constant__ int constants[4] = { 1, 2, 3, 4 };
__managed__ int shared_count = 3;

__global__ void symbol_kernel(int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		table[i] = table[i] * 2 + constants[i % 4];
	if (!i)
		shared_count += 4;
}

static bool symbols(void)
{
	const int other[] = { 30, 40 };
	std::vector<int> v = counting(100), got(N);
	size_t size = 0;
	int *address;

	HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), v.data(), N * 4));
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(constants), other, 8, 8));
	HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
	symbol_kernel<<<groups(N, 64), 64>>>(N);
	FINISH();
	HIP(hipMemcpyFromSymbol(got.data(), HIP_SYMBOL(table), N * 4));
	for (int i = 0; i < N; i++)
		v[i] = v[i] * 2 + (i % 4 < 2 ? i % 4 + 1 : i % 4 * 10 + 10);
	if (!same(got, v) || size != N * 4 || shared_count != 7)
		return false;
	HIP(hipGetSymbolAddress((void **)&address, HIP_SYMBOL(table)));
	HIP(hipMemcpy(got.data(), address, N * 4, hipMemcpyDeviceToHost));
	return same(got, v);
}

// ---- rectangles and boxes ----

static bool rectangles(void)
{
	const size_t width = 50, height = 7, depth = 3;
	std::vector<uint8_t> in(width * height * depth), got(in.size()), want(in.size());
	hipPitchedPtr box;
	hipMemcpy3DParms copy = {};
	uint8_t *plane;
	size_t pitch;

	for (size_t i = 0; i < in.size(); i++)
		in[i] = (uint8_t)hash32((uint32_t)i);
#if defined(GFX942) && HIP_VERSION < 60200000
	// No pitched memory where there are no images (clr, ihipMallocPitch).
	return hipMallocPitch((void **)&plane, &pitch, width, height) == hipErrorInvalidValue;
#endif
	HIP(hipMallocPitch((void **)&plane, &pitch, width, height));
	HIP(hipMemset2D(plane, pitch, 0x5a, width, height));
	HIP(hipMemcpy2D(plane + pitch + 3, pitch, in.data() + 5, width, 11, 4,
			hipMemcpyHostToDevice));
	HIP(hipMemcpy2D(got.data(), width, plane, pitch, width, height, hipMemcpyDeviceToHost));
	for (size_t y = 0; y < height; y++)
		for (size_t x = 0; x < width; x++)
			want[y * width + x] = y >= 1 && y < 5 && x >= 3 && x < 14
						  ? in[(y - 1) * width + x - 3 + 5]
						  : 0x5a;
	if (!same(got, want))
		return false;
	HIP(hipFree(plane));

	HIP(hipMalloc3D(&box, make_hipExtent(width, height, depth)));
	HIP(hipMemset3D(box, 0x11, make_hipExtent(width, height, depth)));
	copy.srcPtr = make_hipPitchedPtr(in.data(), width, width, height);
	copy.dstPtr = box;
	copy.dstPos = make_hipPos(8, 2, 1);
	copy.extent = make_hipExtent(20, 4, 2);
	copy.kind = hipMemcpyHostToDevice;
	HIP(hipMemcpy3D(&copy));
	copy = {};
	copy.srcPtr = box;
	copy.dstPtr = make_hipPitchedPtr(got.data(), width, width, height);
	copy.extent = make_hipExtent(width, height, depth);
	copy.kind = hipMemcpyDeviceToHost;
	HIP(hipMemcpy3D(&copy));
	for (size_t z = 0, i = 0; z < depth; z++)
		for (size_t y = 0; y < height; y++)
			for (size_t x = 0; x < width; x++, i++)
				want[i] = z >= 1 && y >= 2 && y < 6 && x >= 8 && x < 28
					      ? in[((z - 1) * height + y - 2) * width + x - 8]
					      : 0x11;
	HIP(hipFree(box.ptr));
	return same(got, want);
}

static bool fills(void)
{
	device<uint8_t> v(1003);
	std::vector<uint8_t> want(1003, 0);

	HIP(hipMemsetD8((hipDeviceptr_t)(v + 1), 7, 9));
	HIP(hipMemsetD16((hipDeviceptr_t)(v + 16), 0x0a0b, 33));
	HIP(hipMemsetD32((hipDeviceptr_t)(v + 100), 0x01020304, 200));
	HIP(hipMemset(v + 991, 0xff, 12));
	memset(&want[1], 7, 9);
	for (int i = 0; i < 33; i++)
		want[16 + 2 * i] = 0x0b, want[17 + 2 * i] = 0x0a;
	for (int i = 0; i < 800; i++)
		want[100 + i] = (uint8_t)(4 - i % 4);
	memset(&want[991], 0xff, 12);
	return same(v.get(), want);
}

// ---- memory in the order of a stream ----

static bool pools(void)
{
	hipStream_t stream;
	std::vector<int> got(N);
	int *v;
	bool good = true;

	HIP(hipStreamCreate(&stream));
	for (int round = 1; round < 5; round++) {
		HIP(hipMallocAsync((void **)&v, N * 4, stream));
		HIP(hipMemsetAsync(v, 0, N * 4, stream));
		scale_kernel<<<groups(N, 64), 64, 0, stream>>>(v, round, N);
		scale_kernel<<<groups(N, 64), 64, 0, stream>>>(v, round, N);
		HIP(hipMemcpyAsync(got.data(), v, N * 4, hipMemcpyDeviceToHost, stream));
		HIP(hipFreeAsync(v, stream));
		HIP(hipStreamSynchronize(stream));
		good = good && same(got, scaled(scaled(std::vector<int>(N), round), round));
	}
	// The stream stays: hipStreamDestroy of this release never returns after hipFreeAsync.
	return good;
}

static bool registered(void)
{
	std::vector<int> v = counting(2, 5000), want = scaled(v, 9);
	int *there;

	HIP(hipHostRegister(v.data(), v.size() * 4, hipHostRegisterMapped));
	HIP(hipHostGetDevicePointer((void **)&there, v.data(), 0));
	scale_kernel<<<groups(v.size(), 256), 256>>>(there, 9, (int)v.size());
	FINISH();
	HIP(hipHostUnregister(v.data()));
	return same(v, want);
}

static bool managed(void)
{
	std::vector<int> want = counting(0);
	int *v, id;

	HIP(hipGetDevice(&id));
	HIP(hipMallocManaged((void **)&v, N * 4, hipMemAttachGlobal));
	memcpy(v, want.data(), N * 4);
	HIP(hipMemPrefetchAsync(v, N * 4, id, 0));
	for (int round = 2; round < 5; round++) {
		scale_kernel<<<groups(N, 64), 64>>>(v, round, N);
		FINISH();
		want = scaled(want, round);
		v[round] = want[round] = -round;
	}
	bool good = same(std::vector<int>(v, v + N), want);

	HIP(hipFree(v));
	return good;
}

// ---- what the runtime knows ----

__global__ __launch_bounds__(256) void local_kernel(int *out)
{
	__shared__ int part[300];

	part[threadIdx.x] = (int)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = part[(threadIdx.x + 1) % blockDim.x];
}

#ifdef GFX942
static const char processor[] = "gfx942";
#else
static const char processor[] = "gfx90a";
#endif

static bool knowledge(void)
{
	hipFuncAttributes attributes;
	hipPointerAttribute_t pointer;
	hipDeviceProp_t properties;
	device<int> v(N);
	hipDeviceptr_t base;
	int blocks = 0, grid = 0, size = 0;
	size_t bytes = 0, free_before, free_after, total;
	int *block;

	HIP(hipFuncGetAttributes(&attributes, (const void *)local_kernel));
	HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, local_kernel, 256, 0));
	HIP(hipOccupancyMaxPotentialBlockSize(&grid, &size, local_kernel, 0, 0));
	HIP(hipPointerGetAttributes(&pointer, v + 10));
	HIP(hipMemGetAddressRange(&base, &bytes, (hipDeviceptr_t)(v + 10)));
	HIP(hipGetDeviceProperties(&properties, 0));
	HIP(hipMemGetInfo(&free_before, &total));
	HIP(hipMalloc((void **)&block, 64 << 20));
	HIP(hipMemGetInfo(&free_after, &total));
	HIP(hipFree(block));
	printf("# %d blocks, grid %d, block %d, %zu LDS, %d threads, %s, %zu of %zu bytes taken\n",
	       blocks, grid, size, attributes.sharedSizeBytes, attributes.maxThreadsPerBlock,
	       properties.gcnArchName, free_before - free_after, total);
	return attributes.sharedSizeBytes == 1200 && attributes.maxThreadsPerBlock == 256 &&
	       blocks >= 1 && blocks <= 8 && grid >= 1 && size > 0 && size <= 1024 &&
	       pointer.POINTER_TYPE == hipMemoryTypeDevice &&
	       pointer.devicePointer == (int *)v + 10 && base == (hipDeviceptr_t)(int *)v &&
	       bytes == N * 4 && properties.warpSize == 64 &&
	       !strncmp(properties.gcnArchName, processor, 6) &&
	       free_before - free_after == 64u << 20 && total >= free_before;
}

// Launches that can't be are refused, and the next one works.
static bool limits(void)
{
	device<int> v(N);

	scale_kernel<<<1, 2048>>>(v, 1, N);
	bool large_group = hipGetLastError() != hipSuccess;

	scale_kernel<<<1, 64, 100000>>>(v, 1, N);
	bool large_lds = hipGetLastError() != hipSuccess;

	scale_kernel<<<groups(N, 64), 64>>>(v, 1, N);
	FINISH();
	return large_group && large_lds && same(v.get(), counting(0));
}

// ---- grids of every shape; clocks ----

__global__ void shape_kernel(int *out, int nx, int ny, int nz)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;

	if (x < nx && y < ny && z < nz)
		atomicAdd(&out[(z * ny + y) * nx + x],
			  1 + x + 100 * y + 10000 * z + (int)(gridDim.x * gridDim.y * gridDim.z));
}

static bool grids(void)
{
	const int nx = 37, ny = 11, nz = 5;
	std::vector<int> want(nx * ny * nz);

	for (dim3 block : { dim3(64, 1, 1), dim3(3, 5, 7), dim3(1, 64, 1), dim3(16, 4, 2) }) {
		dim3 grid(groups(nx, block.x), groups(ny, block.y), groups(nz, block.z));
		device<int> out(nx * ny * nz);

		for (int z = 0, i = 0; z < nz; z++)
			for (int y = 0; y < ny; y++)
				for (int x = 0; x < nx; x++, i++)
					want[i] = 1 + x + 100 * y + 10000 * z +
						  (int)(grid.x * grid.y * grid.z);
		shape_kernel<<<grid, block>>>(out, nx, ny, nz);
		if (!same(out.get(), want))
			return false;
	}
	return true;
}

__global__ void clock_kernel(long long *out)
{
	long long first = clock64(), last = first;

	for (int i = 0; i < 1000 && last <= first; i++)
		last = clock64();
	out[threadIdx.x] = last - first;
}

static bool clocks(void)
{
	device<long long> out(64);

	clock_kernel<<<1, 64>>>(out);
	for (long long difference : out.get())
		if (difference <= 0)
			return false;
	return true;
}

static const program programs[] = {
	{ "captured", captured },
	{ "built", built },
	{ "events", events },
	{ "launch_with_events", launch_with_events },
	{ "symbols", symbols },
	{ "rectangles", rectangles },
	{ "fills", fills },
	{ "pools", pools },
	{ "registered", registered },
	{ "managed", managed },
	{ "knowledge", knowledge },
	{ "limits", limits },
	{ "grids", grids },
	{ "clocks", clocks },
	{},
};

MAIN(programs)
