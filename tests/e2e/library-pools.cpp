// SPDX-License-Identifier: Apache-2.0
/*
 * Takes pieces from pools that tell of them as those of Umpire and PyTorch do, and uses them
 * wrongly. Prints what the libraries return.
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "pools/pools.h"

extern "C" int hipMalloc(void **ptr, std::size_t size);
extern "C" int hipMemset(void *ptr, int value, std::size_t size);

using umpire::strategy::AllocationStrategy;

static umpire::strategy::mixins::Inspector inspector;

static void give_back(char *ptr, AllocationStrategy *strategy)
{
	try {
		umpire::AllocationRecord record = inspector.deregisterAllocation(ptr, strategy);

		std::printf("back %zu \"%s\"\n", record.size, record.name.c_str());
	} catch (const std::exception &error) {
		std::printf("%s\n", error.what());
	}
}

/* The resource allocates, and the pool gives out pieces of that. */
static void of_umpire()
{
	AllocationStrategy device("DEVICE", nullptr), pool("fields \033[31m", &device),
	    other("other", &device);
	void *block = nullptr;
	char *piece;

	hipMalloc(&block, 65536);
	piece = static_cast<char *>(block) + 8192;
	inspector.registerAllocation(block, 65536, &device, "all fields");
	inspector.registerAllocation(piece, 4096, &pool, "energy");
	inspector.registerAllocation(piece + 4096, 4096, &pool);
	hipMemset(piece, 0, 5000); /* past the end of energy */
	give_back(piece + 4096, &other);
	hipMemset(piece + 4096, 0, 4096); /* of other, which does not have it */
	give_back(piece, &pool);
	hipMemset(piece, 0, 2048); /* after it was given back */
	give_back(static_cast<char *>(block), &device);
}

/* Small blocks of the host are not recorded. */
static void on_host()
{
	AllocationStrategy host("HOST", nullptr), pool("small", &host);

	for (unsigned i = 0; i < 100; i++) {
		char *piece = static_cast<char *>(std::malloc(16));

		inspector.registerAllocation(piece, 16, &pool, "on the host");
		(void)inspector.deregisterAllocation(piece, &pool);
		std::free(piece);
	}
}

static void of_torch()
{
	void *block = nullptr;
	char *piece;

	hipMalloc(&block, 65536);
	piece = static_cast<char *>(block);
	c10::reportMemoryUsageToProfiler(piece, 4096, 4096, 65536, { 1, 0 });
	c10::reportMemoryUsageToProfiler(piece + 4096, 4096, 8192, 65536, { 1, 0 });
	c10::reportMemoryUsageToProfiler(piece + 8192, 4096, 4096, 0, { 0, -1 });
	c10::reportMemoryUsageToProfiler(piece, -4096, 4096, 65536, { 1, 3 });
	std::printf("seen %ld\n", pools_seen());
	hipMemset(piece, 0, 4096); /* the stream that it belongs to may */
}

int main()
{
	of_umpire();
	on_host();
	of_torch();
	return 0;
}
