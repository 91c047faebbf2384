// SPDX-License-Identifier: Apache-2.0
// Ends in different ways, by argument, with memory that was not released; "ok" and "static" release it.
#include <hip/hip_runtime.h>

#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void store(int *to)
{
	to[threadIdx.x] = 1;
}

static void *device(size_t size)
{
	void *memory = nullptr;

	if (hipMalloc(&memory, size))
		abort();
	return memory;
}

struct holder {
	void *memory = nullptr;

	~holder()
	{
		if (memory)
			(void)hipFree(memory);
	}
};
static holder at_exit;

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	void *blocks[3], *pinned, *managed, *pooled, *rows;
	size_t pitch;
	hipStream_t stream;

	if (!strcmp(way, "static")) {
		at_exit.memory = device(4096);
		store<<<1, 64>>>((int *)at_exit.memory);
		return hipDeviceSynchronize() != 0;
	}
	if (hipHostMalloc(&pinned, 100, 0) || hipMallocManaged(&managed, 200) || hipMallocPitch(&rows, &pitch, 60, 16) ||
	    hipStreamCreate(&stream) || hipMallocAsync(&pooled, 400, stream) || hipStreamSynchronize(stream))
		return 2;
	for (void *&block : blocks) {
		block = device(4096);
		store<<<1, 64>>>((int *)block);
	}
	if (hipDeviceSynchronize())
		return 2;
	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "exec"))
		return execl("/bin/true", "true", (char *)nullptr);
	if (!strcmp(way, "error"))
		exit(1);
	if (!strcmp(way, "reset"))
		return hipDeviceReset() != 0;
	if (!strcmp(way, "fork") && fork() == 0)
		exit(0);
	if (!strcmp(way, "leak"))
		return 0;
	for (void *block : blocks)
		(void)hipFree(block);
	(void)hipHostFree(pinned);
	(void)hipFree(managed);
	(void)hipFree(rows);
	(void)hipFreeAsync(pooled, stream);
	return hipStreamSynchronize(stream) != 0;
}
