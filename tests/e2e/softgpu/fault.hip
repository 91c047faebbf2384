// SPDX-License-Identifier: Apache-2.0
/*
 * A kernel writes to memory of the system's allocator; with XNACK off the process must die of it.
 * With an argument: to a page that the process itself may only read. store, narrow (one lane, two
 * pages), atomic: of which it must die; load: of which not; register: hipHostRegister of it.
 */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

__global__ void store(int *p)
{
	p[threadIdx.x] = (int)threadIdx.x;
}

__global__ void load(const int *p, int *sum)
{
	atomicAdd(sum, p[threadIdx.x]);
}

__global__ void straddle(char *p)
{
	uint64_t x = 42;

	if (threadIdx.x == 5)
		__builtin_memcpy(p, &x, sizeof x);
}

__global__ void add(int *p)
{
	atomicAdd(&p[threadIdx.x / 2], 1);
}

static int read_only(const char *what)
{
	const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int *p = (int *)mmap(NULL, 8192, protection, flags, -1, 0);
	int *page = p + 1024, *sum = (int *)mmap(NULL, 4096, protection, flags, -1, 0);

	page[7] = 9;
	if (mprotect(page, 4096, PROT_READ))
		return 2;
	printf("address %p\n", (void *)page);
	fflush(stdout);
	if (!strcmp(what, "register")) {
		hipError_t error = hipHostRegister(page, 4096, hipHostRegisterDefault);

		int runtime = 0;

		printf("registered %d %d\n", error == hipSuccess,
		       hipHostRegister(p, 4096, hipHostRegisterDefault) == hipSuccess);
		if (hipRuntimeGetVersion(&runtime) == hipSuccess)
			printf("runtime %d\n", runtime);
		return 0;
	}
	if (!strcmp(what, "store"))
		store<<<1, 64>>>(page);
	else if (!strcmp(what, "narrow"))
		straddle<<<1, 64>>>((char *)page - 4);
	else if (!strcmp(what, "atomic"))
		add<<<1, 64>>>(page);
	else
		load<<<1, 64>>>(page, sum);
	hipError_t error = hipDeviceSynchronize();
	printf("error %d value %d\n", error, *sum);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return read_only(argv[1]);
	int *p = (int *)aligned_alloc(4096, 4096);

	p[63] = -1;
	printf("address %p\n", (void *)p);
	fflush(stdout);
	store<<<1, 64>>>(p);
	hipError_t error = hipDeviceSynchronize();
	printf("error %d value %d\n", error, p[63]);
	return 0;
}
