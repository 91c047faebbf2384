/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls what HIP 7.2 to 10.1 added, over the runtime in name only (runtime.c). Prints "EVENT
 * FIELDS" lines, each of which must be in the trace as often as it is printed. usage: program
 * MODULE
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/api.h"

struct location {
	int type, id;
};
struct dim {
	uint32_t x, y, z;
};
/* hipLaunchConfig_t, HIP_LAUNCH_CONFIG */
struct config {
	struct dim grid, block;
	size_t shared;
	void *stream, *attributes;
	unsigned attribute_count;
};
struct driver_config {
	struct dim grid, block;
	unsigned shared;
	void *stream, *attributes;
	unsigned attribute_count;
};
/* hipLaunchAttribute: hipLaunchAttributeCooperative is 2 */
struct attribute {
	int id;
	char pad[4];
	union {
		char all[64];
		int cooperative;
	} value;
};
/* hipMemAllocNodeParams */
struct alloc_params {
	int type, handle_types;
	struct location location;
	char rest[72];
	const void *access;
	size_t access_count, size;
	void *ptr;
};

int hipModuleLoad(void **module, const char *path);
int hipModuleEnumerateFunctions(void **functions, unsigned room, void *module);
int hipLibraryLoadFromFile(void **library, const char *path, void *options, void **values,
			   unsigned count, void *more_options, void **more_values,
			   unsigned more_count);
int hipLibraryEnumerateKernels(void **kernels, unsigned room, void *library);
int hipLaunchKernelExC(const struct config *config, const void *function, void **args);
int hipDrvLaunchKernelEx(const struct driver_config *config, void *function, void **args,
			 void **extra);
int hipGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
			   void *status);
int hipGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
		      void *status);
int hipMemAdvise(const void *ptr, size_t size, int advice, int device);
int hipMemAdvise_v2(const void *ptr, size_t size, int advice, struct location location);
int hipMemPrefetchAsync_v2(const void *ptr, size_t size, struct location location, unsigned flags,
			   void *stream);
typedef int batch(void **ptrs, size_t *sizes, size_t count, struct location *locations,
		  size_t *indices, size_t location_count, unsigned long long flags, void *stream);
batch hipMemPrefetchBatchAsync, hipMemDiscardAndPrefetchBatchAsync,
    hipDrvMemDiscardAndPrefetchBatchAsync;
typedef int discard(void **ptrs, size_t *sizes, size_t count, unsigned long long flags,
		    void *stream);
discard hipMemDiscardBatchAsync, hipDrvMemDiscardBatchAsync;
int hipGraphCreate(void **graph, unsigned flags);
int hipGraphAddMemAllocNode(void **node, void *graph, const void *dependencies, size_t count,
			    struct alloc_params *params);
int hipGraphAddMemFreeNode(void **node, void *graph, const void *dependencies, size_t count,
			   void *ptr);
int hipGraphInstantiateWithFlags(void **instance, void *graph, unsigned long long flags);
int hipGraphLaunch(void *instance, void *stream);
int hipStreamBeginCaptureToGraph(void *stream, void *graph, const void *dependencies,
				 const void *data, size_t count, int mode);
int hipStreamEndCapture(void *stream, void **graph);
struct properties {
	int type, handle_type;
	struct location location;
	char rest[32];
};
struct access {
	struct location location;
	int access;
};
int hipMemCreate(void **handle, size_t size, const struct properties *properties,
		 unsigned long long flags);
int hipMemMap(void *ptr, size_t size, size_t offset, void *handle, unsigned long long flags);
int hipMemSetAccess(void *ptr, size_t size, const struct access *access, size_t count);
int hipMallocAsync(void **ptr, size_t size, void *stream);
int hipFreeAsync(void *ptr, void *stream);

enum { DEVICE = 1, HOST, HOST_NODE, CALLERS_NODE };

#define HEX(x) ((unsigned long long)(uintptr_t)(x))

static char memory[4][4096];
static void *stream = (void *)0x1230;
static int callers_node = -1;

/* From here on the thread stays on one processor, and so on one node. */
static void stay(void)
{
	unsigned cpu = 0, node = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (syscall(SYS_getcpu, &cpu, &node, NULL))
		return;
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (!syscall(SYS_getcpu, &cpu, &node, NULL))
		callers_node = (int)node;
}

/* ---- where memory is to be ---- */

static const struct location locations[] = {
	{ DEVICE, 1 }, { HOST, 0 }, { HOST_NODE, 3 }, { CALLERS_NODE, 0 }
};

static int target_of(struct location location)
{
	return location.type == DEVICE ? location.id : -1;
}

static int node_of(struct location location)
{
	return location.type == HOST_NODE      ? location.id
	       : location.type == CALLERS_NODE ? callers_node
					       : -1;
}

static void expect_prefetch(unsigned api, const void *ptr, size_t size, struct location location)
{
	printf("prefetch api = %u, ptr = 0x%llX, size = %zu, target = %d, stream = 0x%llX, "
	       "location = %d, node = %d\n",
	       api, HEX(ptr), size, target_of(location), HEX(stream), location.type,
	       node_of(location));
}

static int each_location(void)
{
	int bad = 0;

	for (int i = 0; i < 4; i++) {
		bad |= hipMemPrefetchAsync_v2(memory[i], 100 + (size_t)i, locations[i], 0, stream);
		expect_prefetch(HG_API_hipMemPrefetchAsync_v2, memory[i], 100 + (size_t)i,
				locations[i]);
		bad |= hipMemAdvise_v2(memory[i], 200 + (size_t)i, 3, locations[i]);
		printf("advise api = %u, ptr = 0x%llX, size = %d, advice = 3, target = %d, "
		       "location = %d, node = %d\n",
		       HG_API_hipMemAdvise_v2, HEX(memory[i]), 200 + i, target_of(locations[i]),
		       locations[i].type, node_of(locations[i]));
	}
	bad |= hipMemAdvise(memory[0], 4096, 5, 1);
	printf("advise api = %u, ptr = 0x%llX, size = 4096, advice = 5, target = 1, location = 0, "
	       "node = -1\n",
	       HG_API_hipMemAdvise, HEX(memory[0]));
	return bad;
}

/* Of three locations the second is for two ranges. */
static int batches(void)
{
	static const struct {
		batch *call;
		unsigned api;
	} calls[] = {
		{ hipMemPrefetchBatchAsync, HG_API_hipMemPrefetchBatchAsync },
		{ hipMemDiscardAndPrefetchBatchAsync, HG_API_hipMemDiscardAndPrefetchBatchAsync },
		{ hipDrvMemDiscardAndPrefetchBatchAsync,
		  HG_API_hipDrvMemDiscardAndPrefetchBatchAsync },
	};
	static const struct {
		discard *call;
		unsigned api;
	} discards[] = {
		{ hipMemDiscardBatchAsync, HG_API_hipMemDiscardBatchAsync },
		{ hipDrvMemDiscardBatchAsync, HG_API_hipDrvMemDiscardBatchAsync },
	};
	void *ptrs[] = { memory[0], memory[1], memory[2], memory[3] };
	size_t sizes[] = { 64, 128, 192, 256 }, indices[] = { 0, 1, 3 };
	struct location where[] = { { DEVICE, 0 }, { HOST_NODE, 1 }, { DEVICE, 1 } };
	int bad = 0;

	for (int i = 0; i < 3; i++) {
		bad |= calls[i].call(ptrs, sizes, 4, where, indices, 3, 0, stream);
		for (int j = 0; j < 4; j++)
			expect_prefetch(calls[i].api, ptrs[j], sizes[j],
					where[j < 1   ? 0
					      : j < 3 ? 1
						      : 2]);
	}
	for (int i = 0; i < 2; i++) {
		bad |= discards[i].call(ptrs, sizes, 4, 0, stream);
		for (int j = 0; j < 4; j++)
			printf("call api = %u, ptr = 0x%llX, size = %zu, stream = 0x%llX\n",
			       discards[i].api, HEX(ptrs[j]), sizes[j], HEX(stream));
	}
	return bad;
}

/* Physical memory of a device, and of a NUMA node; the second as hipMemAllocationTypeUncached. */
static int physical(void)
{
	static const struct {
		int type;
		struct location location;
		unsigned long long flags;
	} cases[] = { { 1, { DEVICE, 1 }, 0x100000101 },
		      { 0x40000000, { DEVICE, 0 }, 0x201 },
		      { 1, { HOST_NODE, 2 }, 0x200000103 } };
	int bad = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct properties properties = { .type = cases[i].type,
						 .location = cases[i].location };
		struct access access = { cases[i].location, 3 };
		void *handle;

		bad |= hipMemCreate(&handle, 4096, &properties, 0);
		bad |= hipMemMap(memory[i], 4096, 0, handle, 0);
		printf("alloc api = %u, ptr = 0x%llX, size = 4096, flags = 0x%llX\n",
		       HG_API_hipMemMap, HEX(memory[i]), cases[i].flags);
		bad |= hipMemSetAccess(memory[i], 4096, &access, 1);
		printf("call api = %u, ptr = 0x%llX, size = 4096, flags = 3, value = %llu\n",
		       HG_API_hipMemSetAccess, HEX(memory[i]),
		       (unsigned long long)access.location.type << 32 |
			   (unsigned)access.location.id);
	}
	return bad;
}

/* ---- launches ---- */

static void expect_launch(unsigned api, struct dim grid, struct dim block, unsigned shared,
			  float *to, float value)
{
	unsigned char bytes[12];

	printf(
	    "launch api = %u, grid_x = %u, grid_y = %u, grid_z = %u, block_x = %u, block_y = %u, "
	    "block_z = %u, shared = %u, stream = 0x%llX\n",
	    api, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, HEX(stream));
	memcpy(bytes, &to, 8);
	memcpy(bytes + 8, &value, 4);
	printf("args bytes = [ ");
	for (int i = 0; i < 12; i++)
		printf("%s[%d] = %u", i ? ", " : "", i, bytes[i]);
	printf(" ]\n");
}

static int launches(void *function, void *kernel)
{
	struct attribute attribute = { .id = 2, .value.cooperative = 1 };
	struct config config = { { 2, 3, 4 }, { 64, 2, 1 }, 32, stream, &attribute, 1 };
	struct driver_config driver = { { 5, 6, 7 }, { 32, 1, 2 }, 16, stream, &attribute, 1 };
	typedef int launch(const struct config *, const void *, void **);
	launch *by_entry = NULL, *by_address = NULL;
	float *to = (float *)memory[0], value = 1;
	void *args[] = { &to, &value };
	int bad;

	bad = hipLaunchKernelExC(&config, kernel, args);
	expect_launch(HG_API_hipLaunchKernelExC, config.grid, config.block, 32, to, value);
	value = 2;
	bad |= hipDrvLaunchKernelEx(&driver, function, args, NULL);
	expect_launch(HG_API_hipDrvLaunchKernelEx, driver.grid, driver.block, 16, to, value);
	/* Functions that are obtained by their names. */
	bad |= hipGetDriverEntryPoint("hipLaunchKernelExC", (void **)&by_entry, 0, NULL);
	bad |= hipGetProcAddress("hipLaunchKernelExC", (void **)&by_address, 70200000, 0, NULL);
	value = 3;
	config.grid.x = 9;
	bad |= by_entry(&config, kernel, args);
	expect_launch(HG_API_hipLaunchKernelExC, config.grid, config.block, 32, to, value);
	value = 4;
	config.grid.x = 10;
	bad |= by_address(&config, kernel, args);
	expect_launch(HG_API_hipLaunchKernelExC, config.grid, config.block, 32, to, value);
	return bad;
}

/* ---- graphs ---- */

static void expect_memory(const char *event, const void *ptr, size_t size)
{
	if (*event == 'a')
		printf("alloc api = %u, ptr = 0x%llX, size = %zu, device = 0, stream = 0x%llX\n",
		       HG_API_hipGraphAddMemAllocNode, HEX(ptr), size, HEX(stream));
	else
		printf("free api = %u, ptr = 0x%llX, stream = 0x%llX\n",
		       HG_API_hipGraphAddMemFreeNode, HEX(ptr), HEX(stream));
}

/*
 * Memory nodes that were added and captured: allocations of each launch. The first is released by
 * the graph; the second, which is captured, by nobody until the next launch; the third, which is
 * captured and released there, is both. Before a launch there is none of them.
 */
static int graph(void)
{
	struct alloc_params params = { .type = 1, .location = { DEVICE, 0 }, .size = 300 };
	void *graph, *same, *node, *instance, *kept, *scratch;
	int bad = hipGraphCreate(&graph, 0);

	bad |= hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params);
	bad |= hipGraphAddMemFreeNode(&node, graph, &node, 1, params.ptr);
	bad |= hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, 0);
	bad |= hipMallocAsync(&kept, 400, stream);
	bad |= hipMallocAsync(&scratch, 500, stream);
	bad |= hipFreeAsync(scratch, stream);
	bad |= hipStreamEndCapture(stream, &same);
	bad |= hipGraphInstantiateWithFlags(&instance, graph, 1);
	for (int i = 0; i < 2; i++) {
		bad |= hipGraphLaunch(instance, stream);
		expect_memory("alloc", params.ptr, 300);
		expect_memory("free", params.ptr, 300);
		expect_memory("alloc", kept, 400);
		expect_memory("alloc", scratch, 500);
		expect_memory("free", scratch, 500);
		printf("call api = %u, flags = 0, value = 5\n", HG_API_hipGraphLaunch);
	}
	expect_memory("free", kept, 400); /* by the second launch */
	return bad;
}

int main(int argc, char **argv)
{
	void *module, *library, *functions[4] = { NULL }, *kernels[4] = { NULL };
	int bad;

	if (argc < 2)
		return 2;
	stay();
	bad = hipModuleLoad(&module, argv[1]);
	bad |= hipModuleEnumerateFunctions(functions, 4, module);
	bad |= hipLibraryLoadFromFile(&library, argv[1], NULL, NULL, 0, NULL, NULL, 0);
	bad |= hipLibraryEnumerateKernels(kernels, 4, library);
	printf("kernel handle = 0x%llX, symbol = \"fill\"\n", HEX(functions[0]));
	printf("kernel handle = 0x%llX, symbol = \"fill\"\n", HEX(kernels[0]));
	bad |= each_location() | batches() | launches(functions[0], kernels[0]) | graph();
	bad |= physical();
	printf("done\n");
	return bad;
}
