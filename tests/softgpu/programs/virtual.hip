// SPDX-License-Identifier: Apache-2.0
// Virtual memory: physical memory that is mapped, twice too, taken to another process, and pools that are shared.
#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// 5.2 and 5.7 have the functions, and map nothing: they call none of hsa_amd_vmem_*.
#define VIRTUAL (HIP_VERSION >= 60000000)

extern char **environ;

__global__ void fill_kernel(int *to, int from, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		to[i] = from + i;
}

static bool holds(const int *memory, int from, size_t n)
{
	std::vector<int> want(n), got(n);

	for (size_t i = 0; i < n; i++)
		want[i] = from + (int)i;
	HIP(hipMemcpy(got.data(), memory, n * sizeof(int), hipMemcpyDeviceToHost));
	return same(got, want);
}

#if VIRTUAL
static hipMemAllocationProp pinned(bool shared)
{
	hipMemAllocationProp properties = {};

	properties.type = hipMemAllocationTypePinned;
	properties.location.type = hipMemLocationTypeDevice;
	properties.location.id = 0;
	if (shared)
		properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
	return properties;
}

static void allow(void *memory, size_t size)
{
	hipMemAccessDesc access = {};

	access.location.type = hipMemLocationTypeDevice;
	access.location.id = 0;
	access.flags = hipMemAccessFlagsProtReadWrite;
	HIP(hipMemSetAccess(memory, size, &access, 1));
}

// This program once more, as another process: what it is to do, and the descriptors that it inherits.
static bool elsewhere(const char *what, const char *argument)
{
	char self[] = "/proc/self/exe";
	char *arguments[] = { self, (char *)"elsewhere", NULL };
	int status = 1;
	pid_t child;

	setenv("VIRTUAL_PART", what, 1);
	setenv("VIRTUAL_ARGUMENT", argument, 1);
	fflush(stdout);
	if (posix_spawn(&child, self, NULL, NULL, arguments, environ) || waitpid(child, &status, 0) != child)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What was mapped is one range; the same memory twice is the same memory; elsewhere it keeps what it held.
static bool mapping(void)
{
	hipMemAllocationProp properties = pinned(false);
	hipMemGenericAllocationHandle_t one, two;
	size_t size = 0, words;
	char *base, *again;

	HIP(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityMinimum));
	size = (1 << 20) / size * size ? (1 << 20) / size * size : size;
	words = 2 * size / sizeof(int);
	HIP(hipMemAddressReserve((void **)&base, 2 * size, 0, NULL, 0));
	HIP(hipMemAddressReserve((void **)&again, size, 0, NULL, 0));
	HIP(hipMemCreate(&one, size, &properties, 0));
	HIP(hipMemCreate(&two, size, &properties, 0));
	HIP(hipMemMap(base, size, 0, one, 0));
	HIP(hipMemMap(base + size, size, 0, two, 0));
	allow(base, 2 * size);
	fill_kernel<<<groups(words, 256), 256>>>((int *)base, 5, (int)words);
	FINISH();
	if (!holds((int *)base, 5, words))
		return false;
	HIP(hipMemMap(again, size, 0, two, 0));
	allow(again, size);
	if (!holds((int *)again, 5 + (int)words / 2, words / 2))
		return false;
	fill_kernel<<<groups(words / 2, 256), 256>>>((int *)again, 9, (int)words / 2);
	FINISH();
	if (!holds((int *)(base + size), 9, words / 2))
		return false;
	HIP(hipMemUnmap(base + size, size));
	HIP(hipMemUnmap(base, size));
	HIP(hipMemMap(base, size, 0, two, 0));
	allow(base, size);
	if (!holds((int *)base, 9, words / 2))
		return false;
	HIP(hipMemUnmap(base, size));
	HIP(hipMemUnmap(again, size));
	HIP(hipMemRelease(one));
	HIP(hipMemRelease(two));
	HIP(hipMemAddressFree(base, 2 * size));
	HIP(hipMemAddressFree(again, size));
	return true;
}

// hipMemGetInfo() follows physical memory: not what is reserved or mapped, and all that was released.
static bool free_memory(void)
{
	hipMemAllocationProp properties = pinned(false);
	hipMemGenericAllocationHandle_t handle;
	size_t before, reserved, created, mapped, after, total, size = 64 << 20;
	void *base;

	HIP(hipMemGetInfo(&before, &total));
	HIP(hipMemAddressReserve(&base, size, 0, NULL, 0));
	HIP(hipMemGetInfo(&reserved, &total));
	HIP(hipMemCreate(&handle, size, &properties, 0));
	HIP(hipMemGetInfo(&created, &total));
	HIP(hipMemMap(base, size, 0, handle, 0));
	allow(base, size);
	HIP(hipMemGetInfo(&mapped, &total));
	HIP(hipMemUnmap(base, size));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(base, size));
	HIP(hipMemGetInfo(&after, &total));
	printf("# free: %zu, reserved %zu, created %zu, mapped %zu, afterwards %zu of %zu\n", before, reserved,
	       created, mapped, after, total);
	return reserved == before && created == before - size && mapped == created && after == before &&
	       before <= total;
}

// Another process gets the descriptor, and writes what this one reads.
static bool exported(void)
{
	hipMemAllocationProp properties = pinned(true);
	hipMemGenericAllocationHandle_t handle;
	size_t size = 2 << 20;
	int descriptor = -1;
	char text[32];
	void *base;
	bool good;

	HIP(hipMemCreate(&handle, size, &properties, 0));
	HIP(hipMemExportToShareableHandle(&descriptor, handle, hipMemHandleTypePosixFileDescriptor, 0));
	HIP(hipMemAddressReserve(&base, size, 0, NULL, 0));
	HIP(hipMemMap(base, size, 0, handle, 0));
	allow(base, size);
	fill_kernel<<<groups(1000, 256), 256>>>((int *)base, 3, 1000);
	FINISH();
	snprintf(text, sizeof(text), "%d", fcntl(descriptor, F_DUPFD, 100)); // without FD_CLOEXEC
	good = elsewhere("import", text) && holds((int *)base, 70, 1000);
	HIP(hipMemUnmap(base, size));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(base, size));
	close(descriptor);
	return good;
}

static bool import_part(const char *argument)
{
	hipMemGenericAllocationHandle_t handle;
	size_t size = 2 << 20;
	void *base;

#if HIP_VERSION >= 70000000
	void *given = (void *)(intptr_t)atoi(argument);
#else
	int descriptor = atoi(argument); // releases before 7 take its address
	void *given = &descriptor;
#endif

	HIP(hipMemImportFromShareableHandle(&handle, given, hipMemHandleTypePosixFileDescriptor));
	HIP(hipMemAddressReserve(&base, size, 0, NULL, 0));
	HIP(hipMemMap(base, size, 0, handle, 0));
	allow(base, size);
	if (!holds((int *)base, 3, 1000))
		return false;
	fill_kernel<<<groups(1000, 256), 256>>>((int *)base, 70, 1000);
	FINISH();
	HIP(hipMemUnmap(base, size));
	HIP(hipMemRelease(handle));
	return true;
}

// The same of a pool and an allocation in it.
static bool shared_pool(void)
{
	hipMemPoolProps properties = {};
	hipMemPoolPtrExportData data;
	hipMemPool_t pool;
	std::string text;
	int descriptor = -1;
	void *memory;
	bool good;

	properties.allocType = hipMemAllocationTypePinned;
	properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
	properties.location.type = hipMemLocationTypeDevice;
	properties.location.id = 0;
	HIP(hipMemPoolCreate(&pool, &properties));
	HIP(hipMallocFromPoolAsync(&memory, 1 << 20, pool, hipStreamPerThread));
	HIP(hipStreamSynchronize(hipStreamPerThread));
	fill_kernel<<<groups(1000, 256), 256>>>((int *)memory, 3, 1000);
	FINISH();
	HIP(hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypePosixFileDescriptor, 0));
	HIP(hipMemPoolExportPointer(&data, memory));
	text = std::to_string(fcntl(descriptor, F_DUPFD, 100));
	for (unsigned char byte : data.reserved)
		text += " " + std::to_string(byte);
	good = elsewhere("pool", text.c_str()) && holds((int *)memory, 70, 1000);
	HIP(hipFree(memory));
	HIP(hipMemPoolDestroy(pool));
	return good;
}

static bool pool_part(const char *argument)
{
	hipMemPoolPtrExportData data;
	hipMemPool_t pool;
	char *at;
	int descriptor = (int)strtol(argument, &at, 10);
	void *memory;

	for (unsigned char &byte : data.reserved)
		byte = (unsigned char)strtol(at, &at, 10);
	HIP(hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)descriptor,
						hipMemHandleTypePosixFileDescriptor, 0));
	HIP(hipMemPoolImportPointer(&memory, pool, &data));
	if (!holds((int *)memory, 3, 1000))
		return false;
	fill_kernel<<<groups(1000, 256), 256>>>((int *)memory, 70, 1000);
	FINISH();
	return true;
}
#endif

static const program programs[] = {
#if VIRTUAL
	{ "mapping", mapping },	    { "free_memory", free_memory },
	{ "exported", exported }, { "shared_pool", shared_pool },
#endif
	{},
};

int main(int argc, char **argv)
{
#if VIRTUAL
	const char *part = getenv("VIRTUAL_PART"), *argument = getenv("VIRTUAL_ARGUMENT");

	if (argc == 2 && !strcmp(argv[1], "elsewhere") && part && argument)
		return !(strcmp(part, "import") ? pool_part(argument) : import_part(argument));
	int supported = 0;

	HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
	if (!supported) {
		printf("not ok 1 - the device supports virtual memory\n1..1\n");
		return 1;
	}
#else
	(void)holds;
	printf("1..0 # SKIP HIP %d.%d maps no memory\n", HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
	return 0;
#endif
	return run_programs(programs, argc, argv);
}
