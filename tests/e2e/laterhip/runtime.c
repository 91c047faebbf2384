/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A HIP runtime in name only that has functions of HIP 7.2 to 10.1: it runs nothing, and keeps as
 * much as the preload library queries: modules with the one kernel "fill", one graph, one captured
 * stream. Parameters as in hip_runtime_api.h of HIP 7.2 and rocm-systems.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARCH_OFFSET 396 /* hipDeviceProp_t of HIP 5: docs/memory-model.md#types-and-attributes */

#define ANSWERS(name, params, ...) \
	int name params;           \
	int name params            \
	{                          \
		__VA_ARGS__;       \
		return 0;          \
	}

ANSWERS(hipGetDeviceProperties, (char *properties, int device), (void)device;
	strcpy(properties, "nothing"); strcpy(properties + ARCH_OFFSET, "gfx90a:sramecc+:xnack-"))
ANSWERS(hipGetDeviceCount, (int *count), *count = 2)
ANSWERS(hipGetDevice, (int *device), *device = 0)
ANSWERS(hipStreamGetDevice, (void *of, int *device), (void)of; *device = 0)
ANSWERS(hipRuntimeGetVersion, (int *version), *version = 71400000)
ANSWERS(hipDriverGetVersion, (int *version), *version = 71400000)
ANSWERS(hipPeekAtLastError, (void), )
ANSWERS(hipGetLastError, (void), )
ANSWERS(hipDeviceGetAttribute, (int *value, int attribute, int device), (void)attribute;
	(void)device; *value = 0)
ANSWERS(hipDeviceTotalMem, (size_t * size, int device), (void)device; *size = 1 << 30)

/* ---- modules: a handle is any address; the first of a list is named, the others are left ---- */

static char handles[8];

ANSWERS(hipModuleLoad, (void **module, const char *path), (void)path; *module = &handles[0])
ANSWERS(hipModuleGetFunctionCount, (unsigned *count, void *module), (void)module; *count = 1)
ANSWERS(hipModuleEnumerateFunctions, (void **functions, unsigned room, void *module), (void)room;
	(void)module; functions[0] = &handles[1])
ANSWERS(hipLibraryLoadFromFile,
	(void **library, const char *path, void *options, void **values, unsigned count,
	 void *more_options, void **more_values, unsigned more_count),
	(void)path;
	(void)options; (void)values; (void)count; (void)more_options; (void)more_values;
	(void)more_count; *library = &handles[2])
ANSWERS(hipLibraryGetKernelCount, (unsigned *count, void *library), (void)library; *count = 1)
ANSWERS(hipLibraryEnumerateKernels, (void **kernels, unsigned room, void *library), (void)room;
	(void)library; kernels[0] = &handles[3])
ANSWERS(hipKernelGetName, (const char **name, void *kernel), (void)kernel; *name = "fill")
const char *hipKernelNameRef(void *function);
const char *hipKernelNameRef(void *function)
{
	return function == &handles[1] ? "fill" : NULL;
}

ANSWERS(hipLaunchKernelExC, (const void *config, const void *function, void **args), (void)config;
	(void)function; (void)args)
ANSWERS(hipDrvLaunchKernelEx, (const void *config, void *function, void **args, void **extra),
	(void)config;
	(void)function; (void)args; (void)extra)

ANSWERS(hipGetDriverEntryPoint,
	(const char *symbol, void **function, unsigned long long flags, void *status), (void)flags;
	(void)status; *function = dlsym(RTLD_DEFAULT, symbol))
ANSWERS(hipGetProcAddress,
	(const char *symbol, void **function, int version, uint64_t flags, void *status),
	(void)version;
	(void)flags; (void)status; *function = dlsym(RTLD_DEFAULT, symbol))

/* ---- where memory is to be: nothing moves ---- */

struct location {
	int type, id;
};

ANSWERS(hipMemAdvise, (const void *ptr, size_t size, int advice, int device), (void)ptr; (void)size;
	(void)advice; (void)device)
ANSWERS(hipMemAdvise_v2, (const void *ptr, size_t size, int advice, struct location location),
	(void)ptr;
	(void)size; (void)advice; (void)location)
ANSWERS(hipMemPrefetchAsync_v2,
	(const void *ptr, size_t size, struct location location, unsigned flags, void *stream),
	(void)ptr;
	(void)size; (void)location; (void)flags; (void)stream)
#define BATCH                                                                                   \
	(void **ptrs, size_t *sizes, size_t count, struct location *locations, size_t *indices, \
	 size_t location_count, unsigned long long flags, void *stream),                        \
	    (void)ptrs;                                                                         \
	(void)sizes;                                                                            \
	(void)count;                                                                            \
	(void)locations;                                                                        \
	(void)indices;                                                                          \
	(void)location_count;                                                                   \
	(void)flags;                                                                            \
	(void)stream
#define ANSWERS_(name, ...) ANSWERS(name, __VA_ARGS__)
ANSWERS_(hipMemPrefetchBatchAsync, BATCH)
ANSWERS_(hipMemDiscardAndPrefetchBatchAsync, BATCH)
ANSWERS_(hipDrvMemDiscardAndPrefetchBatchAsync, BATCH)
#define DISCARD                                                                             \
	(void **ptrs, size_t *sizes, size_t count, unsigned long long flags, void *stream), \
	    (void)ptrs;                                                                     \
	(void)sizes;                                                                        \
	(void)count;                                                                        \
	(void)flags;                                                                        \
	(void)stream
ANSWERS_(hipMemDiscardBatchAsync, DISCARD)
ANSWERS_(hipDrvMemDiscardBatchAsync, DISCARD)

/* ---- one graph, whose memory nodes allocate from `heap`, and one stream that may be captured ----
 */

/* hipMemAllocNodeParams */
struct alloc_params {
	int type, handle_types;
	struct location location;
	char rest[72];
	const void *access;
	size_t access_count, size;
	void *ptr;
};

enum { EMPTY = 5, MEMORY_ALLOC = 10, MEMORY_FREE = 11 }; /* hipGraphNodeType */

struct node {
	int type;
	struct alloc_params params;
};

static char heap[1 << 16] __attribute__((aligned(4096)));
static size_t heap_used;
static struct node nodes[8], *last;
static size_t node_count;
static int capturing, counting;
static char empty_graph;

static void *add(int type)
{
	nodes[node_count].type = type;
	last = &nodes[node_count];
	return &nodes[node_count++];
}

static void *take(size_t size)
{
	heap_used += 4096;
	(void)size;
	return heap + heap_used - 4096;
}

/* ---- memory of no kind in particular, that nothing copies or fills ---- */

ANSWERS(hipMallocManaged, (void **ptr, size_t size, unsigned flags), (void)flags; *ptr = take(size))
ANSWERS(hipMemcpyAsync, (void *dst, const void *src, size_t size, int kind, void *stream),
	(void)dst;
	(void)src; (void)size; (void)kind; (void)stream)
ANSWERS(hipMemsetAsync, (void *dst, int value, size_t size, void *stream), (void)dst; (void)value;
	(void)size; (void)stream)
ANSWERS(hipStreamSynchronize, (void *stream), (void)stream)
ANSWERS(hipFree, (void *ptr), (void)ptr)

/* The preload library queries a graph of its own for the number of the type "empty". */
ANSWERS(hipGraphCreate, (void **graph, unsigned flags), (void)flags;
	*graph = counting++ ? (void *)&empty_graph : (void *)nodes)
ANSWERS(hipGraphDestroy, (void *graph), (void)graph)
ANSWERS(hipGraphAddEmptyNode, (void **node, void *graph, const void *dependencies, size_t count),
	(void)graph;
	(void)dependencies; (void)count; static struct node empty = { .type = EMPTY };
	*node = &empty)
ANSWERS(hipGraphNodeGetType, (struct node * node, int *type), *type = node->type)
ANSWERS(hipGraphGetNodes, (void *graph, void **list, size_t *count), (void)graph;
	for (size_t i = 0; list && i < node_count; i++) list[i] = &nodes[i]; *count = node_count)
ANSWERS(hipGraphKernelNodeGetParams, (void *node, void *params), (void)node; (void)params)
ANSWERS(hipGraphChildGraphNodeGetGraph, (void *node, void **graph), (void)node; (void)graph)
ANSWERS(hipGraphAddMemAllocNode,
	(void **node, void *graph, const void *dependencies, size_t count,
	 struct alloc_params *params),
	(void)graph;
	(void)dependencies; (void)count; *node = add(MEMORY_ALLOC);
	params->ptr = take(params->size); last->params = *params)
ANSWERS(hipGraphAddMemFreeNode,
	(void **node, void *graph, const void *dependencies, size_t count, void *ptr), (void)graph;
	(void)dependencies; (void)count; *node = add(MEMORY_FREE); last->params.ptr = ptr)
ANSWERS(hipGraphMemAllocNodeGetParams, (struct node * node, struct alloc_params *params),
	*params = node->params)
ANSWERS(hipGraphMemFreeNodeGetParams, (struct node * node, void *ptr),
	memcpy(ptr, &node->params.ptr, sizeof(void *)))
ANSWERS(hipGraphInstantiateWithFlags, (void **instance, void *graph, unsigned long long flags),
	(void)graph;
	(void)flags; *instance = &handles[4])
ANSWERS(hipGraphLaunch, (void *instance, void *stream), (void)instance; (void)stream)

ANSWERS(hipStreamBeginCaptureToGraph,
	(void *stream, void *graph, const void *dependencies, const void *data, size_t count,
	 int mode),
	(void)stream;
	(void)graph; (void)dependencies; (void)data; (void)count; (void)mode; capturing = 1)
ANSWERS(hipStreamEndCapture, (void *stream, void **graph), (void)stream; capturing = 0;
	*graph = nodes)
ANSWERS(hipStreamIsCapturing, (void *stream, int *status), (void)stream; *status = capturing)
ANSWERS(hipStreamGetCaptureInfo_v2,
	(void *stream, int *status, unsigned long long *id, void **graph, void ***dependencies,
	 size_t *count),
	(void)stream;
	*status = capturing; *id = 1; *graph = nodes; *dependencies = (void **)&last; *count = 1)
ANSWERS(
    hipMallocAsync, (void **ptr, size_t size, void *stream), (void)stream; *ptr = take(size);
    if (capturing) {
	    add(MEMORY_ALLOC);
	    last->params.location = (struct location){ 1, 0 };
	    last->params.size = size;
	    last->params.ptr = *ptr;
    })
ANSWERS(
    hipFreeAsync, (void *ptr, void *stream), (void)stream; if (capturing) {
	    add(MEMORY_FREE);
	    last->params.ptr = ptr;
    })

/* ---- physical memory: a handle is the properties that it was made with ---- */

struct properties {
	int type, handle_type;
	struct location location;
	char rest[32];
};

ANSWERS(hipMemCreate,
	(void **handle, size_t size, const struct properties *properties, unsigned long long flags),
	(void)size;
	(void)flags; static struct properties made[4]; static unsigned count;
	made[count] = *properties; *handle = &made[count++])
ANSWERS(hipMemGetAllocationPropertiesFromHandle,
	(struct properties * properties, const struct properties *handle), *properties = *handle)
ANSWERS(hipMemMap, (void *ptr, size_t size, size_t offset, void *handle, unsigned long long flags),
	(void)ptr;
	(void)size; (void)offset; (void)handle; (void)flags)
ANSWERS(hipMemSetAccess, (void *ptr, size_t size, const void *access, size_t count), (void)ptr;
	(void)size; (void)access; (void)count)
