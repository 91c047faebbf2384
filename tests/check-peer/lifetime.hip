// SPDX-License-Identifier: Apache-2.0
// Memory that is used after its release, released twice, or never.
#include "gpu.h"

#define COUNT 256

__global__ void store(int *to)
{
	to[threadIdx.x] = threadIdx.x;
}

__global__ void load(const int *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x];
}

CASE(load_freed, "memcheck", "a kernel loads memory after its release")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);

	DEFECT_ONLY(OK(gpuFree(a));)
	load<<<1, COUNT>>>(a, b);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
	finish(b, COUNT);
}

CASE(store_freed, "memcheck", "a kernel stores to memory after its release")
{
	int *a = zeroed<int>(COUNT);

	DEFECT_ONLY(OK(gpuFree(a));)
	store<<<1, COUNT>>>(a);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

__global__ void store_row(int *const *rows)
{
	rows[blockIdx.x][threadIdx.x] = 1;
}

CASE(freed_row, "memcheck", "a table in memory holds a pointer to released memory")
{
	int *rows[2] = { zeroed<int>(COUNT), zeroed<int>(COUNT) }, **a = zeroed<int *>(2);

	OK(GPU(Memcpy)(a, rows, sizeof(rows), GPU(MemcpyHostToDevice)));
	DEFECT_ONLY(OK(gpuFree(rows[1]));)
	store_row<<<2, COUNT>>>(a);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(rows[1]));)
	OK(gpuFree(rows[0]));
	OK(gpuFree(a));
}

struct holder {
	int n;
	int *memory;
};

__global__ void store_held(struct holder held)
{
	if ((int)threadIdx.x < held.n)
		held.memory[threadIdx.x] = 1;
}

CASE(freed_in_structure, "memcheck", "a structure among the arguments holds a pointer to released memory")
{
	struct holder held = { COUNT, zeroed<int>(COUNT) };

	DEFECT_ONLY(OK(gpuFree(held.memory));)
	store_held<<<1, COUNT>>>(held);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(held.memory));)
}

CASE(reused, "memcheck", "memory is used by its old pointer after its release, when another allocation may be there")
{
	int *a = zeroed<int>(COUNT), *b;

	OK(gpuFree(a));
	b = zeroed<int>(COUNT);
	store<<<1, COUNT>>>(PICK(a, b));
	WAIT();
	OK(gpuFree(b));
}

CASE(freed_to_pool, "memcheck", "a kernel uses memory that was given back to its pool before in the stream")
{
	gpuStream_t stream = new_stream();
	void *a = NULL;

	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	DEFECT_ONLY(OK(GPU(FreeAsync)(a, stream));)
	store<<<1, COUNT, 0, stream>>>((int *)a);
	RIGHT_ONLY(OK(GPU(FreeAsync)(a, stream));)
	WAIT();
}

CASE(not_yet_from_pool, "memcheck", "a kernel of another stream uses memory that its stream may not have allocated yet")
{
	gpuStream_t stream = new_stream(), other = new_stream();
	gpuEvent_t event;
	void *a = NULL;

	OK(GPU(EventCreateWithFlags)(&event, GPU(EventDisableTiming)));
	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	OK(GPU(EventRecord)(event, stream));
	RIGHT_ONLY(OK(GPU(StreamWaitEvent)(other, event, 0));)
	store<<<1, COUNT, 0, other>>>((int *)a);
	WAIT();
	OK(GPU(FreeAsync)(a, stream));
	WAIT();
	OK(GPU(EventDestroy)(event));
}

CASE(copy_freed, "memcheck", "a copy to the host from memory after its release")
{
	int *a = zeroed<int>(COUNT), host[COUNT];

	DEFECT_ONLY(OK(gpuFree(a));)
	OK(GPU(Memcpy)(host, a, sizeof(host), GPU(MemcpyDeviceToHost)));
	RIGHT_ONLY(OK(gpuFree(a));)
	gpu_sink = host[1];
}

CASE(copy_to_freed, "memcheck", "a copy on the device into memory after its release")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);

	DEFECT_ONLY(OK(gpuFree(a));)
	OK(GPU(Memcpy)(a, b, COUNT * sizeof(int), GPU(MemcpyDeviceToDevice)));
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
	OK(gpuFree(b));
}

CASE(fill_freed, "memcheck", "a fill of memory after its release")
{
	int *a = zeroed<int>(COUNT);

	DEFECT_ONLY(OK(gpuFree(a));)
	OK(GPU(Memset)(a, 1, COUNT * sizeof(int)));
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(managed_freed, "memcheck", "a kernel stores to managed memory after its release")
{
	void *a = NULL;

	OK(GPU(MallocManaged)(&a, COUNT * sizeof(int), GPU(MemAttachGlobal)));
	DEFECT_ONLY(OK(gpuFree(a));)
	store<<<1, COUNT>>>((int *)a);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(pinned_freed, "memcheck", "a kernel stores to pinned memory after its release")
{
	int *a = pinned(COUNT);

	DEFECT_ONLY(OK(gpuFreeHost(a));)
	store<<<1, COUNT>>>(a);
	WAIT();
	RIGHT_ONLY(OK(gpuFreeHost(a));)
}

CASE(unregistered, "memcheck", "a kernel uses host memory after hipHostUnregister")
{
	int *a = pages(4096);
	void *device = NULL;

	OK(GPU(HostRegister)(a, 4096, GPU(HostRegisterMapped)));
	OK(GPU(HostGetDevicePointer)(&device, a, 0));
	DEFECT_ONLY(OK(GPU(HostUnregister)(a));)
	store<<<1, COUNT>>>((int *)device);
	WAIT();
	RIGHT_ONLY(OK(GPU(HostUnregister)(a));)
	free(a);
}

CASE(graph_freed, "memcheck", "a graph is launched after the release of memory that its kernel uses")
{
	gpuStream_t stream = new_stream();
	int *a = zeroed<int>(COUNT);
	gpuGraphExec_t exec;
	gpuGraph_t graph;

	WAIT();
	OK(GPU(StreamBeginCapture)(stream, GPU(StreamCaptureModeGlobal)));
	store<<<1, COUNT, 0, stream>>>(a);
	OK(GPU(StreamEndCapture)(stream, &graph));
	OK(GPU(GraphInstantiate)(&exec, graph, NULL, NULL, 0));
	DEFECT_ONLY(OK(gpuFree(a));)
	OK(GPU(GraphLaunch)(exec, stream));
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
	OK(GPU(GraphExecDestroy)(exec));
	OK(GPU(GraphDestroy)(graph));
	OK(GPU(StreamDestroy)(stream));
}

CASE(double_free, "memcheck", "device memory is released twice")
{
	int *a = zeroed<int>(COUNT);

	OK(gpuFree(a));
	DEFECT_ONLY(OK(gpuFree(a));)
}

CASE(double_free_pinned, "memcheck", "pinned memory is released twice")
{
	int *a = pinned(COUNT);

	OK(gpuFreeHost(a));
	DEFECT_ONLY(OK(gpuFreeHost(a));)
}

CASE(double_free_pool, "memcheck", "memory of a pool is given back twice")
{
	gpuStream_t stream = new_stream();
	void *a = NULL;

	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	store<<<1, COUNT, 0, stream>>>((int *)a);
	OK(GPU(FreeAsync)(a, stream));
	DEFECT_ONLY(OK(GPU(FreeAsync)(a, stream));)
	WAIT();
}

CASE(free_inner, "memcheck", "a pointer into an allocation is released")
{
	int *a = zeroed<int>(COUNT);

	OK(gpuFree(a + PICK(4, 0)));
	DEFECT_ONLY(OK(gpuFree(a));)
}

CASE(free_pinned_as_device, "memcheck", "pinned memory is released by hipFree")
{
	int *a = pinned(COUNT);

	DEFECT_ONLY(OK(gpuFree(a));)
	RIGHT_ONLY(OK(gpuFreeHost(a));)
}

CASE(free_device_as_pinned, "memcheck", "device memory is released by hipHostFree")
{
	int *a = zeroed<int>(COUNT);

	DEFECT_ONLY(OK(gpuFreeHost(a));)
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(free_host, "memcheck", "memory of malloc is released by hipFree")
{
	int *a = pages(4096);

	DEFECT_ONLY(OK(gpuFree(a));)
	free(a);
}

CASE(unregister_twice, "memcheck", "host memory is unregistered twice")
{
	int *a = pages(4096);

	OK(GPU(HostRegister)(a, 4096, GPU(HostRegisterMapped)));
	OK(GPU(HostUnregister)(a));
	DEFECT_ONLY(OK(GPU(HostUnregister)(a));)
	free(a);
}

__global__ void heap_past(int *to, int n)
{
	int *own = (int *)malloc(8 * sizeof(int));

	if (!own)
		return;
	for (int i = 0; i < n; i++)
		own[i] = i;
	to[threadIdx.x] = own[n - 1];
	free(own);
}

CASE(heap_past, "memcheck", "a kernel stores past memory of its own malloc")
{
	int *a = zeroed<int>(64);

	heap_past<<<1, 64>>>(a, PICK(12, 8));
	WAIT();
	finish(a, 64);
}

__global__ void heap_freed(int *to, int n)
{
	int *own = (int *)malloc(8 * sizeof(int));

	if (!own)
		return;
	own[n] = n;
	DEFECT_ONLY(free(own);)
	to[threadIdx.x] = ((volatile int *)own)[n];
	RIGHT_ONLY(free(own);)
}

CASE(heap_freed, "memcheck", "a kernel loads memory after its own free")
{
	int *a = zeroed<int>(64);

	heap_freed<<<1, 64>>>(a, 3);
	WAIT();
	finish(a, 64);
}

CASE(leak, "leakcheck", "device memory that is never released")
{
	int *a = zeroed<int>(COUNT);

	store<<<1, COUNT>>>(a);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(leak_in_loop, "leakcheck", "memory of each round, of which the last alone is released")
{
	int *a = NULL;

	for (int i = 0; i < 20; i++) {
		a = zeroed<int>(COUNT);
		store<<<1, COUNT>>>(a);
		WAIT();
		RIGHT_ONLY(OK(gpuFree(a));)
	}
	DEFECT_ONLY(OK(gpuFree(a));)
}

static int leave_early(int n)
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(n);

	if (n < COUNT) {
		RIGHT_ONLY(OK(gpuFree(a));)
		OK(gpuFree(b));
		return -1;
	}
	OK(gpuFree(a));
	OK(gpuFree(b));
	return 0;
}

CASE(leak_on_error, "leakcheck", "one of two allocations is not released where a function returns early")
{
	gpu_sink = leave_early(16);
}

CASE(leak_managed, "leakcheck", "managed memory that is never released")
{
	void *a = NULL;

	OK(GPU(MallocManaged)(&a, COUNT * sizeof(int), GPU(MemAttachGlobal)));
	store<<<1, COUNT>>>((int *)a);
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(leak_pinned, "leakcheck", "pinned memory that is never released")
{
	int *a = pinned(COUNT);

	store<<<1, COUNT>>>(a);
	WAIT();
	RIGHT_ONLY(OK(gpuFreeHost(a));)
}

CASE(leak_pool, "leakcheck", "memory of a pool that is never given back")
{
	gpuStream_t stream = new_stream();
	void *a = NULL;

	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	store<<<1, COUNT, 0, stream>>>((int *)a);
	RIGHT_ONLY(OK(GPU(FreeAsync)(a, stream));)
	WAIT();
}

CASE(leak_pitched, "leakcheck", "pitched memory that is never released")
{
	size_t pitch = 0;
	void *a = NULL;

	OK(GPU(MallocPitch)(&a, &pitch, 60, 16));
	OK(GPU(Memset2D)(a, pitch, 0, 60, 16));
	WAIT();
	RIGHT_ONLY(OK(gpuFree(a));)
}

CASE(leak_overwritten, "leakcheck", "a pointer is overwritten by that of another allocation")
{
	int *a = zeroed<int>(COUNT);

	RIGHT_ONLY(OK(gpuFree(a));)
	a = zeroed<int>(2 * COUNT);
	store<<<1, COUNT>>>(a);
	WAIT();
	OK(gpuFree(a));
}
