// SPDX-License-Identifier: Apache-2.0
// A kernel that waits, while it runs, for a word that the host writes. That needs fine-grained memory:
// in coarse-grained memory the GPU may keep the old value in its cache until the kernel ends.
// (The software GPU has no such cache, so the program ends all the same.)
//
// hipgrain-run: host_default
// hipgrain-stdout: signal: 42 expected 42
// hipgrain-expect: none
//
// Coarse-grained because of a flag that sounds harmless.
// hipgrain-run: host_portable
// hipgrain-stdout: signal: 42 expected 42
// hipgrain-expect: HG202 kernel=wait_for argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=likely
//
// hipgrain-run: malloc_host
// hipgrain-stdout: signal: 42 expected 42
// hipgrain-expect: HG207 kernel=wait_for argument=0 api=hipMallocHost at=@malloc_host launches=1 confidence=likely
//
// Coarse-grained by request.
// hipgrain-run: host_noncoherent
// hipgrain-stdout: signal: 42 expected 42
// hipgrain-expect: HG111 kernel=wait_for argument=0 api=hipHostMalloc at=@host_noncoherent launches=1 confidence=likely

#include "sample_buffers.h"

__global__ void wait_for(volatile unsigned *word, unsigned *seen)
{
	while (*word == 0) {
		__builtin_amdgcn_s_sleep(2);
	}
	*seen = *word;
}

int main(int argc, char **argv)
{
	unsigned *seen, result = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s ALLOCATOR\n", argv[0]);
		return 2;
	}
	buffer b = make_buffer(argv[1], 4096);
	volatile unsigned *word = (volatile unsigned *)b.host;

	CHECK(hipMalloc(&seen, sizeof(*seen)));
	CHECK(hipDeviceSynchronize());
	wait_for<<<1, 1>>>((volatile unsigned *)b.device, seen);
	CHECK(hipGetLastError());
	*word = 42;
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&result, seen, sizeof(result), hipMemcpyDeviceToHost));
	printf("signal: %u expected 42\n", result);
	CHECK(hipFree(seen));
	free_buffer(b);
	return 0;
}
