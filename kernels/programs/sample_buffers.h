/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every way to allocate memory that a kernel may use, by name: one row each.
 *
 * The granularity that results is that of analyzer/model/memory.def with HIP 5.2.3. A comment at
 * the end of a row marks its line, so that the headers of the samples can name the allocation site.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "sample.h"

#include <sys/mman.h>

/* The kinds of release of a block, which decide the side that may touch the block. */
enum release {
	HIP_FREE,        /* device memory: the host copies */
	HIP_FREE_SHARED, /* managed: both sides use the same pointer */
	HOST_FREE,       /* pinned: the device has an address of its own */
	UNREGISTER,      /* registered: the same, then free() */
	FREE,            /* the operating system's: both sides use the same pointer */
	UNMAP,
};

struct allocator {
	const char *name;
	void *(*allocate)(size_t bytes);
	enum release release;
};

static void *no_memory()
{
	fprintf(stderr, "no memory\n");
	exit(1);
}

/*
 * The body of an allocating row: `call` sets p, or gives it. A volatile p keeps the call from being
 * the last thing that its function does: the compiler would leave the function out of the stack.
 */
#define HIP(call)                  \
	[](size_t n) -> void * {   \
		void *p = nullptr; \
		CHECK(call);       \
		return p;          \
	}
#define SYSTEM(call)                        \
	[](size_t n) -> void * {            \
		void *volatile p = (call);  \
		return p ? p : no_memory(); \
	}
#define HOST(flags) hipHostMalloc(&p, n, (flags))

/* Gives advice on a whole block, as the second call of a row. */
static hipError_t advise(void *p, size_t bytes, hipMemoryAdvise advice)
{
	return hipMemAdvise(p, bytes, advice, 0);
}

static void *map_pages(size_t bytes)
{
	const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
	void *p = mmap(nullptr, bytes, access, kind, -1, 0); // @map_pages

	return p == MAP_FAILED ? no_memory() : p;
}

static void *coarse(void *p, size_t bytes)
{
	CHECK(advise(p, bytes, hipMemAdviseSetCoarseGrain));
	return p;
}

static void *coarse_and_back(void *p, size_t bytes)
{
	CHECK(advise(p, bytes, hipMemAdviseSetCoarseGrain));
	CHECK(advise(p, bytes, hipMemAdviseUnsetCoarseGrain));
	return p;
}

static void *managed(size_t bytes)
{
	void *p = nullptr;

	CHECK(hipMallocManaged(&p, bytes)); // @managed
	return p;
}

static void *pages(size_t bytes)
{
	void *volatile p = aligned_alloc(4096, bytes); // @pages

	return p ? p : no_memory();
}

static void *registered(size_t bytes, unsigned flags)
{
	void *p = aligned_alloc(4096, bytes);

	CHECK(hipHostRegister(p, bytes, flags)); // @registered
	return p;
}

// clang-format off
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations" /* still used by older programs */
static const allocator allocators[] = {
	{ "hip_malloc", HIP(hipMalloc(&p, n)), HIP_FREE },                                        // @hip_malloc
	{ "ext_default", HIP(hipExtMallocWithFlags(&p, n, hipDeviceMallocDefault)), HIP_FREE },   // @ext_default
	{ "ext_fine", HIP(hipExtMallocWithFlags(&p, n, hipDeviceMallocFinegrained)), HIP_FREE },  // @ext_fine
	{ "host_default", HIP(HOST(hipHostMallocDefault)), HOST_FREE },                           // @host_default
	{ "host_mapped", HIP(HOST(hipHostMallocMapped)), HOST_FREE },                             // @host_mapped
	{ "host_numa", HIP(HOST(hipHostMallocNumaUser)), HOST_FREE },                             // @host_numa
	{ "host_coherent", HIP(HOST(hipHostMallocCoherent)), HOST_FREE },                         // @host_coherent
	{ "host_portable_coherent", HIP(HOST(hipHostMallocPortable | hipHostMallocCoherent)), HOST_FREE }, // @host_portable_coherent
	{ "host_portable", HIP(HOST(hipHostMallocPortable)), HOST_FREE },                         // @host_portable
	{ "host_write_combined", HIP(HOST(hipHostMallocWriteCombined)), HOST_FREE },              // @host_write_combined
	{ "host_noncoherent", HIP(HOST(hipHostMallocNonCoherent)), HOST_FREE },                   // @host_noncoherent
	{ "host_mapped_noncoherent", HIP(HOST(hipHostMallocMapped | hipHostMallocNonCoherent)), HOST_FREE }, // @host_mapped_noncoherent
	{ "malloc_host", HIP(hipMallocHost(&p, n)), HOST_FREE },                                  // @malloc_host
	{ "mem_alloc_host", HIP(hipMemAllocHost(&p, n)), HOST_FREE },                             // @mem_alloc_host
	{ "host_alloc", HIP(hipHostAlloc(&p, n, 0)), HIP_FREE },                                  // @host_alloc
	{ "managed", managed, HIP_FREE_SHARED },
	{ "managed_coarse", [](size_t n) { return coarse(managed(n), n); }, HIP_FREE_SHARED },
	{ "managed_coarse_and_back", [](size_t n) { return coarse_and_back(managed(n), n); }, HIP_FREE_SHARED },
	{ "registered", [](size_t n) { return registered(n, hipHostRegisterDefault); }, UNREGISTER },
	{ "registered_coarse", [](size_t n) { return registered(n, hipExtHostRegisterCoarseGrained); }, UNREGISTER },
	{ "malloc", SYSTEM(malloc(n)), FREE },                                                    // @malloc
	{ "new", SYSTEM(operator new(n)), FREE },                                                 // @new
	{ "pages", pages, FREE },
	{ "pages_coarse", [](size_t n) { return coarse(pages(n), n); }, FREE },
	{ "mmap", map_pages, UNMAP },
	{ "mmap_coarse", [](size_t n) { return coarse(map_pages(n), n); }, UNMAP },
};
#pragma clang diagnostic pop
// clang-format on

/* Memory from one of the allocators, and its address on either side. */
struct buffer {
	const allocator *from;
	size_t bytes;
	void *host; /* nullptr for device memory */
	void *device;
};

/* Allocates and zeroes; ends the program when the name is unknown or the memory is not there. */
static buffer make_buffer(const char *name, size_t bytes)
{
	for (const allocator &a : allocators) {
		if (strcmp(a.name, name) != 0)
			continue;
		void *p = a.allocate(bytes);
		buffer b = { &a, bytes, p, p };

		if (a.release == HIP_FREE) {
			b.host = nullptr;
			CHECK(hipMemset(p, 0, bytes));
		} else {
			memset(p, 0, bytes);
		}
		if (a.release == HOST_FREE || a.release == UNREGISTER)
			CHECK(hipHostGetDevicePointer(&b.device, p, 0));
		return b;
	}
	fprintf(stderr, "%s: no such allocator\n", name);
	exit(2);
}

/* Returns the bytes at an offset as the host sees them after the device is done. */
template <class T> static T read_back(const buffer &b, size_t offset)
{
	T value;

	CHECK(hipDeviceSynchronize());
	if (b.host) {
		memcpy(&value, (const char *)b.host + offset, sizeof(value));
	} else {
		CHECK(hipMemcpy(&value, (const char *)b.device + offset, sizeof(value),
				hipMemcpyDeviceToHost));
	}
	return value;
}

static void free_buffer(const buffer &b)
{
	switch (b.from->release) {
	case HIP_FREE:
	case HIP_FREE_SHARED:
		CHECK(hipFree(b.device));
		break;
	case HOST_FREE:
		CHECK(hipHostFree(b.host));
		break;
	case UNREGISTER:
		CHECK(hipHostUnregister(b.host));
		free(b.host);
		break;
	case FREE:
		if (strcmp(b.from->name, "new") == 0)
			operator delete(b.host);
		else
			free(b.host);
		break;
	case UNMAP:
		munmap(b.host, b.bytes);
		break;
	}
}

#endif
