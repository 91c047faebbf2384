// SPDX-License-Identifier: Apache-2.0
// What the pages of host memory cost when the GPU's driver pins them.
//
// hipgrain-run: registered
// hipgrain-pages: madvise
// hipgrain-stdout: host_pages: sum 64 expected 64
// hipgrain-expect: HG220 call=hipHostRegister api=hipHostRegister at=@registered
//
// hipgrain-run: advised
// hipgrain-pages: madvise
// hipgrain-stdout: host_pages: sum 64 expected 64
// hipgrain-expect: none

#include <sys/mman.h>

#include "sample.h"

#define GIB   ((size_t)1 << 30)
#define ITEMS 64

__global__ void count(int *sum)
{
	atomicAdd(sum, 1);
}

static void use_registered(bool advise)
{
	int *p = (int *)aligned_alloc(2 << 20, GIB), *device;

	if (!p || (advise && madvise(p, GIB, MADV_HUGEPAGE))) {
		perror("host_pages");
		exit(1);
	}
	*p = 0;
	CHECK(hipHostRegister(p, GIB, hipHostRegisterDefault)); // @registered
	CHECK(hipHostGetDevicePointer((void **)&device, p, 0));
	count<<<1, ITEMS>>>(device);
	CHECK(hipDeviceSynchronize());
	printf("host_pages: sum %d expected %d\n", *p, ITEMS);
	CHECK(hipHostUnregister(p));
	free(p);
}

static const variant variants[] = {
	{ "registered", [] { use_registered(false); } },
	{ "advised", [] { use_registered(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
