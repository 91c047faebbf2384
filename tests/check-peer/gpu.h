/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of this folder are written in: names that are HIP's for hipcc and CUDA's for
 * nvcc, cases, and main(). Each program is one source. Compiled with -DDEFECT its cases are
 * defective, without it they are the corrected twins.
 *
 * usage: PROGRAM --list | CASE
 */
#ifndef HIPGRAIN_TESTS_CHECK_PEER_GPU_H
#define HIPGRAIN_TESTS_CHECK_PEER_GPU_H

#ifdef __HIP__
#include <hip/hip_runtime.h>
#define GPU(name)                  hip##name
#define gpuHostAlloc(memory, size) hipHostMalloc((memory), (size), 0)
#define gpuFreeHost                hipHostFree
/* Adds atomically as the other work-items of the group see it. */
#define ADD_IN_GROUP(to, value) \
	__hip_atomic_fetch_add((to), (value), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)
#define WAVE_BARRIER()       __builtin_amdgcn_wave_barrier()
#define SHUFFLE(value, lane) __shfl((value), (lane))
#define RESET()              /* The runtime releases everything at the end of the process. */
#else
#include <cuda_runtime.h>
#define GPU(name)                  cuda##name
#define gpuHostAlloc(memory, size) cudaHostAlloc((memory), (size), 0)
#define gpuFreeHost                cudaFreeHost
#define ADD_IN_GROUP(to, value)    atomicAdd_block((to), (value))
#define WAVE_BARRIER()             __syncwarp()
#define SHUFFLE(value, lane)       __shfl_sync(0xffffffff, (value), (lane))
#define RESET()                    cudaDeviceReset() /* compute-sanitizer looks for leaks there */
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define gpuError_t     GPU(Error_t)
#define gpuSuccess     GPU(Success)
#define gpuStream_t    GPU(Stream_t)
#define gpuEvent_t     GPU(Event_t)
#define gpuGraph_t     GPU(Graph_t)
#define gpuGraphExec_t GPU(GraphExec_t)
#define gpuMalloc      GPU(Malloc)
#define gpuFree        GPU(Free)

/* An expression of both, and statements that only one of them has. */
#ifdef DEFECT
#define PICK(defective, right) (defective)
#define RIGHT_ONLY(...)
#define DEFECT_ONLY(...) __VA_ARGS__
#else
#define PICK(defective, right) (right)
#define RIGHT_ONLY(...)        __VA_ARGS__
#define DEFECT_ONLY(...)
#endif

struct gpu_case {
	const char *name;
	const char *tool; /* of hipgrain check, which is to find the defect */
	const char *text;
	void (*run)(void);
};

static struct gpu_case gpu_cases[64];
static unsigned gpu_ncases;
static int gpu_failed;
static volatile long gpu_sink; /* results go here, so that they are used */

struct gpu_case_entry {
	gpu_case_entry(const char *name, const char *tool, const char *text, void (*run)(void))
	{
		if (gpu_ncases == sizeof(gpu_cases) / sizeof(gpu_cases[0]))
			abort();
		gpu_cases[gpu_ncases++] = { name, tool, text, run };
	}
};

/* The text says what is wrong with -DDEFECT. */
#define CASE(name, tool, text)                                             \
	static void run_##name(void);                                      \
	static gpu_case_entry entry_##name(#name, tool, text, run_##name); \
	static void run_##name(void)

/* Prints that the call failed; a twin then ends with an exit status other than 0. */
static inline void gpu_check(gpuError_t status, const char *call, const char *file, int line)
{
	if (status == gpuSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, GPU(GetErrorString)(status));
	gpu_failed = 1;
}
#define OK(call) gpu_check((call), #call, __FILE__, __LINE__)

/* Waits for the work of all streams. */
#define WAIT()                                \
	do {                                  \
		OK(GPU(GetLastError)());      \
		OK(GPU(DeviceSynchronize)()); \
	} while (0)

/* Returns device memory into which nothing is written. */
template <typename T> static inline T *unwritten(size_t count)
{
	void *memory = NULL;

	OK(gpuMalloc(&memory, count * sizeof(T)));
	return (T *)memory;
}

/* Returns device memory whose bytes are 0. */
template <typename T> static inline T *zeroed(size_t count)
{
	T *memory = unwritten<T>(count);

	OK(GPU(Memset)(memory, 0, count * sizeof(T)));
	return memory;
}

/* Returns pinned memory whose bytes are 0. */
static inline int *pinned(size_t count)
{
	void *memory = NULL;

	OK(gpuHostAlloc(&memory, count * sizeof(int)));
	if (memory)
		memset(memory, 0, count * sizeof(int));
	return (int *)memory;
}

/* Returns host memory on pages of its own, whose bytes are 0. */
static inline int *pages(size_t bytes)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (!memory)
		abort();
	memset(memory, 0, bytes);
	return (int *)memory;
}

/* Fetches the results, uses them, and releases the device memory. */
template <typename T> static inline void finish(T *memory, size_t count)
{
	T *host = (T *)calloc(count, sizeof(T));
	long sum = 0;

	if (!host)
		abort();
	OK(GPU(Memcpy)(host, memory, count * sizeof(T), GPU(MemcpyDeviceToHost)));
	for (size_t i = 0; i < count * sizeof(T); i++)
		sum += ((unsigned char *)host)[i];
	gpu_sink = sum;
	free(host);
	OK(gpuFree(memory));
}

/* Streams that gave memory back to a pool are not destroyed: hipStreamDestroy() of HIP 5.2.3 does
 * not return for them. */
static inline gpuStream_t new_stream(void)
{
	gpuStream_t stream = 0;

	OK(GPU(StreamCreateWithFlags)(&stream, GPU(StreamNonBlocking)));
	return stream;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (unsigned i = 0; i < gpu_ncases; i++) {
		if (!strcmp(argv[1], "--list"))
			printf("%s\t%s\t%s\n", gpu_cases[i].name, gpu_cases[i].tool,
			       gpu_cases[i].text);
		if (strcmp(argv[1], gpu_cases[i].name) != 0)
			continue;
		gpu_cases[i].run();
		RESET();
		return gpu_failed;
	}
	return !strcmp(argv[1], "--list") ? 0 : 2;
}

#endif
