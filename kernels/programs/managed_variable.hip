// SPDX-License-Identifier: Apache-2.0
// A __managed__ variable is managed memory that nobody allocated by a call: fine-grained all the same.
//
// hipgrain-build: -munsafe-fp-atomics
//
// hipgrain-run: plain
// hipgrain-stdout: managed variable: 0 expected 64
// hipgrain-expect: HG101 kernel=count argument=0 api=__hipRegisterManagedVar launches=1 confidence=proven
//
// hipgrain-run: advised
// hipgrain-stdout: managed variable: 64 expected 64
// hipgrain-expect: none

#include "sample.h"

#define ITEMS 64

__managed__ float total;

__global__ void count(float *sum)
{
	atomicAdd(sum, 1.0f);
}

static void run()
{
	total = 0;
	count<<<1, ITEMS>>>(&total);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	printf("managed variable: %g expected %d\n", total, ITEMS);
}

static void run_advised()
{
	CHECK(hipMemAdvise(&total, sizeof(total), hipMemAdviseSetCoarseGrain, 0));
	run();
}

static const variant variants[] = {
	{ "plain", run },
	{ "advised", run_advised },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
