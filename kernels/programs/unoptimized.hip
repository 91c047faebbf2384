// SPDX-License-Identifier: Apache-2.0
// Built for debugging and left so: kernels keep every variable in scratch memory, and variables of the
// environment make the runtime wait for each of them.
//
// hipgrain-build: -O0
//
// hipgrain-run: often
// hipgrain-stdout: unoptimized: sum 2147516416
// hipgrain-expect: HG907 kernel=sum_up launches=4 confidence=proven
//
// A kernel that hardly runs does not matter.
// hipgrain-run: seldom
// hipgrain-stdout: unoptimized: sum 2147516416
// hipgrain-expect: none
// hipgrain-silent: HG907
//
// hipgrain-run: seldom
// hipgrain-env: AMD_SERIALIZE_KERNEL=3 HSA_ENABLE_SDMA=0 HIP_LAUNCH_BLOCKING=1
// hipgrain-runtime: before 6.1: these do not read HIP_LAUNCH_BLOCKING
// hipgrain-stdout: unoptimized: sum 2147516416
// hipgrain-expect: HG903
// hipgrain-expect: HG903
//
// hipgrain-run: seldom
// hipgrain-env: AMD_SERIALIZE_KERNEL=3 HSA_ENABLE_SDMA=0 HIP_LAUNCH_BLOCKING=1
// hipgrain-runtime: from 6.1: these read HIP_LAUNCH_BLOCKING
// hipgrain-stdout: unoptimized: sum 2147516416
// hipgrain-expect: HG903
// hipgrain-expect: HG903
// hipgrain-expect: HG903

#include "sample.h"

#define ITEMS      65536
#define GROUP_SIZE 256

__global__ void sum_up(unsigned long long *sum)
{
	unsigned long long mine = blockIdx.x * blockDim.x + threadIdx.x + 1;

	atomicAdd(sum, mine);
}

static void run(int launches)
{
	unsigned long long *device, host = 0;

	CHECK(hipMalloc(&device, sizeof(*device)));
	for (int i = 0; i < launches; i++) {
		CHECK(hipMemset(device, 0, sizeof(*device)));
		sum_up<<<ITEMS / GROUP_SIZE, GROUP_SIZE>>>(device);
		CHECK(hipGetLastError());
	}
	CHECK(hipMemcpy(&host, device, sizeof(host), hipMemcpyDeviceToHost));
	CHECK(hipFree(device));
	printf("unoptimized: sum %llu\n", host);
}

static const variant variants[] = {
	{ "often", [] { run(4); } },
	{ "seldom", [] { run(2); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
